import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { type FakeAnswer as Answer, loopback, type NetworkFault, sendAnswer } from '../http/loopback.ts';

/** The fault of a call. An answer replaces the ordinary one, and nothing is done. `stamp later` leaves the invoice pending. */
export type Outcome = Answer | NetworkFault | 'stamp later';

export type FacturapiCall = {
  readonly method: string;
  /** True with the live key. */
  readonly livemode: boolean;
  /** The path after `/v2`, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields that they expect
  readonly body: any;
};

type StoredInvoice = {
  readonly id: string;
  readonly external_id: string;
  readonly idempotency_key: string;
  readonly type: string;
  readonly total: number;
  /** The payments of a payment complement. */
  readonly total_payment_amount?: number;
  status: 'pending' | 'valid' | 'failed' | 'canceled';
  cancellation_status: 'none' | 'verifying' | 'pending' | 'accepted' | 'rejected' | 'expired';
  readonly livemode?: boolean;
  readonly uuid?: string;
  readonly series?: string;
  readonly folio_number?: number;
  readonly stamp?: { readonly date: string };
};

export type FacturapiServer = Awaited<ReturnType<typeof openFacturapi>>;

/** Returns an error in Facturapi's format. */
export const refusal = (status: number, code: string, errors: readonly object[] = []): Answer => ({
  status,
  body: { ok: false, message: 'El mensaje puede cambiar: ANA MUÑOZ & HIJOS', status, code, errors },
  headers: { 'X-Facturapi-Log-Id': 'log-1', ...(status === 429 && { 'Retry-After': '30' }) },
});

/** Opens a fake Facturapi for one organization on loopback. It follows the documentation of API v2 of August 2026. */
export async function openFacturapi() {
  const key = `sk_test_${randomUUID()}`;
  const liveKey = `sk_live_${randomUUID()}`;
  const invoices: StoredInvoice[] = [];
  const calls: FacturapiCall[] = [];
  let choose: (call: FacturapiCall) => Outcome | undefined = () => undefined;

  const {
    url,
    server: http,
    close,
  } = await loopback(async (request, response) => {
    const used = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    const call = await readCall(request, used === liveKey);
    if (![key, liveKey].includes(used)) return sendAnswer(response, refusal(401, 'api_key_invalid'));
    calls.push(call);
    const fault = choose(call);
    if (typeof fault === 'object') return sendAnswer(response, fault);
    if (fault === 'hang' || fault === 'drop') return sendAnswer(response, {}, fault);
    const stampDate = server.stampDate ?? new Date().toISOString();
    const answer = serve(invoices, call, { status: fault === 'stamp later' ? 'pending' : 'valid', stampDate });
    sendAnswer(response, answer, fault === 'stamp later' ? undefined : fault);
  });

  const server = {
    /** The base URL with the version, as in `FACTURAPI_URL`. */
    url: `${url}/v2`,
    /** The test key, and the live key, under which documents have fiscal validity. */
    key,
    liveKey,
    calls: calls as readonly FacturapiCall[],
    invoices: invoices as readonly StoredInvoice[],
    /** The date of later stamps as it is answered, with an offset or as local time; without it, that of the machine in UTC. */
    stampDate: undefined as string | undefined,
    /** Sets the faults of later calls, none by default, empties the list of calls, and forgets `stampDate`. */
    script(chosen: typeof choose = () => undefined): void {
      choose = chosen;
      server.stampDate = undefined;
      calls.length = 0;
    },
    /** Returns the number of open connections, which is 0 when every call has ended. */
    connections: () => new Promise<number>((resolve) => http.getConnections((_, count) => resolve(count))),
    close,
  };
  return server;
}

type Stamping = { readonly status: 'valid' | 'pending'; readonly stampDate: string };

async function readCall(request: IncomingMessage, livemode: boolean): Promise<FacturapiCall> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const body = await text(request);
  return {
    method: request.method ?? '',
    livemode,
    path: pathname.replace(/^\/v2/, ''),
    query: searchParams,
    body: body === '' ? undefined : JSON.parse(body),
  };
}

function serve(invoices: StoredInvoice[], call: FacturapiCall, stamp: Stamping): Answer {
  const { method, path } = call;
  if (method === 'POST' && path === '/invoices') return create(invoices, call, stamp);
  if (method === 'GET' && path === '/invoices') return list(invoices, call);
  const [, , id, format, receipt] = path.split('/');
  const invoice = invoices.find((one) => one.id === id);
  if (!invoice) return refusal(404, 'invoice_not_found');
  if (method === 'GET' && format === 'cancellation_receipt') return downloadReceipt(invoice, receipt);
  if (method === 'GET' && format !== undefined) return download(invoice, format);
  if (method === 'DELETE') return cancel(invoices, invoice, call);
  return ok(invoice);
}

const ok = (body: unknown): Answer => ({ status: 200, body });

function create(invoices: StoredInvoice[], { body, livemode }: FacturapiCall, { status, stampDate }: Stamping): Answer {
  const type: string = body.type ?? 'I';
  // This zip code does not exist in Mexico, so no receiver is registered there.
  if (body.customer.address.zip === '00000') return refusal(400, 'tax_address_zip_mismatch');
  if (invoices.some((one) => one.idempotency_key === body.idempotency_key)) {
    return refusal(409, 'idempotency_key_in_use');
  }
  const invoice: StoredInvoice = {
    id: randomBytes(12).toString('hex'),
    external_id: body.external_id,
    idempotency_key: body.idempotency_key,
    type,
    ...(type === 'P'
      ? { total: 0, total_payment_amount: calculatePayment(body.complements) }
      : { total: calculateTotal(body.items) }),
    status,
    cancellation_status: 'none',
    livemode,
    uuid: randomUUID().toUpperCase(),
    series: 'F',
    folio_number: invoices.length + 1,
    stamp: { date: stampDate },
  };
  invoices.push(invoice);
  return { status: status === 'valid' ? 200 : 202, body: invoice };
}

type Payment = {
  readonly related_documents: readonly { readonly amount: number }[];
};

const calculatePayment = ([complement]: readonly { readonly data: readonly Payment[] }[]): number =>
  (complement?.data ?? []).flatMap((one) => one.related_documents).reduce((sum, { amount }) => sum + amount, 0);

type Item = {
  readonly quantity?: number;
  readonly discount?: number;
  readonly product: {
    readonly price: number;
    readonly tax_included?: boolean;
    readonly taxes?: readonly { readonly rate: number; readonly base?: number }[];
  };
};

const DEFAULT_TAX: { rate: number; base?: number } = { rate: 0.16 };
const roundToCents = (amount: number): number => Math.round(amount * 100 + 1e-6) / 100;

// Facturapi's defaults: an item without taxes has 16 % IVA, and prices include it unless `tax_included` is false.
function calculateTotal(items: readonly Item[]): number {
  let [subtotal, discounts] = [0, 0];
  const taxes = new Map<number, number>();
  for (const { quantity = 1, discount = 0, product } of items) {
    const { tax_included = true, taxes: [tax = DEFAULT_TAX, ...others] = [] } = product;
    const price = tax_included ? product.price / (1 + tax.rate) : product.price;
    subtotal += price * quantity;
    discounts += discount;
    for (const { rate, base = price * quantity - discount } of [tax, ...others])
      taxes.set(rate, (taxes.get(rate) ?? 0) + base * rate);
  }
  const taxed = taxes.values().reduce((sum, amount) => sum + roundToCents(amount), 0);
  return roundToCents(roundToCents(subtotal) - roundToCents(discounts) + taxed);
}

function list(invoices: readonly StoredInvoice[], { query, livemode }: FacturapiCall): Answer {
  const ofMode = invoices.filter((one) => one.livemode === livemode);
  const data = ofMode.filter((one) => one.external_id === query.get('external_id'));
  return ok({ page: 1, total_pages: 1, total_results: data.length, data });
}

function download(invoice: StoredInvoice, format: string): Answer {
  if (invoice.status === 'pending') return refusal(409, 'invoice_not_stamped');
  const files: Record<string, string> = {
    pdf: `%PDF-1.7\n% ${invoice.id}`,
    xml: `<?xml version="1.0"?><cfdi:Comprobante Version="4.0" Total="${invoice.total}"/>`,
  };
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': `attachment; filename=${invoice.id}.${format}`,
  };
  return { status: 200, body: Buffer.from(files[format] ?? ''), headers };
}

function downloadReceipt(invoice: StoredInvoice, format: string | undefined): Answer {
  if (format !== 'xml') return refusal(404, 'not_found');
  if (invoice.status !== 'canceled') return refusal(409, 'invoice_cancellation_receipt_unavailable');
  const headers = { 'Content-Type': 'application/octet-stream' };
  const body = `<?xml version="1.0"?><Acuse><Folios><UUID>${invoice.uuid}</UUID></Folios></Acuse>`;
  return { status: 200, body: Buffer.from(body), headers };
}

function cancel(invoices: readonly StoredInvoice[], invoice: StoredInvoice, { query }: FacturapiCall): Answer {
  if (!['01', '02', '03', '04'].includes(query.get('motive') ?? '')) return refusal(400, 'invalid_request');
  const substitution = query.get('substitution');
  if (query.get('motive') === '01') {
    if (!substitution) return refusal(400, 'substitution_invoice_required');
    const other = invoices.find(({ id, uuid }) => [id, uuid].includes(substitution));
    if (!other) return refusal(404, 'substitution_invoice_not_found');
    if (other.status !== 'valid') return refusal(409, 'substitution_invoice_status_not_allowed');
  }
  const isWaiting = ['pending', 'verifying'].includes(invoice.cancellation_status);
  if (invoice.status !== 'valid' || isWaiting) return refusal(409, 'invoice_cancellation_in_progress');
  Object.assign(invoice, { status: 'canceled', cancellation_status: 'accepted' });
  return ok(invoice);
}
