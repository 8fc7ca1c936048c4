import { setTimeout as pause } from 'node:timers/promises';
import { DEMO_PASSWORD } from '../../../infra/local/seed.ts';
import { callHeaders } from '../../support/http/call.ts';
import { type HttpAnswer, sendHttp } from '../../support/http/http.ts';
import { openTraffic } from '../../support/load/load-traffic.ts';
import { operate } from '../../support/operators/operator.ts';
import { INVOICING, orderBody, PDF } from '../../support/orders/samples.ts';

// Four loops together send 25 requests a second, and so place an order a second.
const LOOPS = 4;
const REQUEST_EVERY_MS = 160;
const PAPERS_EVERY_MS = 10_000;

export type Visits = { readonly requests: number; readonly failures: readonly string[] };

/**
 * Sends the traffic of a shop until the signal. Every ten seconds an order comes with a prescription and an invoice, and a
 * command moves it.
 */
export async function visitUntil(signal: AbortSignal, url: string): Promise<Visits> {
  const traffic = await openTraffic(url);
  const failures: string[] = [];
  let requests = 0;
  const request = async () => {
    requests += 1;
    const { fault } = await traffic.ask();
    if (fault) failures.push(fault);
  };
  const papers = async () => {
    const fault = await placeWithPapers(url);
    if (fault) failures.push(fault);
  };
  const loops = Array.from({ length: LOOPS }, () => repeat(request, REQUEST_EVERY_MS, signal));
  await Promise.all([...loops, repeat(papers, PAPERS_EVERY_MS, signal)]);
  return { requests, failures };
}

async function repeat(work: () => Promise<void>, everyMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const end = performance.now() + everyMs;
    await work();
    await pause(Math.max(0, end - performance.now()), undefined, { signal }).catch(() => undefined);
  }
}

/** Returns what failed, if anything did. */
async function placeWithPapers(url: string): Promise<string | undefined> {
  const login = { email: 'aseguradora@demo.example', password: DEMO_PASSWORD };
  const { body: tokens } = await post(url, '/api/token/', login);
  const prescriptions = [{ document: PDF, issue_date: '2026-11-01' }];
  const order = orderBody('papers@bench.example', { prescriptions }, { invoicing: INVOICING });
  const { status, body: placed } = await post(url, '/api/orders/resources/', order, tokens.access);
  if (status !== 201) return `an order with papers: ${status} ${JSON.stringify(placed)}`;
  const moved = await operate('pipe', 'orders', 'move', String(placed.id), '--to', 'in_process', '--local');
  return moved.code === 0 ? undefined : `a move: ${moved.err}`;
}

function post(url: string, path: string, body: object, token?: string): Promise<HttpAnswer> {
  const { origin, pathname: stage } = new URL(url);
  const headers = callHeaders(token === undefined ? {} : { token });
  return sendHttp(origin, `${stage}${path}`, { method: 'POST', headers, body });
}
