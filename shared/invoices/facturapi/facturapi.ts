import sdk from 'facturapi';
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
import type { Cancellation } from '../rules/tax-document.ts';
import { readInvoice, readInvoices, readPdf, readReceipt, readXml } from './answer.ts';
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
