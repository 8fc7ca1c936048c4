import { invoicing, mail } from '../../../shared/deps.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { business } from '../../../shared/runtime/config.ts';
import { openTable } from '../../../shared/store/table.ts';
import { type IssuedNow, issueUnissued } from '../../../shared/usecases/operations/invoices/issue-unissued.ts';
import { type CancelledAgain, cancelAgain } from '../../../shared/usecases/operations/invoices/open-actions.ts';
import { type Command, command } from '../command.ts';
import { orderId, version } from '../orders/changed-order.ts';
import { openDocuments } from '../orders/documents.ts';
import { receiverOptions, toReceiver } from './receiver-options.ts';

const KINDS = { invoice: 'invoice', payment: 'payment complement', credit: 'credit note' } as const;

const openDeps = () => ({ table: openTable(), business: business(), documents: openDocuments(), invoicing, mail });

export const invoicesIssue = command({
  name: 'invoices issue',
  summary:
    'Issue what was not issued of an order: its invoice, also after 72 hours, a payment complement or a credit note',
  example: '42 --zipcode 06700',
  arguments: { orderId },
  options: { ...receiverOptions, version },
  async run({ orderId: id, version: seen, ...corrections }, { operator }) {
    const operation = { operator: await operator(), now: now(), receiver: toReceiver(corrections) };
    const issued = await issueUnissued({ id, version: seen, ...operation }, openDeps());
    const documents = issued.map(({ kind, outcome, fields }) => ({ kind, outcome, fields }));
    const isIssued = issued.every(({ outcome }) => outcome === 'issued');
    return {
      document: { order: id, documents },
      text: issued.map((one) => issuedText(id, one)).join(''),
      failure: isIssued ? undefined : 'Not everything is issued.',
    };
  },
});

const OUTCOMES: Readonly<Record<IssuedNow['outcome'], string>> = {
  issued: 'is issued',
  refused: 'is not issued: the provider refuses its data',
  failed: 'is not issued: it cannot be built, as the log says',
  unavailable: 'is not issued yet: the provider is not available',
  unknown: 'may be issued: the provider has not answered, and settling finds out',
};

function issuedText(id: number, { kind, outcome, fields }: IssuedNow): string {
  const refused = fields.length > 0 ? ` (${fields.join(', ')})` : '';
  return `The ${KINDS[kind]} of order ${id} ${OUTCOMES[outcome]}${refused}.\n`;
}

export const invoicesCancel = command({
  name: 'invoices cancel',
  summary: 'Ask again for the cancellation of an invoice that its receiver rejected, or that SAT did not allow',
  example: '42',
  arguments: { orderId },
  options: { version },
  async run({ orderId: id, version: seen }, { operator }) {
    const cancelled = await cancelAgain({ id, version: seen, operator: await operator(), now: now() }, openDeps());
    const documents = cancelled.map(({ kind, status, reason }) => ({ kind, status, reason }));
    const isRejected = cancelled.some(({ status }) => status === 'cancellation_rejected');
    return {
      document: { order: id, documents },
      text: cancelled.map((one) => cancelledText(id, one)).join(''),
      failure: isRejected ? 'Not everything is cancelled.' : undefined,
    };
  },
});

function cancelledText(id: number, { kind, status, reason }: CancelledAgain): string {
  const name = `${KINDS[kind]} of order ${id}`;
  if (status === 'cancelled') return `The ${name} is cancelled.\n`;
  if (status === 'cancellation_pending') return `The cancellation of the ${name} waits for its receiver.\n`;
  if (status !== 'cancellation_rejected') return `The cancellation of the ${name} is asked for as soon as possible.\n`;
  return reason === 'not_cancelable'
    ? `SAT does not cancel the ${name}: other valid documents refer to it, or its time to be cancelled is over.\n`
    : `The cancellation of the ${name} is rejected again.\n`;
}

export const issuingCommands: readonly Command[] = [invoicesIssue, invoicesCancel];
