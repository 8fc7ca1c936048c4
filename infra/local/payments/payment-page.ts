import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { formatCents } from '../../../shared/domain/money.ts';
import { HARDENING_HEADERS } from '../../../shared/http/headers.ts';
import { escapeHtml } from '../../../shared/mail/compose-mail.ts';
import { once } from '../../../shared/runtime/async.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { STAGE } from '../../gateway-answers.ts';
import { isFromThisMachine } from '../engines/ports.ts';
import { PAYMENTS_PATH } from '../environment.ts';
import { OUTCOMES, type Outcome } from './sandbox/record.ts';
import { makeSandboxCall, SandboxPayments, type ShownPayment } from './sandbox/sandbox.ts';

/* The page on which a payment of the sandbox is decided. It is for people who see the shop, so it is in Spanish. */

/**
 * The sandbox calls as a real provider may: `twice` each time, or `late`, when a call waits for the next outcome and
 * arrives after that one's.
 */
export const CALLING = ['at once', 'twice', 'late'] as const;
export type Calling = (typeof CALLING)[number];

type Options = {
  readonly calling?: Calling | undefined;
  readonly report: (line: string) => void;
};

type Page = { readonly Params: { readonly id: string } };
type Call = ReturnType<typeof makeSandboxCall>;

/** Serves the page of each payment of the sandbox; the outcome that is posted to it is followed by the provider's call. */
export function addPaymentPages(app: FastifyInstance, { report, calling = 'at once' }: Options): void {
  const sandbox = once(() => new SandboxPayments({ table: openTable(), pageUrl: '', now }));
  const waiting: Call[] = [];
  const page = `${PAYMENTS_PATH}/:id`;

  app.get<Page>(page, async ({ params: { id } }, reply) => {
    const payment = await sandbox().show(id, timeLimit());
    reply.headers(HEADERS).code(payment ? 200 : 404);
    return payment ? writePaymentPage(payment) : writeMissingPage();
  });

  app.post<Page>(page, async ({ params: { id }, body, host, raw }, reply) => {
    const payment = await sandbox().show(id, timeLimit());
    reply.headers(HEADERS);
    if (!payment) return reply.code(404).send(writeMissingPage());
    const outcome = new URLSearchParams(String(body ?? '')).get('outcome') ?? '';
    if (!isOutcome(outcome)) return reply.code(400).send(writePaymentPage(payment));
    // Another site's page could pay an order with a form of its own.
    if (!isFromThisMachine(raw)) return reply.code(403).send(writePaymentPage(payment));
    await sandbox().decide(id, outcome, timeLimit());
    await callProviderRoute(payment, `http://${host}${PROVIDER_ROUTE}`);
    return reply.redirect(`${PAYMENTS_PATH}/${id}`, 303);
  });

  async function callProviderRoute({ orderId, attempt }: ShownPayment, url: string): Promise<void> {
    const call = makeSandboxCall({ orderId, attempt, about: 'payment' }, now());
    if (calling === 'late' && waiting.length === 0) return void waiting.push(call);
    const calls = calling === 'twice' ? [call, call] : [call, ...waiting.splice(0)];
    for (const each of calls) await send(url, each);
  }

  async function send(url: string, { body, signature }: Call): Promise<void> {
    const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': signature };
    try {
      const answer = await fetch(url, { method: 'POST', headers, body, signal: timeLimit() });
      await answer.body?.cancel();
      if (!answer.ok) report(`The sandbox's call was answered ${answer.status}.`);
    } catch (error) {
      report(`The sandbox's call failed: ${error}`);
    }
  }
}

const timeLimit = () => AbortSignal.timeout(20_000);
const PROVIDER_ROUTE = `/${STAGE}/api/payments/stripe/`;
const isOutcome = (outcome: string): outcome is Outcome => OUTCOMES.some((one) => one === outcome);

const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

// With `no-referrer`, a browser would not say that the form is of this machine.
const HEADERS = {
  ...HARDENING_HEADERS,
  'Content-Security-Policy': PAGE_POLICY,
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  'Content-Type': 'text/html; charset=utf-8',
};

const METHODS: Readonly<Record<ShownPayment['method'], string>> = {
  card: 'Tarjeta en línea',
  oxxo: 'Número para OXXO',
  spei: 'CLABE para SPEI',
};

const STATUSES: Readonly<Record<ShownPayment['status'], string>> = {
  open: 'Pendiente de pago.',
  processing: 'En proceso.',
  partly_paid: 'Pagado en parte.',
  paid: 'Se recibió el pago.',
  failed: 'El pago se rechazó. El pedido admite otro intento.',
  expired: 'El plazo para pagar terminó. El pedido admite otro intento.',
  cancelled: 'Esta referencia ya no se usa.',
};

const isUndecided = ({ status }: ShownPayment): boolean => ['open', 'processing', 'partly_paid'].includes(status);

function writePaymentPage(payment: ShownPayment): string {
  const { folio, amountCents, method, reference, returnUrl, status } = payment;
  return writePage(
    `Pedido ${folio}`,
    `<p class="total">Total <strong>$${formatCents(amountCents)}</strong> MXN</p>
<p>${METHODS[method]}: ${escapeHtml(reference)}</p>
<p role="status">${STATUSES[status]}</p>
${isUndecided(payment) ? FORM : ''}
${status === 'paid' && returnUrl ? `<p><a href="${escapeHtml(returnUrl)}">Volver a la tienda</a></p>` : ''}`,
  );
}

const writeMissingPage = (): string => writePage('No hay un pago con esta dirección');

const FORM = `<form method="post">
  <button class="paid" name="outcome" value="paid">Pagado</button>
  <button name="outcome" value="rejected">Rechazado</button>
  <button name="outcome" value="expired">Vencido</button>
</form>`;

const writePage = (title: string, body = ''): string => `<!doctype html>
<html lang="es-MX">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Botica</title>
<link rel="icon" href="data:,">
<style>${readStyle()}</style>
</head>
<body>
<main>
<p>Botica · Pago de prueba: no se cobra nada</p>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;

const readStyle = (): string =>
  ['../../docs/colours.css', 'page.css'].map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('');
