import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import sdk from 'facturapi';
import * as z from 'zod';
import { logError } from '../../runtime/log.ts';
import {
  type DocumentFiles,
  type DocumentReference,
  type InvoicingProvider,
  OutcomeUnknown,
  type ProvidedDocument,
  ProviderUnavailable,
} from '../provider.ts';
import type { FiscalDocument } from '../rules/build/cfdi.ts';
import { ISSUE_TIME } from '../rules/place-of-issue.ts';
import type { Cancellation } from '../rules/tax-document.ts';
import { toCancelOptions, toRequestBody } from './body.ts';
import { cancellingFailure, isNotCancelable, isReceiptMissing, issuingFailure, unavailability } from './failure.ts';

// Under Node the import is CommonJS, and its default export is a namespace; in a bundle it is the class.
const Facturapi = sdk.default ?? sdk;
type Invoices = InstanceType<typeof Facturapi>['invoices'];

// Facturapi does not enforce unique references; among several invoices, the first of these statuses counts.
const RANK: readonly ProvidedDocument['status'][] = ['valid', 'pending', 'cancelled', 'failed'];

export type FacturapiAccess = {
  /** Read for every call, so that a new key takes effect at once. */
  readonly key: () => Promise<string>;
  /** The base address with the version: `https://www.facturapi.io/v2`. */
  readonly url: string;
};

/** Issues invoices through Facturapi's own SDK (https://docs.facturapi.io). */
export class FacturapiInvoicing implements InvoicingProvider {
  readonly #access: FacturapiAccess;

  constructor(access: FacturapiAccess) {
    this.#access = access;
  }

  async issue(document: FiscalDocument, reference: DocumentReference, signal: AbortSignal): Promise<ProvidedDocument> {
    const invoices = await this.#open(signal);
    try {
      return readInvoice(await invoices.create(toRequestBody(document, reference)));
    } catch (error) {
      const failure = issuingFailure(error);
      const isPerhapsIssued = failure instanceof OutcomeUnknown && !signal.aborted;
      const match = isPerhapsIssued ? await this.find(reference.key, signal).catch(() => undefined) : undefined;
      if (match) return match;
      throw failure;
    }
  }

  async find(key: string, signal: AbortSignal): Promise<ProvidedDocument | undefined> {
    const invoices = await this.#open(signal);
    try {
      const matches = readInvoices(await invoices.list({ external_id: key }), key);
      if (matches.length > 1)
        logError('several invoices of one reference', new Error('several'), { ids: matches.map(({ id }) => id) });
      return matches.toSorted((a, b) => RANK.indexOf(a.status) - RANK.indexOf(b.status))[0];
    } catch (error) {
      throw unavailability(error);
    }
  }

  async files(id: string, signal: AbortSignal): Promise<DocumentFiles> {
    const invoices = await this.#open(signal);
    try {
      const [pdf, xml] = await Promise.all([
        invoices.downloadPdf(id).then(readPdf),
        invoices.downloadXml(id).then(readXml),
      ]);
      return { pdf, xml };
    } catch (error) {
      throw unavailability(error);
    }
  }

  async receipt(id: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const invoices = await this.#open(signal);
    try {
      return await readReceipt(await invoices.downloadCancellationReceiptXml(id));
    } catch (error) {
      if (isReceiptMissing(error)) return undefined;
      throw unavailability(error);
    }
  }

  async cancel(id: string, cancellation: Cancellation, signal: AbortSignal): Promise<ProvidedDocument> {
    const invoices = await this.#open(signal);
    let present: ProvidedDocument | undefined;
    try {
      present = readInvoice(await invoices.retrieve(id));
      // Facturapi refuses to cancel an invoice that is already cancelled or being cancelled.
      if (present.status !== 'valid' || present.cancellation === 'pending') return present;
      return readInvoice(await invoices.cancel(id, toCancelOptions(cancellation)));
    } catch (error) {
      if (present && isNotCancelable(error)) return { ...present, cancellation: 'not_cancelable' };
      throw cancellingFailure(error);
    }
  }

  async #open(signal: AbortSignal): Promise<Invoices> {
    const { key, url } = this.#access;
    try {
      signal.throwIfAborted();
      // A connection opened before the function was frozen may be dead, and a call on it has an unknown outcome.
      const facturapi = new Facturapi(await key(), { headers: { Connection: 'close' } });
      facturapi.BASE_URL = url;
      return withSignal(facturapi.invoices, signal);
    } catch (cause) {
      throw new ProviderUnavailable(cause);
    }
  }
}

/** The SDK has no timeout, but passes request options on to `fetch`, where the signal ends the request and its answer. */
function withSignal(invoices: Invoices, signal: AbortSignal): Invoices {
  const { client } = invoices;
  const request: typeof client.request = (path, options) => {
    const bounded = { ...options, signal };
    return client.request(path, bounded);
  };
  invoices.client = { ...client, request };
  return invoices;
}

const STATUS = { pending: 'pending', valid: 'valid', failed: 'failed', canceled: 'cancelled' } as const;

// `verifying`: SAT is checking the request (Facturapi's guide of cancellations, "Flujo de cancelación y estados").
const CANCELLATION = {
  none: 'none',
  verifying: 'pending',
  pending: 'pending',
  accepted: 'accepted',
  rejected: 'rejected',
  expired: 'expired',
} as const;

const getKeys = <Key extends string>(table: Readonly<Record<Key, unknown>>) => Object.keys(table) as Key[];

const invoice = z.object({
  // Facturapi's ids have 24 digits. Our API allows 30 characters, and the id becomes part of a path.
  id: z.string().regex(/^[\w-]{1,30}$/),
  status: z.enum(getKeys(STATUS)),
  cancellation_status: z.enum(getKeys(CANCELLATION)).nullish(),
  type: z.string().nullish(),
  total: z.number().nonnegative(),
  /** The total of a payment complement (type P), whose `total` is 0. */
  total_payment_amount: z.number().nonnegative().nullish(),
  external_id: z.string().nullish(),
  uuid: z.string().nullish(),
  series: z.string().nullish(),
  folio_number: z.union([z.number(), z.string()]).nullish(),
  // With an offset, or the local time of the place of issue as in the CFDI.
  stamp: z.object({ date: z.string().regex(ISSUE_TIME).nullish() }).nullish(),
  // Required in every object (OpenAPI v2, ResourceAutoGeneratedProps); a document without it counts as a test.
  livemode: z.boolean().default(false),
});
const invoices = z.object({ data: z.array(invoice) });

type AnsweredInvoice = z.infer<typeof invoice>;

/** Parses an invoice, as the SDK does not check its types at run time. Throws on anything else. */
const readInvoice = (answer: unknown): ProvidedDocument => toProvided(parseAnswer(invoice, answer));

/** Parses a list of invoices and returns those with this reference. Throws on anything else. */
const readInvoices = (answer: unknown, key: string): ProvidedDocument[] =>
  parseAnswer(invoices, answer).data.flatMap((item) => (item.external_id === key ? [toProvided(item)] : []));

function parseAnswer<Shape extends z.ZodType>(shape: Shape, answer: unknown): z.infer<Shape> {
  const { success, data, error } = shape.safeParse(answer);
  if (success) return data;
  const paths = error.issues.map(({ path }) => path.join('.'));
  logError('Facturapi answered what is not an invoice of theirs', error, { paths });
  throw error;
}

const toProvided = ({
  id,
  status,
  cancellation_status,
  total,
  livemode,
  ...answer
}: AnsweredInvoice): ProvidedDocument => ({
  id,
  status: STATUS[status],
  cancellation: status === 'canceled' ? 'accepted' : CANCELLATION[cancellation_status ?? 'none'],
  totalCents: Math.round((answer.type === 'P' ? (answer.total_payment_amount ?? total) : total) * 100),
  stamp: readStamp(answer),
  isLive: livemode,
});

function readStamp({ uuid, series, folio_number: folio, stamp }: Partial<AnsweredInvoice>): ProvidedDocument['stamp'] {
  if (!uuid || !stamp?.date) return null;
  return { uuid, series: series ?? '', folio: String(folio ?? ''), at: stamp.date };
}

/** Throws on anything but a PDF, such as a proxy's error page. */
async function readPdf(download: unknown): Promise<Uint8Array> {
  const bytes = await readDownload(download);
  if (bytes.toString('latin1', 0, 5) !== '%PDF-') throw new Error('not a PDF');
  return bytes;
}

async function readXml(download: unknown): Promise<Uint8Array> {
  const bytes = await readDownload(download);
  if (!bytes.includes('<cfdi:Comprobante')) throw new Error('not a CFDI');
  return bytes;
}

// Facturapi documents the format of the receipt, XML, and not its elements.
const XML_BUT_NOT_HTML = /^\uFEFF?\s*<(?!!doctype html|html)/i;

async function readReceipt(download: unknown): Promise<Uint8Array> {
  const bytes = await readDownload(download);
  if (!XML_BUT_NOT_HTML.test(bytes.toString())) throw new Error('not a receipt of a cancellation');
  return bytes;
}

// The SDK returns a stream for some content types and a string for others such as `text/xml`.
async function readDownload(download: unknown): Promise<Buffer> {
  if (typeof download === 'string') return Buffer.from(download);
  if (download instanceof Readable) return buffer(download);
  throw new Error('not a file');
}
