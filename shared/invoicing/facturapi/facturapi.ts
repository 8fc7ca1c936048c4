import sdk, { CancellationMotive } from 'facturapi';
import type { Invoice } from '../../domain/invoices/cfdi.ts';
import { logError } from '../../runtime/log.ts';
import {
  type InvoiceFiles,
  type InvoiceReference,
  type InvoicingProvider,
  OutcomeUnknown,
  type ProvidedInvoice,
  ProviderUnavailable,
} from '../provider.ts';
import { readInvoice, readInvoices, readPdf, readXml } from './answer.ts';
import { toRequestBody } from './body.ts';
import { issuingFailure, isUncancellable, unavailability } from './failure.ts';

// Under Node the import is CommonJS, and its default export is a namespace; in a bundle it is the class.
const Facturapi = sdk.default ?? sdk;
type Invoices = InstanceType<typeof Facturapi>['invoices'];

// Facturapi does not enforce unique references; among several invoices, the first of these statuses counts.
const RANK: readonly ProvidedInvoice['status'][] = ['valid', 'pending', 'cancelled', 'failed'];

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

  async issue(invoice: Invoice, reference: InvoiceReference, signal: AbortSignal): Promise<ProvidedInvoice> {
    const invoices = await this.#open(signal);
    try {
      const issued = readInvoice(await invoices.create(toRequestBody(invoice, reference)));
      reportOtherTotal(issued, invoice);
      return issued;
    } catch (error) {
      const failure = issuingFailure(error);
      const isPerhapsIssued = failure instanceof OutcomeUnknown && !signal.aborted;
      const found = isPerhapsIssued ? await this.find(reference.key, signal).catch(() => undefined) : undefined;
      if (found) return found;
      throw failure;
    }
  }

  async find(key: string, signal: AbortSignal): Promise<ProvidedInvoice | undefined> {
    const invoices = await this.#open(signal);
    try {
      const found = readInvoices(await invoices.list({ external_id: key }), key);
      if (found.length > 1)
        logError('several invoices of one reference', new Error('several'), { ids: found.map(({ id }) => id) });
      return found.toSorted((a, b) => RANK.indexOf(a.status) - RANK.indexOf(b.status))[0];
    } catch (error) {
      throw unavailability(error);
    }
  }

  async files(id: string, signal: AbortSignal): Promise<InvoiceFiles> {
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

  async cancel(id: string, signal: AbortSignal): Promise<ProvidedInvoice> {
    const invoices = await this.#open(signal);
    let present: ProvidedInvoice | undefined;
    try {
      present = readInvoice(await invoices.retrieve(id));
      // Facturapi refuses to cancel an invoice that is already cancelled or being cancelled.
      if (present.status !== 'valid' || present.cancellation === 'pending') return present;
      return readInvoice(await invoices.cancel(id, { motive: CancellationMotive.NO_SE_CONCRETO }));
    } catch (error) {
      if (present && isUncancellable(error)) return { ...present, cancellation: 'rejected' };
      throw unavailability(error);
    }
  }

  /** Returns the SDK's calls on invoices, all of which end when the signal aborts. */
  async #open(signal: AbortSignal): Promise<Invoices> {
    const { key, url } = this.#access;
    try {
      signal.throwIfAborted();
      // A connection that was open while the function was frozen may be dead, and a call on it has an unknown outcome.
      const facturapi = new Facturapi(await key(), { headers: { Connection: 'close' } });
      facturapi.BASE_URL = url;
      return ending(facturapi.invoices, signal);
    } catch (cause) {
      throw new ProviderUnavailable(cause);
    }
  }
}

/**
 * The SDK has no timeout, but passes every request option on to `fetch`. A signal passed this way ends the request and the
 * reading of its answer; tests check that.
 */
function ending(invoices: Invoices, signal: AbortSignal): Invoices {
  const { client } = invoices;
  const request: typeof client.request = (path, options) => {
    const bounded = { ...options, signal };
    return client.request(path, bounded);
  };
  invoices.client = { ...client, request };
  return invoices;
}

function reportOtherTotal({ id, totalCents }: ProvidedInvoice, invoice: Invoice): void {
  if (Math.abs(totalCents - invoice.totalCents) <= 1) return;
  const fields = { id, invoicedCents: totalCents, orderedCents: invoice.totalCents };
  logError('an invoice has another total than its order', new Error('another total'), fields);
}
