import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { handler as sendMail } from '../../../functions/jobs/send-mail.ts';
import { handler as settleInvoices } from '../../../functions/jobs/settle-invoices.ts';
import { handler as sweepDocuments } from '../../../functions/jobs/sweep-documents.ts';
import { table } from '../../../shared/deps.ts';
import { countOrders } from '../../../shared/order/lists/counters.ts';
import { dueInvoices } from '../../../shared/order/rows/invoice-rows.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { createdPartition, parseCreationKey } from '../../../shared/store/keys.ts';
import { manyAtOnce } from '../load/many-at-once.ts';
import { getStoredOrder } from '../orders/forced-order.ts';
import type { BundledServer } from './bundled-server.ts';

const MINUTE_MS = 60_000;
// By then, unconfirmed provider attempts and claims of mails have expired.
const ROUNDS_AFTER_MINUTES = [20, 40, 60];
const TEN_DAYS_MS = 10 * 24 * 60 * MINUTE_MS;
const LEFT_OPEN = ['requested', 'retrying', 'cancelling', 'cancellation_pending', 'mail_due'] as const;

const documentsFolder = () => join(inject('engineFolder'), 's3', process.env.DOCUMENTS_BUCKET ?? '', 'prescriptions');

/** Advances the clock and runs the jobs: settling invoices, sending mail, and sweeping old documents. */
export async function letTimePass(): Promise<void> {
  for (const minutes of ROUNDS_AFTER_MINUTES) {
    setClock(new Date(Date.now() + minutes * MINUTE_MS));
    await settleInvoices();
    // The job throws after it gives up a mail, which alerts an operator.
    await sendMail().catch(({ message }: Error) => expect(message).toMatch(/^\d+ mails need a person$/));
  }
  setClock();
  // The local S3 takes the age of an object from the time of its file.
  const tenDaysAgo = new Date(Date.now() - TEN_DAYS_MS);
  for (const file of await storedFiles()) await utimes(join(documentsFolder(), file), tenDaysAgo, tenDaysAgo);
  await sweepDocuments();
}

async function storedFiles(): Promise<string[]> {
  return readdir(documentsFolder()).catch(() => []);
}

/** Returns the keys of all documents in the bucket. */
export async function storedDocuments(): Promise<string[]> {
  const files = await storedFiles();
  const objects = files.flatMap((file) => /^(.+)\._S3rver_object$/.exec(file)?.[1] ?? []);
  return objects.map((name) => `prescriptions/${name}`).sort();
}

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

/** Returns the violations in an order's invoice and mail after `letTimePass`. */
export async function faultsOfInvoice(server: BundledServer, id: number): Promise<string[]> {
  const order = await getStoredOrder(id);
  const address = order.invoicing?.email ?? '';
  const invoices = server.facturapi.invoices.filter(({ external_id: key }) => key.startsWith(`order-${id}-`));
  const valid = invoices.filter(({ status }) => status === 'valid');
  const mails = (await server.mails()).filter(({ destination }) => destination.to.includes(address));
  const isOfCancellation = ({ subject }: { readonly subject: string }) => subject.startsWith('Cancelación');
  const cancellations = mails.filter(isOfCancellation).length;
  const sent = mails.length - cancellations;
  const [invoice] = invoices;
  const isCancelled = order.orderStatus === 'cancelled';
  return faultsIn(`order ${id}`, {
    [`has ${invoices.length} invoices`]: invoices.length > 1,
    'shows another invoice': order.cfdi !== (invoice?.id ?? ''),
    'is cancelled, and its invoice is not': isCancelled && valid.length > 0,
    'has lost its invoice': !isCancelled && invoices.length > valid.length,
    'was forgotten': order.invoice?.status !== 'not_issued' && !isCancelled && valid.length < (order.invoice ? 1 : 0),
    [`was mailed ${sent} times`]: sent > 1,
    [`was told ${cancellations} times that it is cancelled`]: cancellations > (isCancelled ? 1 : 0),
    'was not mailed, and no operator is told':
      order.cfdi !== '' && !isCancelled && mails.length === 0 && order.invoice?.mail?.status !== 'unconfirmed',
  });
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
