import type { FastifyInstance } from 'fastify';
import { HARDENING_HEADERS } from '../../../shared/http/headers.ts';
import { once } from '../../../shared/runtime/async.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { isFromThisMachine } from '../engines/ports.ts';
import { PAYMENTS_PATH } from '../environment.ts';
import { PAGE_POLICY, writeMissingPage, writePaymentPage } from './page.ts';
import { makeSandboxCall } from './sandbox/calls.ts';
import { OUTCOMES, type Outcome } from './sandbox/record.ts';
import { SandboxPayments, type ShownPayment } from './sandbox/sandbox.ts';

/**
 * The sandbox calls as a real provider may: `twice` each time, or `late`, when a call waits for the next outcome and
 * arrives after that one's.
 */
export const CALLING = ['at once', 'twice', 'late'] as const;
export type Calling = (typeof CALLING)[number];

type Options = {
  readonly stage: string;
  readonly calling?: Calling | undefined;
  readonly report: (line: string) => void;
};

type Page = { readonly Params: { readonly id: string } };
type Call = ReturnType<typeof makeSandboxCall>;

/** Serves the page of each payment of the sandbox; the outcome that is posted to it is followed by the provider's call. */
export function addPaymentPages(app: FastifyInstance, { stage, report, calling = 'at once' }: Options): void {
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
    await callProviderRoute(payment, `http://${host}/${stage}${PROVIDER_ROUTE}`);
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
const PROVIDER_ROUTE = '/api/payments/stripe/';
const isOutcome = (outcome: string): outcome is Outcome => OUTCOMES.some((one) => one === outcome);

// With `no-referrer`, a browser would not say that the form is of this machine.
const HEADERS = {
  ...HARDENING_HEADERS,
  'Content-Security-Policy': PAGE_POLICY,
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  'Content-Type': 'text/html; charset=utf-8',
};
