import './order.css';
import { useState } from 'preact/hooks';
import { translate } from '../text.ts';
import { announce } from '../ui/live-region.tsx';
import { ErrorNotice, Notice } from '../ui/notice.tsx';
import { ViewHeading } from '../ui/view-heading.tsx';
import type { Done } from './actions/action-form.tsx';
import { Actions } from './actions/actions.tsx';
import { type OpenAction, OpenForm } from './actions/open-form.tsx';
import { ChangedMeanwhile } from './parts/changed-meanwhile.tsx';
import { History } from './parts/history.tsx';
import { Lines } from './parts/lines.tsx';
import { Money } from './parts/money.tsx';
import { People } from './parts/people.tsx';
import { Prescriptions, useChosenPrescription } from './parts/prescriptions.tsx';
import { Summary } from './parts/summary.tsx';
import { TaxDocuments } from './parts/tax-documents.tsx';
import { ORDER_TEXTS } from './texts.ts';
import { type OrderWork, useOrder } from './use-order.ts';

/** Everything of an order, and what may be done next with it. */
export function OrderView({ id }: { readonly id: number }) {
  const { work, error } = useOrder(id);
  const folio = work?.order.folio ?? String(id);
  return (
    <>
      <ViewHeading title={translate(ORDER_TEXTS.title, { folio })} />
      <ErrorNotice error={error} />
      {work ? <OpenOrder work={work} /> : !error && <p class="soft">{translate(ORDER_TEXTS.loading)}</p>}
    </>
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
