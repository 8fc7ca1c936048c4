import './order.css';
import { useState } from 'preact/hooks';
import { OrderStatusBadge, PaymentStatusBadge } from '../ui/badges.tsx';
import { formatAge, formatDateTime } from '../ui/format.ts';
import { announce, Notice } from '../ui/notice.tsx';
import { View } from '../view.tsx';
import type { Done } from './action-form.tsx';
import { Actions, type OpenAction, OpenForm } from './actions.tsx';
import { ChangedMeanwhile, History } from './history.tsx';
import { type ShownOrder, waitText } from './order-texts.ts';
import { Lines, Money, PatientHead, People, TaxDocuments } from './parts.tsx';
import { Prescriptions, useChosenPrescription } from './prescriptions.tsx';
import { type OrderWork, useOrder } from './use-order.ts';

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
