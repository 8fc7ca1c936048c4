import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { logError } from '../../runtime/log.ts';
import type { ProvidedInvoice } from '../provider.ts';

const STATUS = { pending: 'pending', valid: 'valid', failed: 'failed', canceled: 'cancelled' } as const;

// `verifying`: SAT is checking the request. `expired`: the receiver did not answer in time, and the invoice stays valid.
const CANCELLATION = {
  none: 'none',
  verifying: 'pending',
  pending: 'pending',
  accepted: 'accepted',
  rejected: 'rejected',
  expired: 'rejected',
} as const;

const getKeys = <Key extends string>(table: Readonly<Record<Key, unknown>>) => Object.keys(table) as Key[];

const invoice = z.object({
  // Facturapi's ids have 24 digits. The interface allows 30 characters, and the id becomes part of a path.
  id: z.string().regex(/^[\w-]{1,30}$/),
  status: z.enum(getKeys(STATUS)),
  cancellation_status: z.enum(getKeys(CANCELLATION)).nullish(),
  total: z.number().nonnegative(),
  external_id: z.string().nullish(),
});
const invoices = z.object({ data: z.array(invoice) });

type AnsweredInvoice = z.infer<typeof invoice>;

/** Parses an invoice in Facturapi's answer; the SDK's types are not checked at run time. Throws on anything else. */
export const readInvoice = (answer: unknown): ProvidedInvoice => provided(parseAnswer(invoice, answer));

/** Parses a list of invoices and returns those with this reference. Throws on anything else. */
export const readInvoices = (answer: unknown, key: string): ProvidedInvoice[] =>
  parseAnswer(invoices, answer).data.flatMap((one) => (one.external_id === key ? [provided(one)] : []));

function parseAnswer<Shape extends z.ZodType>(shape: Shape, answer: unknown): z.infer<Shape> {
  const { success, data, error } = shape.safeParse(answer);
  if (success) return data;
  const paths = error.issues.map(({ path }) => path.join('.'));
  logError('Facturapi answered what is not an invoice of theirs', error, { paths });
  throw error;
}

const provided = ({ id, status, cancellation_status, total }: AnsweredInvoice): ProvidedInvoice => ({
  id,
  status: STATUS[status],
  cancellation: status === 'canceled' ? 'accepted' : CANCELLATION[cancellation_status ?? 'none'],
  totalCents: Math.round(total * 100),
});

/** Reads a downloaded PDF. Throws on anything else, such as an error page of a proxy. */
export async function readPdf(download: unknown): Promise<Uint8Array> {
  const bytes = await readBytes(download);
  if (bytes.toString('latin1', 0, 5) !== '%PDF-') throw new Error('not a PDF');
  return bytes;
}

/** Reads a downloaded CFDI. Throws on anything else. */
export async function readXml(download: unknown): Promise<Uint8Array> {
  const bytes = await readBytes(download);
  if (!bytes.includes('<cfdi:Comprobante')) throw new Error('not a CFDI');
  return bytes;
}

// The SDK returns a stream for what it takes for a file, and a string for other types such as `text/xml`.
async function readBytes(download: unknown): Promise<Buffer> {
  if (typeof download === 'string') return Buffer.from(download);
  if (download instanceof Readable) return buffer(download);
  throw new Error('not a file');
}
