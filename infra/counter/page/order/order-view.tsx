import { useLayoutEffect, useState } from 'preact/hooks';
import { address, choose } from '../ui/address.ts';
import { Badge, DoneNotice, KeyButton } from '../ui/controls.tsx';
import { formatAge, formatDateTime } from '../ui/format.ts';
import { useShortcut } from '../ui/keys.ts';
import { ORDER, PAYMENT } from '../ui/statuses.ts';
import { View } from '../ui/view.tsx';
import { ActionForm, type Form } from './action-form.tsx';
import { InvoiceChoices, invoiceForm, refundForm } from './money-forms.tsx';
import { ChangedMeanwhile, type OrderWork, useOrder } from './order-work.tsx';
import { PrintDialog } from './paper.tsx';
import { History, Lines, Money, Notes, PatientHead, People, TaxDocuments } from './parts.tsx';
import { attachForm, rejectForm, verifyForm } from './prescription-forms.tsx';
import { Prescriptions, useChosenPrescription } from './prescriptions.tsx';
import { findNextStep, moveForm, noteForm, payForm, STEP_TEXTS, updateForm } from './status-forms.tsx';
import { isAttachable, isRejectable, type Prescription, type ShownOrder, verificationText, waitText } from './texts.ts';

export function OrderView({ id }: { readonly id: number }) {
  const query = useOrder(id);
  return (
    <View title={`Orden ${query.document?.order.folio ?? id}`} query={query}>
      {(work) => <OpenOrder work={work} />}
    </View>
  );
}

function OpenOrder({ work }: { readonly work: OrderWork }) {
  const { order } = work;
  const [done, setDone] = useState('');
  const [open, setOpen] = useState<Pick<Offer, 'form'>>();
  const [isPrinting, setPrinting] = useState(false);
  const prescription = useChosenPrescription(order, open !== undefined);
  const start = (form: Offer['form']) => {
    setDone('');
    setOpen({ form });
  };
  const close = () => setOpen(undefined);
  const offers = listOffers(order, prescription.chosen);
  const goOn = () => {
    const next = offers.find(({ kind }) => kind === 'primary');
    if (next && !open) start(next.form);
  };
  useShortcut('g', 'Dar el paso siguiente', goOn);
  // The reader came by this key from the list.
  useLayoutEffect(() => {
    if (address.peek().params.step !== 'next') return;
    choose({ step: '' });
    goOn();
  }, []);
  return (
    <>
      <PatientHead order={order} />
      <Head order={order} />
      <fieldset class="row" aria-label="Acciones">
        {offers.map(({ form, ...button }) => (
          // Another form would close the open one.
          <KeyButton key={button.shortcut} {...button} isUnavailable={open !== undefined} run={() => start(form)} />
        ))}
        <KeyButton shortcut="i" text="Imprimir…" isUnavailable={open !== undefined} run={() => setPrinting(true)} />
      </fieldset>
      {isPrinting && <PrintDialog order={order} onClose={() => setPrinting(false)} />}
      <ChangedMeanwhile work={work} />
      <DoneNotice text={done} />
      <div class="order-columns">
        <div class="stack">
          <Notes order={order} />
          <Lines order={order} />
          <Money order={order} />
          <People order={order} />
          <TaxDocuments order={order} />
          <History order={order} />
        </div>
        <div class="stack">
          {/* What the form asks for stands in the document, which the next Tab leads to. */}
          {open?.form && <ActionForm form={open.form} work={work} onDone={setDone} onClose={close} />}
          {open && !open.form && <InvoiceChoices order={order} onChoose={start} onClose={close} />}
          <Prescriptions order={order} {...prescription} />
        </div>
      </div>
    </>
  );
}

const MINUTE_MS = 60_000;

function Head({ order }: { readonly order: ShownOrder }) {
  const { created_at: at } = order;
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(at)) / MINUTE_MS));
  return (
    <div class="row">
      <Badge {...ORDER[order.order_status]} />
      <Badge {...PAYMENT[order.payment_status]} />
      {order.tags.split(',').map((tag) => tag && <Badge key={tag} tone="accent" text={tag} />)}
      <time dateTime={at}>{`${formatDateTime(at)} (hace ${formatAge(minutes)})`}</time>
      {order.waits_for.length > 0 && (
        <span>
          <strong>Espera:</strong> {order.waits_for.map((wait) => waitText(order, wait)).join(' · ')}
        </span>
      )}
    </div>
  );
}

type Offer = {
  readonly shortcut: string;
  readonly text: string;
  readonly kind: 'primary' | 'plain';
  /** The form to open; undefined where an action on the invoice is still to be chosen. */
  readonly form: Form | undefined;
};

function listOffers(order: ShownOrder, prescription: Prescription | undefined): readonly Offer[] {
  const { next_actions: next } = order;
  const step = findNextStep(order);
  const verification = prescription && verificationText(order, prescription.id);
  const offers: Offer[] = [];
  const offer = (shortcut: string, text: string, form: Offer['form'], isNext = false) =>
    offers.push({ shortcut, text, kind: isNext ? 'primary' : 'plain', form });
  // The first wait of an order is the next thing to do.
  const [wait] = order.waits_for;
  if (prescription && verification)
    offer('v', verification, verifyForm(verification, prescription.id), wait === 'verification');
  if (prescription && isRejectable(order, prescription.id)) offer('x', 'Rechazar receta', rejectForm(prescription.id));
  if (step) offer('a', STEP_TEXTS[step], moveForm(order, step), true);
  // It is filled once who prescribed its antibiotic is recorded.
  if (!step && next.unnamed !== null && wait === 'preparation')
    offer('a', STEP_TEXTS.in_process, verifyForm('Anotar quien prescribe', next.unnamed, true), true);
  if (next.moves.length > 0) offer('m', 'Cambiar estado…', moveForm(order));
  // The patient pays an order that is collected online.
  const isPayNext = wait === 'payment' && order.collecting === null;
  if (next.payment_moves.length > 0) offer('p', 'Pago…', payForm(order), isPayNext);
  if (next.refund !== null || order.left.surplus !== null)
    offer('d', 'Reembolsar', refundForm(order), wait === 'refund');
  if (isAttachable(order)) offer('t', 'Agregar receta…', attachForm, wait === 'prescription');
  const [action, ...others] = next.invoice;
  if (action === 'issue_to' && others.length === 0 && next.credit === null)
    offer('f', 'Facturar…', invoiceForm(action));
  else if (action || next.credit !== null) offer('f', 'Factura…', undefined, wait === 'invoice');
  if (order.patient.user.deleted_at === null) {
    offer('n', 'Nota…', noteForm);
    offer('e', 'Etiquetas…', updateForm);
  }
  return offers;
}
