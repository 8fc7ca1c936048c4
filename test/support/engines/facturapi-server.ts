import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Answer = { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> };

/**
 * The fault of a call. An `Answer` replaces the ordinary one. `hang` sends no answer; `stall` sends half of it. The
 * connection closes before the call is done (`drop`), after it is done (`lose reply`) or in the middle of the answer
 * (`break off`). `stamp later` leaves the invoice pending.
 */
export type Fate = Answer | 'hang' | 'drop' | 'lose reply' | 'break off' | 'stall' | 'stamp later';

export type FacturapiCall = {
  readonly method: string;
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
  readonly total: number;
  status: 'pending' | 'valid' | 'failed' | 'canceled';
  cancellation_status: 'none' | 'verifying' | 'pending' | 'accepted' | 'rejected' | 'expired';
};

export type FacturapiServer = {
  /** The base URL with the version, as in `FACTURAPI_URL`. */
  readonly url: string;
  readonly key: string;
  readonly calls: readonly FacturapiCall[];
  readonly invoices: readonly StoredInvoice[];
  /** Sets the faults of later calls, none by default, and empties the list of calls. */
  script(choose?: (call: FacturapiCall) => Fate | undefined): void;
  /** Returns the number of open connections, which is 0 when every call has ended. */
  connections(): Promise<number>;
  close(): Promise<void>;
};

/** Returns an error in Facturapi's format. */
export const refusal = (status: number, code: string, errors: readonly object[] = []): Answer => ({
  status,
  body: { ok: false, message: 'El mensaje puede cambiar: ANA MUÑOZ & HIJOS', status, code, errors },
  headers: { 'X-Facturapi-Log-Id': 'log-1', ...(status === 429 && { 'Retry-After': '30' }) },
});

/** Opens a fake Facturapi for one organization on loopback. It follows the documentation of API v2 of August 2026. */
export async function openFacturapi(): Promise<FacturapiServer> {
  const key = `sk_test_${randomUUID()}`;
  const invoices: StoredInvoice[] = [];
  const calls: FacturapiCall[] = [];
  let choose: (call: FacturapiCall) => Fate | undefined = () => undefined;

  const server = createServer(async (request, response) => {
    const call = await readCall(request);
    if (request.headers.authorization !== `Bearer ${key}`) return send(response, refusal(401, 'api_key_invalid'));
    calls.push(call);
    const fault = choose(call);
    if (fault === 'hang') return;
    if (fault === 'drop') return void request.socket.destroy();
    if (typeof fault === 'object') return send(response, fault);
    const answer = serve(invoices, call, fault === 'stamp later' ? 'pending' : 'valid');
    if (fault === 'lose reply') return void request.socket.destroy();
    if (fault === 'break off') return sendHalf(response, answer, () => response.destroy());
    if (fault === 'stall') return sendHalf(response, answer);
    send(response, answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`,
    key,
    calls,
    invoices,
    script(chosen = () => undefined) {
      choose = chosen;
      calls.length = 0;
    },
    connections: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readCall(request: IncomingMessage): Promise<FacturapiCall> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const body = await text(request);
  return {
    method: request.method ?? '',
    path: pathname.replace(/^\/v2/, ''),
    query: searchParams,
    body: body === '' ? undefined : JSON.parse(body),
  };
}

function serve(invoices: StoredInvoice[], call: FacturapiCall, stamp: 'valid' | 'pending'): Answer {
  const { method, path } = call;
  if (method === 'POST' && path === '/invoices') return create(invoices, call, stamp);
  if (method === 'GET' && path === '/invoices') return list(invoices, call);
  const [, , id, format] = path.split('/');
  const invoice = invoices.find((one) => one.id === id);
  if (!invoice) return refusal(404, 'invoice_not_found');
  if (method === 'GET' && format !== undefined) return download(invoice, format);
  if (method === 'DELETE') return cancel(invoice, call);
  return ok(invoice);
}

const ok = (body: unknown): Answer => ({ status: 200, body });

function create(invoices: StoredInvoice[], { body }: FacturapiCall, status: 'valid' | 'pending'): Answer {
  for (const path of ['customer', 'items', 'payment_form', 'use']) {
    if (body[path] === undefined) return refusal(400, 'invalid_request', [{ code: 'required', path }]);
  }
  // This zip code does not exist in Mexico, so no receiver is registered there.
  if (body.customer.address.zip === '00000') return refusal(400, 'tax_address_zip_mismatch');
  if (invoices.some((one) => one.idempotency_key === body.idempotency_key)) {
    return refusal(409, 'idempotency_key_in_use');
  }
  const invoice: StoredInvoice = {
    id: randomBytes(12).toString('hex'),
    external_id: body.external_id,
    idempotency_key: body.idempotency_key,
    total: calculateTotal(body.items),
    status,
    cancellation_status: 'none',
  };
  invoices.push(invoice);
  return { status: status === 'valid' ? 200 : 202, body: invoice };
}

type Item = {
  readonly quantity?: number;
  readonly discount?: number;
  readonly product: {
    readonly price: number;
    readonly tax_included?: boolean;
    readonly taxes?: readonly { readonly rate: number }[];
  };
};

const roundToCents = (amount: number): number => Math.round(amount * 100 + 1e-6) / 100;

// Facturapi's defaults: an item without taxes has 16 % IVA, and prices include it unless `tax_included` is false.
function calculateTotal(items: readonly Item[]): number {
  let [subtotal, discounts] = [0, 0];
  const taxes = new Map<number, number>();
  for (const { quantity = 1, discount = 0, product } of items) {
    const { tax_included = true, taxes: [tax = { rate: 0.16 }] = [] } = product;
    const price = tax_included ? product.price / (1 + tax.rate) : product.price;
    subtotal += price * quantity;
    discounts += discount;
    taxes.set(tax.rate, (taxes.get(tax.rate) ?? 0) + (price * quantity - discount) * tax.rate);
  }
  const taxed = taxes.values().reduce((sum, amount) => sum + roundToCents(amount), 0);
  return roundToCents(roundToCents(subtotal) - roundToCents(discounts) + taxed);
}

function list(invoices: readonly StoredInvoice[], { query }: FacturapiCall): Answer {
  const data = invoices.filter((one) => one.external_id === query.get('external_id'));
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

function cancel(invoice: StoredInvoice, { query }: FacturapiCall): Answer {
  if (!['01', '02', '03', '04'].includes(query.get('motive') ?? '')) return refusal(400, 'invalid_request');
  const isWaiting = ['pending', 'verifying'].includes(invoice.cancellation_status);
  if (invoice.status !== 'valid' || isWaiting) return refusal(409, 'invoice_cancellation_in_progress');
  Object.assign(invoice, { status: 'canceled', cancellation_status: 'accepted' });
  return ok(invoice);
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const type = { 'Content-Type': typeof body === 'string' ? 'text/html' : 'application/json' };
  response.writeHead(status, { ...type, ...headers }).end(isRaw ? body : JSON.stringify(body));
}

function sendHalf(response: ServerResponse, { status, body, headers }: Answer, then?: () => void): void {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const sent = { 'Content-Type': 'application/json', ...headers, 'Content-Length': bytes.length };
  response.writeHead(status, sent).write(bytes.subarray(0, bytes.length / 2), then);
}
