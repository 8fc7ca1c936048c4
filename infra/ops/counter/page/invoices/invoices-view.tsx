import { useEffect, useState } from 'preact/hooks';
import type { InvoiceListStatus } from '../../../../../shared/domain/invoices/invoice-status.ts';
import { translate } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { formatCount } from '../ui/format.ts';
import { Former } from '../ui/former.tsx';
import { announce } from '../ui/live-region.tsx';
import { ErrorNotice, Notice } from '../ui/notice.tsx';
import { useShortcut } from '../ui/shortcuts.ts';
import { useCommand } from '../ui/use-command.ts';
import { ViewHeading } from '../ui/view-heading.tsx';
import { type Chosen, ChosenAction } from './chosen-action.tsx';
import { type Invoice, InvoicesTable } from './invoices-table.tsx';
import { StatusFilter } from './status-filter.tsx';
import { INVOICES_TEXTS } from './texts.ts';
import './invoices.css';

const LIMIT = 200;
const REFRESH_MS = 60_000;

/** The invoices that wait for a person, or those of a status, with what to do and the actions for it. */
export function InvoicesView() {
  const [status, setStatus] = useState<InvoiceListStatus | ''>('');
  const [chosen, setChosen] = useState<Chosen>();
  const [done, setDone] = useState('');
  const input = status === '' ? { waiting: true, limit: LIMIT } : { status, limit: LIMIT };
  const { document, former, error, isLoading, reload } = useCommand('invoices-list', input, { everyMs: REFRESH_MS });
  const shown = document ?? former;
  useShortcut('r', INVOICES_TEXTS.refresh, () => void reload());
  const tell = (sentence: string) => {
    setDone(sentence);
    announce(sentence);
  };
  // What was tried may have changed the invoice, also when it has failed.
  const close = () => {
    setChosen(undefined);
    void reload();
  };
  const choose = (action: Chosen) => {
    setDone('');
    setChosen(action);
  };
  return (
    <>
      <ViewHeading title={translate(INVOICES_TEXTS.title)} />
      <div class="invoices-filter">
        <StatusFilter status={status} onChange={setStatus} />
        <Button isBusy={isLoading} onClick={() => void reload()}>
          {translate(INVOICES_TEXTS.refresh)}
        </Button>
      </div>
      {done && <Notice kind="success">{done}</Notice>}
      <ErrorNotice error={error} />
      {shown ? (
        <Former isFormer={shown === former}>
          <Listed invoices={shown.invoices} isFormer={shown === former} status={status} onAction={choose} />
        </Former>
      ) : (
        error === undefined && <p class="soft">{translate(INVOICES_TEXTS.loading)}</p>
      )}
      {chosen && <ChosenAction chosen={chosen} onClose={close} onDone={tell} />}
    </>
  );
}

type ListedProps = {
  readonly invoices: readonly Invoice[];
  /** True while these are not the invoices of the status, which are waited for. */
  readonly isFormer: boolean;
  readonly status: InvoiceListStatus | '';
  onAction(chosen: Chosen): void;
};

function Listed({ invoices, isFormer, status, onAction }: ListedProps) {
  const counted = isFormer ? translate(INVOICES_TEXTS.loading) : countText(invoices.length, status);
  useEffect(() => announce(counted), [counted]);
  return (
    <>
      <p class="soft">{counted}</p>
      {invoices.length > 0 && <InvoicesTable invoices={invoices} onAction={onAction} />}
    </>
  );
}

function countText(length: number, status: InvoiceListStatus | ''): string {
  const none = status === '' ? INVOICES_TEXTS.nothingWaits : INVOICES_TEXTS.noneOfStatus;
  const some = length === 1 ? INVOICES_TEXTS.listedOne : INVOICES_TEXTS.listed;
  if (length === LIMIT) return translate(INVOICES_TEXTS.firstOnly, { count: formatCount(LIMIT) });
  return translate(length === 0 ? none : some, { count: formatCount(length) });
}
