import './order.css';
import { useState } from 'preact/hooks';
import type { OrderWait } from '../../../../../shared/domain/order-waits.ts';
import { OrderStatusBadge, PaymentStatusBadge } from '../ui/badges.tsx';
import { KeyButton } from '../ui/button.tsx';
import { formatAge, formatDateTime } from '../ui/format.ts';
import { announce, Notice } from '../ui/notice.tsx';
import { View } from '../view.tsx';
import type { ActionProps, Done } from './action-form.tsx';
import { InvoiceActions } from './invoice-forms.tsx';
import { findNextStep, MoveForm, PayForm, RefundForm, STEP_TEXTS, type Step } from './move-forms.tsx';
import {
  chooseVerification,
  isAttachable,
  isRejectable,
  type Prescription,
  type ShownOrder,
  VERIFICATION_TEXTS,
  waitText,
} from './order-texts.ts';
import { ChangedMeanwhile, type OrderWork, useOrder } from './order-work.tsx';
import { History, Lines, Money, PatientHead, People, TaxDocuments } from './parts.tsx';
import { AttachForm, Prescriptions, RejectForm, useChosenPrescription, VerifyForm } from './prescriptions.tsx';

/** Everything of an order, and what may be done next with it. */
export function OrderView({ id }: { readonly id: number }) {
  const query = useOrder(id);
  return (
    <View title={`Orden ${query.document?.order.folio ?? id}`} query={query}>
      {(work) => <OpenOrder work={work} />}
    </View>
  );
}

type Warning = NonNullable<Done['warning']>;

function OpenOrder({ work }: { readonly work: OrderWork }) {
  const { order } = work;
  const [done, setDone] = useState<Done>();
  const [open, setOpen] = useState<OpenAction>();
  const judged = open && 'prescription' in open ? open.prescription : undefined;
  const { chosen, choose } = useChosenPrescription(order, judged);
  const [warnings, setWarnings] = useState<readonly Warning[]>([]);
  const finish = (now: Done) => {
    setDone(now);
    announce([now.text, now.warning?.text].filter(Boolean).join(' '));
    if (now.warning) setWarnings([...warnings.filter(({ text }) => text !== now.warning?.text), now.warning]);
  };
  const start = (action: OpenAction) => {
    setDone(undefined);
    setOpen(action);
  };
  return (
    <>
      <PatientHead order={order} />
      <Summary order={order} />
      <Actions order={order} prescription={chosen} isOpen={open !== undefined} onOpen={start} />
      <ChangedMeanwhile work={work} />
      {done && <Notice kind="success">{done.text}</Notice>}
      {warnings.map(({ text, drawn }) => (
        <Notice key={text} kind="info">
          {drawn}
        </Notice>
      ))}
      <div class="order-columns">
        <div class="column">
          <Lines order={order} />
          <Money order={order} />
          <People order={order} />
          <TaxDocuments order={order} />
          <History order={order} />
        </div>
        <div class="column">
          {/* What the form asks for stands in the document, which the next Tab leads to. */}
          {open && <OpenForm open={open} work={work} onDone={finish} onClose={() => setOpen(undefined)} />}
          <Prescriptions order={order} chosen={chosen} isHeld={judged !== undefined} onChoose={choose} />
        </div>
      </div>
    </>
  );
}

const MINUTE_MS = 60_000;

/** The states of an order, how old it is, and what it waits for. */
function Summary({ order }: { readonly order: ShownOrder }) {
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(order.created_at)) / MINUTE_MS));
  return (
    <div class="row">
      <OrderStatusBadge status={order.order_status} />
      <PaymentStatusBadge status={order.payment_status} />
      <time dateTime={order.created_at}>{`${formatDateTime(order.created_at)} (hace ${formatAge(minutes)})`}</time>
      {order.waits_for.length > 0 && (
        <span>
          <strong>Espera:</strong> {order.waits_for.map((wait) => waitText(order, wait)).join(' · ')}
        </span>
      )}
    </div>
  );
}

type ActionsProps = {
  readonly order: ShownOrder;
  readonly prescription: Prescription | undefined;
  /** True while the form of one is open, which another one would close. */
  readonly isOpen: boolean;
  onOpen(action: OpenAction): void;
};

const Actions = ({ order, prescription, isOpen, onOpen }: ActionsProps) => (
  <fieldset class="row" aria-label="Acciones">
    {listOffers(order, prescription).map(({ shortcut, text, isNext, open }) => (
      <KeyButton
        key={shortcut}
        shortcut={shortcut}
        text={text}
        kind={isNext ? 'primary' : 'plain'}
        isUnavailable={isOpen}
        run={() => {
          if (!isOpen) onOpen(open);
        }}
      />
    ))}
  </fieldset>
);

type Offer = { readonly shortcut: string; readonly text: string; readonly isNext: boolean; readonly open: OpenAction };

function listOffers(order: ShownOrder, prescription: Prescription | undefined): Offer[] {
  const { next_actions: next, waits_for: waits } = order;
  const step = findNextStep(order);
  const verification = prescription && chooseVerification(order, prescription.id);
  const offers: Offer[] = [];
  const offer = (shortcut: string, text: string, open: OpenAction, isNext = false) =>
    offers.push({ shortcut, text, isNext, open });
  // The first wait of an order is the next thing to do.
  const waitsFor = (wait: OrderWait) => wait === waits[0];
  if (prescription && verification) {
    const open = { action: 'verify', act: verification, prescription } as const;
    offer('v', VERIFICATION_TEXTS[verification], open, waitsFor('verification'));
  }
  if (prescription && isRejectable(order, prescription.id))
    offer('x', 'Rechazar receta', { action: 'reject', prescription });
  if (step) offer('a', STEP_TEXTS[step], { action: 'move', step }, true);
  if (next.moves.length > 0) offer('m', 'Cambiar estado…', { action: 'move' });
  // The patient pays an order that is collected online.
  const isPayNext = waitsFor('payment') && order.collecting === null;
  if (next.payment_moves.length > 0) offer('p', 'Pago…', { action: 'pay' }, isPayNext);
  if (next.refund !== null) offer('d', 'Reembolsar', { action: 'refund' }, waitsFor('refund'));
  if (isAttachable(order)) offer('t', 'Agregar receta…', { action: 'attach' }, waitsFor('prescription'));
  if (next.invoice.length > 0 || next.credit !== null)
    offer('f', 'Factura…', { action: 'invoice' }, waitsFor('invoice'));
  return offers;
}

/** The action whose form is open, with what it was opened for: that stays, whatever others make of the order meanwhile. */
type OpenAction =
  | { readonly action: 'verify'; readonly act: keyof typeof VERIFICATION_TEXTS; readonly prescription: Prescription }
  | { readonly action: 'reject'; readonly prescription: Prescription }
  | { readonly action: 'move'; readonly step?: Step }
  | { readonly action: 'pay' | 'refund' | 'attach' | 'invoice' };

function OpenForm({ open, ...props }: ActionProps & { readonly open: OpenAction }) {
  switch (open.action) {
    case 'verify':
      return <VerifyForm {...props} act={open.act} prescription={open.prescription} />;
    case 'reject':
      return <RejectForm {...props} prescription={open.prescription} />;
    case 'move':
      return <MoveForm {...props} step={open.step} />;
    case 'pay':
      return <PayForm {...props} />;
    case 'attach':
      return <AttachForm {...props} />;
    case 'refund':
      return <RefundForm {...props} />;
    default:
      return <InvoiceActions {...props} />;
  }
}
