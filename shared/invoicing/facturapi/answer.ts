import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { logError } from '../../runtime/log.ts';
import type { ProvidedInvoice } from '../provider.ts';

const STATUS = { pending: 'pending', valid: 'valid', failed: 'failed', canceled: 'cancelled' } as const;

// `verifying`: SAT has the request and looks at it. `expired`: the receiver let it pass, and the invoice stands.
const CANCELLATION = {
  none: 'none',
  verifying: 'pending',
  pending: 'pending',
  accepted: 'accepted',
  rejected: 'rejected',
  expired: 'rejected',
} as const;

const keysOf = <Key extends string>(table: Readonly<Record<Key, unknown>>) => Object.keys(table) as Key[];

const invoice = z.object({
  // Theirs has 24 digits; longer than 30 would not fit the interface, and it is a part of a path.
  id: z.string().regex(/^[\w-]{1,30}$/),
  status: z.enum(keysOf(STATUS)),
  cancellation_status: z.enum(keysOf(CANCELLATION)).nullish(),
  total: z.number().nonnegative(),
  external_id: z.string().nullish(),
});
const invoices = z.object({ data: z.array(invoice) });

type AnsweredInvoice = z.infer<typeof invoice>;

/** An invoice out of an answer of Facturapi, whose types promise more than they check. Throws on anything else. */
export const readInvoice = (answer: unknown): ProvidedInvoice => provided(read(invoice, answer));

/** Those of a list that have this reference. Throws on anything else. */
export const readInvoices = (answer: unknown, key: string): ProvidedInvoice[] =>
  read(invoices, answer).data.flatMap((one) => (one.external_id === key ? [provided(one)] : []));

function read<Shape extends z.ZodType>(shape: Shape, answer: unknown): z.infer<Shape> {
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

/** A downloaded PDF. Throws if it is something else, as what stands before a server answers with pages of its own. */
export async function readPdf(download: unknown): Promise<Uint8Array> {
  const bytes = await bytesOf(download);
  if (bytes.toString('latin1', 0, 5) !== '%PDF-') throw new Error('not a PDF');
  return bytes;
}

/** A downloaded CFDI. Throws if it is something else. */
export async function readXml(download: unknown): Promise<Uint8Array> {
  const bytes = await bytesOf(download);
  if (!bytes.includes('<cfdi:Comprobante')) throw new Error('not a CFDI');
  return bytes;
}

// The SDK makes a stream of what it takes for a file, and a text of other types, `text/xml` among them.
async function bytesOf(download: unknown): Promise<Buffer> {
  if (typeof download === 'string') return Buffer.from(download);
  if (download instanceof Readable) return buffer(download);
  throw new Error('not a file');
}
