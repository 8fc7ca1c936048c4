import { handler as issueGlobals } from '../../../functions/jobs/issue-globals.ts';
import { handler as sendMail } from '../../../functions/jobs/send-mail.ts';
import { handler as settleInvoices } from '../../../functions/jobs/settle-invoices.ts';
import { documents } from '../../../shared/deps.ts';
import { listDocuments, type TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { listInvoiceObjects, readInvoiceFile } from '../../../shared/store/documents.ts';
import type { FacturapiServer } from '../engines/facturapi-server.ts';
import type { Mail } from '../engines/ses-relay.ts';
import { getStoredOrder } from '../orders/forced-order.ts';
import { faultsIn } from './crash-server.ts';

/** The provider and the mails of a server. */
export type Outsiders = { readonly facturapi: FacturapiServer; mails(): Promise<Mail[]> };

const MINUTE_MS = 60_000;
// By then, attempts that the provider never received, claims of mails and pauses after failures are over.
const ROUNDS_AFTER_MINUTES = [20, 40, 60, 120];

/** Runs the jobs until nothing is due any more, as from this instant. */
export async function settleEverything(from: Date): Promise<void> {
  for (const minutes of ROUNDS_AFTER_MINUTES) {
    setClock(new Date(from.getTime() + minutes * MINUTE_MS));
    await settleInvoices();
    // It throws after it gives up a mail, which alerts an operator.
    await sendMail().catch(() => undefined);
    await issueGlobals();
  }
  setClock();
}

const DONE: readonly TaxDocument['status'][] = [
  'issued',
  'not_issued',
  'refused',
  'cancellation_rejected',
  'cancelled',
];
const VALID: readonly TaxDocument['status'][] = [
  'issued',
  'cancelling',
  'cancellation_pending',
  'cancellation_rejected',
];

/** Returns what is wrong with the documents of an order, by what the provider holds, our bucket and the mails. */
export async function faultsOfDocuments({ facturapi, mails }: Outsiders, id: number): Promise<string[]> {
  const order = await getStoredOrder(id);
  const known = listDocuments(order);
  const held = facturapi.invoices.filter(({ external_id: key }) => key.startsWith(`order-${id}-`));
  const address = order.invoicing?.email || order.patient.email;
  const sent = (await mails()).filter(({ destination }) => destination.to.includes(address));
  const wanted = known.filter(({ providerId }) => providerId !== '');
  const counts = Map.groupBy(sent, ({ subject }) => subject);
  const cancelled = known.filter(({ status }) => status === 'cancelled');
  return [
    ...faultsIn(`order ${id}`, {
      'holds a document that the order forgot': held.some(({ external_id: key }) => !isKnown(known, key)),
      'has a document twice': new Set(held.map(({ external_id }) => external_id)).size < held.length,
      'has work left': known.some(({ status }) => !DONE.includes(status)),
      'and the provider disagree': known.some((document) => !isAgreed(document, held)),
      'has two invoices': held.filter(({ type, status }) => type === 'I' && status === 'valid').length > 1,
      'shows another invoice': order.cfdi !== (order.invoice?.providerId ?? ''),
      [`was mailed ${sent.length} times`]: sent.length > wanted.length + cancelled.length,
      'was mailed the same twice': counts.values().some((same) => same.length > wanted.length),
      'was not mailed, and no operator is told': wanted.some(({ status, mail }) => {
        return status === 'issued' && !['sent', 'unconfirmed', 'given_up'].includes(mail?.status ?? '');
      }),
    }),
    ...(await faultsOfCopies(wanted)),
  ];
}

const isKnown = (known: readonly TaxDocument[], wanted: string): boolean => known.some(({ key }) => key === wanted);

function isAgreed({ key, status, providerId }: TaxDocument, held: FacturapiServer['invoices']): boolean {
  const found = held.find(({ external_id }) => external_id === key);
  if (VALID.includes(status)) return found?.status === 'valid' && found.id === providerId;
  return status === 'cancelled' ? found?.status === 'canceled' : found?.status !== 'valid';
}

/** Every document that was issued has its XML and PDF in our bucket, and a cancelled one its receipt. */
async function faultsOfCopies(wanted: readonly TaxDocument[]): Promise<string[]> {
  const faults = wanted.map(async ({ key, status }) => {
    const files = status === 'cancelled' ? (['xml', 'pdf', 'receipt'] as const) : (['xml', 'pdf'] as const);
    const read = await Promise.all(files.map((file) => readInvoiceFile(documents(), key, file).catch(() => undefined)));
    return read.includes(undefined) ? [`${key} has no copy: ${listInvoiceObjects(key).length} objects`] : [];
  });
  return (await Promise.all(faults)).flat();
}
