import { HARDENING_HEADERS } from '../../../shared/http/headers.ts';
import { makeSandboxCall } from '../../../shared/payments/sandbox/calls.ts';
import { OUTCOMES, type Outcome } from '../../../shared/payments/sandbox/record.ts';
import { SandboxPayments, type ShownPayment } from '../../../shared/payments/sandbox/sandbox.ts';
import { once } from '../../../shared/runtime/async.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { isFromThisMachine } from '../engines/ports.ts';
import { PAYMENTS_PATH } from '../environment.ts';
import type { HttpAnswer } from '../gateway/answers.ts';
import { PAGE_POLICY, writeMissingPage, writePaymentPage } from './page.ts';

export const isPaymentPage = (pathname: string): boolean => pathname.startsWith(`${PAYMENTS_PATH}/`);

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

type Visit = {
  readonly message: {
    readonly method?: string | undefined;
    readonly headers: { readonly origin?: string | undefined; readonly host?: string | undefined };
  };
  readonly pathname: string;
  readonly body: Buffer;
};
type Call = ReturnType<typeof makeSandboxCall>;

/** Serves the page of each payment of the sandbox; the outcome that is posted to it is followed by the provider's call. */
export function createPaymentPages({ stage, report, calling = 'at once' }: Options) {
  const sandbox = once(() => new SandboxPayments({ table: openTable(), pageUrl: '', now }));
  const waiting: Call[] = [];

  return async function paymentPage({ message, pathname, body }: Visit): Promise<HttpAnswer> {
    const id = pathname.slice(PAYMENTS_PATH.length + 1);
    const signal = AbortSignal.timeout(LONGEST_MS);
    const payment = await sandbox().show(id, signal);
    if (!payment) return htmlAnswer(404, writeMissingPage());
    if (message.method === 'GET' || message.method === 'HEAD') return htmlAnswer(200, writePaymentPage(payment));
    const outcome = new URLSearchParams(body.toString()).get('outcome') ?? '';
    if (message.method !== 'POST' || !isOutcome(outcome)) return htmlAnswer(400, writePaymentPage(payment));
    // Another site's page could pay an order with a form of its own.
    if (!isFromThisMachine(message)) return htmlAnswer(403, writePaymentPage(payment));
    await sandbox().decide(id, outcome, signal);
    await callProviderRoute(payment, `http://${message.headers.host}/${stage}${PROVIDER_ROUTE}`);
    return { statusCode: 303, headers: { ...HEADERS, Location: pathname }, body: '' };
  };

  async function callProviderRoute({ orderId, attempt }: ShownPayment, url: string): Promise<void> {
    const call = makeSandboxCall({ orderId, attempt, about: 'payment' }, now());
    if (calling === 'late' && waiting.length === 0) return void waiting.push(call);
    const calls = calling === 'twice' ? [call, call] : [call, ...waiting.splice(0)];
    for (const each of calls) await send(url, each);
  }

  async function send(url: string, { body, signature }: Call): Promise<void> {
    const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': signature };
    try {
      const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(LONGEST_MS) });
      await answer.body?.cancel();
      if (!answer.ok) report(`The sandbox's call was answered ${answer.status}.`);
    } catch (error) {
      report(`The sandbox's call failed: ${error}`);
    }
  }
}

const LONGEST_MS = 20_000;
const PROVIDER_ROUTE = '/api/payments/stripe/';
const isOutcome = (outcome: string): outcome is Outcome => OUTCOMES.some((one) => one === outcome);

// With `no-referrer`, a browser would not say that the form is of this machine.
const HEADERS = {
  ...HARDENING_HEADERS,
  'Content-Security-Policy': PAGE_POLICY,
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

const htmlAnswer = (statusCode: number, body: string): HttpAnswer => ({
  statusCode,
  headers: { ...HEADERS, 'Content-Type': 'text/html; charset=utf-8' },
  body,
});
