import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { handler as issueGlobals } from '../../../functions/jobs/issue-globals.ts';
import { handler as runDueTasks } from '../../../functions/jobs/run-due-tasks.ts';
import { handler as sweepDocuments } from '../../../functions/jobs/sweep-documents.ts';
import { documents, table } from '../../../shared/deps.ts';
import { listDocuments, type TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import { countOrders } from '../../../shared/order/lists/counters.ts';
import { dueInvoices } from '../../../shared/order/rows/invoice-rows.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { listInvoiceObjects, readInvoiceFile } from '../../../shared/store/documents.ts';
import { createdPartition, parseCreationKey } from '../../../shared/store/keys.ts';
import type { FacturapiServer } from '../engines/facturapi-server.ts';
import { manyAtOnce } from '../load/many-at-once.ts';
import { getStoredOrder } from '../orders/forced-order.ts';
import { listStoredDocuments } from '../orders/stored-orders.ts';
import type { ServerWith } from './test-server.ts';

const MINUTE_MS = 60_000;
const TEN_DAYS_MS = 10 * 24 * 60 * MINUTE_MS;
const LEFT_OPEN = ['requested', 'retrying', 'cancelling', 'cancellation_pending', 'mail_due'] as const;

const documentsFolder = () => join(inject('engineFolder'), 's3', process.env.DOCUMENTS_BUCKET ?? '', 'prescriptions');

/** Advances the clock and runs the jobs: the tasks on tax documents, and sweeping old documents. */
export async function letTimePass(): Promise<void> {
  await runJobs(new Date(), [20, 40, 60]);
  // The local S3 takes the age of an object from the time of its file.
  const tenDaysAgo = new Date(Date.now() - TEN_DAYS_MS);
  const files = await readdir(documentsFolder()).catch(() => []);
  for (const file of files) await utimes(join(documentsFolder(), file), tenDaysAgo, tenDaysAgo);
  await sweepDocuments();
}

/** Runs the jobs some minutes after an instant, when unconfirmed attempts of the provider, claims of mails and pauses are over. */
async function runJobs(from: Date, afterMinutes: readonly number[], more = async () => {}): Promise<void> {
  for (const minutes of afterMinutes) {
    setClock(new Date(from.getTime() + minutes * MINUTE_MS));
    // The job throws after it gives up a mail, which alerts an operator.
    await runDueTasks().catch(({ message }: Error) => expect(message).toMatch(/^\d+ mails need a person$/));
    await more();
  }
  setClock();
}

/** Returns the keys of all documents of prescriptions in the bucket. */
export const storedDocuments = async (): Promise<string[]> =>
  (await listStoredDocuments()).filter((key) => key.startsWith('prescriptions/'));

/** Returns the invoices that a job would still process within ten days. */
export async function openWork(): Promise<string[]> {
  const asked = { now: new Date(Date.now() + TEN_DAYS_MS), limit: 1_000 };
  const left = LEFT_OPEN.map(async (invoiceStatus) => {
    const rows = await dueInvoices(table(), invoiceStatus, asked);
    return rows.map(({ orderId }) => `order ${orderId} is left ${invoiceStatus}`);
  });
  return (await Promise.all(left)).flat();
}

/** Returns the ids of the orders in a view and the count from its counters. */
export async function ordersOf(clientId: number, viewer: 'client' | `patient#${number}`) {
  const entries = await table().all({ pk: createdPartition(clientId, viewer) });
  return {
    ids: entries.map(({ sk }) => parseCreationKey(String(sk)).order),
    counted: await countOrders(table(), { clientId, viewer }),
  };
}

/** Returns the violations between the stored documents and the orders of a client. */
export async function strayDocuments(clientId: number): Promise<string[]> {
  const { ids } = await ordersOf(clientId, 'client');
  const orders = await manyAtOnce(ids.length, 8, (index) => getStoredOrder(Number(ids[index])));
  const wanted = orders.flatMap(({ prescriptions }) => prescriptions.map(({ documentKey }) => documentKey)).sort();
  const stored = await storedDocuments();
  return faultsIn('', {
    'a document belongs to no order': stored.some((key) => !wanted.includes(key)),
    'an order has lost its document': wanted.some((key) => !stored.includes(key)),
  });
}

/** Returns the true findings, each prefixed with the subject. */
export const faultsIn = (subject: string, findings: Readonly<Record<string, boolean>>): string[] =>
  Object.entries(findings).flatMap(([finding, isFound]) => (isFound ? [`${subject} ${finding}`] : []));

/** Runs the jobs until nothing is due any more, as from this instant. */
export async function settleEverything(from: Date): Promise<void> {
  await runJobs(from, [20, 40, 60, 120], issueGlobals);
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
export async function faultsOfDocuments({ facturapi, ses }: ServerWith<'invoices'>, id: number): Promise<string[]> {
  const order = await getStoredOrder(id);
  const known = listDocuments(order);
  const held = facturapi.invoices.filter(({ external_id: key }) => key.startsWith(`order-${id}-`));
  const address = order.invoicing?.email || order.patient.email;
  const sent = (await ses.mails()).filter(({ destination }) => destination.to.includes(address));
  const wanted = known.filter(({ providerId }) => providerId !== '');
  const counts = Map.groupBy(sent, ({ subject }) => subject);
  const cancelled = known.filter(({ status }) => status === 'cancelled');
  // An invoice with a credit note or complement is credited instead.
  const hasInvoicesAlone = known.every(({ kind }) => kind === 'invoice');
  return [
    ...faultsIn(`order ${id}`, {
      'holds a document that the order forgot': held.some(({ external_id: key }) => !isKnown(known, key)),
      'has a document twice': new Set(held.map(({ external_id }) => external_id)).size < held.length,
      'has work left': known.some(({ status }) => !DONE.includes(status)),
      'and the provider disagree': known.some((document) => !isAgreed(document, held)),
      'is cancelled, and its invoice is not':
        order.orderStatus === 'cancelled' && hasInvoicesAlone && held.some(isValid),
      'has two invoices': held.filter((one) => one.type === 'I' && isValid(one)).length > 1,
      'shows another invoice': order.cfdi !== (order.invoice?.providerId ?? ''),
      [`was mailed ${sent.length} times`]: sent.length > wanted.length + cancelled.length,
      'was mailed the same twice': counts.values().some((same) => same.length > wanted.length),
      // The credit note of a sale in a global invoice has no receiver.
      'was not mailed, and no operator is told': wanted.some(({ status, mail, globalZipcode }) => {
        return status === 'issued' && !globalZipcode && !['sent', 'unconfirmed', 'given_up'].includes(mail ?? '');
      }),
    }),
    ...(await faultsOfCopies(wanted)),
  ];
}

const isValid = ({ status }: FacturapiServer['invoices'][number]): boolean => status === 'valid';
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
