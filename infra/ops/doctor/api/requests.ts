import * as z from 'zod';
import { once } from '../../../../shared/runtime/async.ts';
import type { Access, Asked, Check, Finding } from '../check.ts';
import { type ApiAnswer, callApi, codeOf } from './call-api.ts';

const AGAIN = 4;
const LIMIT_MS = 60_000;

const NO_KEY: Finding = { skipped: '--key asks for an API key, or set DOCTOR_API_KEY.' };
const NO_USER: Finding = {
  skipped: '--email asks for the password of a user, or set DOCTOR_PASSWORD; it needs a key.',
};

const page = z.object({ results: z.array(z.object({ id: z.number() })) });

/** The checks that a client is served as it would be: a page of products, a quote and a login, with their times. */
export function requestChecks({ access }: Asked): Check[] {
  const { key } = access;
  const read = once(() => (key ? timeProducts(key) : undefined));
  const call = { needs: ['API_URL'], limitMs: LIMIT_MS };
  return [
    {
      ...call,
      name: 'keyed read',
      remedy:
        'Take the key of an enabled client: a new one works after two minutes. For 5xx, read the log of the function.',
      look: async () => (await read())?.finding ?? NO_KEY,
    },
    {
      ...call,
      name: 'quote',
      remedy: 'The log of orders-calculate says why.',
      look: async () => {
        const listed = await read();
        if (!key || !listed) return NO_KEY;
        return listed.product === undefined ? { skipped: 'No product is listed.' } : timeQuote(key, listed.product);
      },
    },
    {
      ...call,
      name: 'login',
      remedy: "A user has the key's client: users create, users password. For 5xx, read the log of token-issue.",
      look: async () => (await timeLogin(access)) ?? NO_USER,
    },
  ];
}

async function timeProducts(key: string): Promise<{ finding: Finding; product?: number | undefined }> {
  const path = 'api/products/?has_shortage=false&is_active=true';
  const { answer, finding } = await timeCalls(200, () => callApi(path, { headers: { 'X-API-Key': key } }));
  if (!('ok' in finding)) return { finding };
  return { finding, product: page.parse(answer.body).results[0]?.id };
}

const timeQuote = async (key: string, product: number): Promise<Finding> =>
  (await timeCalls(201, () => post(key, 'api/orders/calculate/', { details: [{ product, quantity: 1 }] }))).finding;

async function timeLogin({ key, email, password }: Access): Promise<Finding | undefined> {
  if (!key || !email || !password) return undefined;
  return (await timeCalls(200, () => post(key, 'api/token/', { email, password }))).finding;
}

const post = (key: string, path: string, body: object): Promise<ApiAnswer> =>
  callApi(path, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

type Timed = { readonly answer: ApiAnswer; readonly finding: Finding };

/** Makes a call, and some more once it is answered as expected. A wrong password is not tried again. */
async function timeCalls(status: number, call: () => Promise<ApiAnswer>): Promise<Timed> {
  const first = await timeCall(call);
  const again: number[] = [];
  let { answer } = first;
  while (answer.status === status && again.length < AGAIN) {
    const next = await timeCall(call);
    answer = next.answer;
    again.push(next.ms);
  }
  if (answer.status !== status)
    return { answer, finding: { failed: `It is answered ${answer.status} ${codeOf(answer)}.` } };
  return { answer, finding: { ok: `first call ${first.ms} ms, median of the next ${AGAIN} ${medianOf(again)} ms` } };
}

async function timeCall(call: () => Promise<ApiAnswer>): Promise<{ answer: ApiAnswer; ms: number }> {
  const start = performance.now();
  const answer = await call();
  return { answer, ms: Math.round(performance.now() - start) };
}

const medianOf = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
