import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEMO_PASSWORD } from '../../infra/local/seed.ts';
import type { Fault, SentCall } from '../support/faults/fault-proxy.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { INVOICING, orderBody, PDF } from '../support/orders/samples.ts';
import { isFull, prove, seed, tries } from '../support/proofs/proof.ts';
import { faultsIn, faultsOfDocuments, letTimePass, openWork, strayDocuments } from '../support/servers/crash-server.ts';
import { useServer } from '../support/servers/test-server.ts';

/*
 * Makes each call of each request to AWS and to the invoicing provider fail in each way, retries included. The answer
 * must be a success or our 503, in time, and the next request must succeed.
 */

// Lambda ends a function after 10 s.
const PATIENCE_MS = tries(Number.POSITIVE_INFINITY, 8_000);
const MOST_SENDINGS = 4;

const server = useServer({ bundles: true });
let token: string;
beforeAll(async () => {
  token = await server.login('aseguradora@demo.example');
});

type Flow = {
  readonly name: string;
  /** The record that the request needs; a login needs a new doctor, since an unfinished login counts as failed. */
  readonly needs: 'an order' | 'a doctor' | 'nothing';
  /** Sends the request; `word` is unique to this try. */
  readonly ask: (word: string, id: number) => Promise<HttpAnswer>;
  /** The error codes that a repeated request may get instead of a success. */
  readonly told?: readonly string[];
};

const invoiceAddress = (word: string) => `factura-${word}@example.mx`;
function place(word: string): Promise<HttpAnswer> {
  const prescriptions = [{ document: PDF, issue_date: '2020-02-29' }];
  const invoicing = { ...INVOICING, email: invoiceAddress(word) };
  const body = orderBody(`${word}@example.mx`, { prescriptions }, { invoicing });
  const headers = { 'Idempotency-Key': `key-of-${word}` };
  return server.request('POST', '/api/orders/resources/', { token, body, headers });
}
const order = (method: string, id: number, path = '', body?: object) =>
  server.request(method, `/api/orders/${id}/${path}`, body ? { token, body } : { token });

const FLOWS: readonly Flow[] = [
  { name: 'placing an order', needs: 'nothing', ask: place },
  {
    name: 'asking for its invoice',
    needs: 'an order',
    ask: (word, id) => order('PATCH', id, 'request-invoice/', { ...INVOICING, email: invoiceAddress(word) }),
    told: ['order_invoiced', 'invoice_in_progress'],
  },
  {
    name: 'changing its products',
    needs: 'an order',
    ask: (_, id) => order('PATCH', id, '', { details: [{ product: 1, quantity: 3 }] }),
  },
  {
    name: 'cancelling it',
    needs: 'an order',
    ask: (_, id) => order('PATCH', id, '', { order_status: 'cancelled' }),
  },
  { name: 'reading it', needs: 'an order', ask: (_, id) => order('GET', id) },
  { name: 'listing orders', needs: 'nothing', ask: () => server.request('GET', '/api/orders/?limit=5', { token }) },
  { name: 'looking for products', needs: 'nothing', ask: () => server.request('GET', '/api/products/?search=para') },
  {
    name: 'a quotation',
    needs: 'nothing',
    ask: () => server.request('POST', '/api/orders/calculate/', { body: { details: [{ product: 1, quantity: 1 }] } }),
  },
  {
    name: 'logging in',
    needs: 'a doctor',
    ask: (word) =>
      server.request('POST', '/api/token/', { body: { email: invoiceAddress(word), password: DEMO_PASSWORD } }),
  },
];

/** The kinds of faults that every service can have. */
const FAULT_KINDS = ['failure', 'throttle', 'hang', 'lost call', 'lost reply', 'malformed'] as const satisfies Fault[];
type Mishap = {
  readonly mishap: (typeof FAULT_KINDS)[number];
  readonly what: string;
  readonly meets: (call: SentCall) => boolean;
};

/** Returns each fault for every call and for every whole service; a quick run has an outage, and draws some others at random. */
function chooseFaults(calls: readonly SentCall[], quick: number): Mishap[] {
  const single = calls.flatMap(({ place, name }) =>
    FAULT_KINDS.map((mishap) => ({
      mishap,
      what: `call ${place}, ${name}`,
      meets: (call: SentCall) => call.place === place,
    })),
  );
  const services = [...new Set(calls.map(({ service }) => service))];
  const whole = services.flatMap((service) =>
    FAULT_KINDS.map((mishap) => ({ mishap, what: service, meets: (call: SentCall) => call.service === service })),
  );
  const all = [...single, ...whole];
  if (isFull()) return all;
  const some = fc.shuffledSubarray(all, { minLength: quick, maxLength: quick });
  const outage = whole.filter(({ what, mishap }) => what === 'dynamodb' && mishap === 'failure');
  return [...outage, ...(fc.sample(some, { numRuns: 1, seed: seed() })[0] ?? [])];
}

const isGood = ({ status }: HttpAnswer): boolean => status >= 200 && status < 300;

let words = 0;
async function prepare({ needs }: Flow): Promise<{ word: string; id: number }> {
  const word = `dependency-${++words}`;
  if (needs === 'a doctor') await server.addUser(server.client, 'doctor', invoiceAddress(word));
  if (needs !== 'an order') return { word, id: 0 };
  const body = orderBody(`${word}@example.mx`);
  const answer = await server.request('POST', '/api/orders/resources/', { token, body });
  expect(answer.status).toBe(201);
  return { word, id: answer.body.id };
}

/** Returns what is wrong with the answer to a request during the fault, or with the answer to the next request. */
async function runWithFault(flow: Flow, { mishap, meets }: Mishap): Promise<string[]> {
  const { word, id } = await prepare(flow);
  const { answer: found } = await server.inNewContainers(async () => {
    server.outside.set((call) => (meets(call) ? mishap : undefined));
    const began = performance.now();
    const answer = await flow.ask(word, id);
    const tookMs = Math.round(performance.now() - began);
    const most = Math.max(...server.outside.sent().map(({ attempts }) => attempts));
    server.outside.set();
    const next = await flow.ask(word, id);
    const isTold = flow.told?.includes(next.body.code) && next.status === 409;
    return faultsIn('', {
      [`answered ${answer.status} ${answer.body.code ?? ''}`]: !isGood(answer) && answer.status !== 503,
      [`answered after ${tookMs} ms`]: tookMs > PATIENCE_MS,
      [`sent a call ${most} times`]: most > MOST_SENDINGS,
      [`answered the next one ${next.status} ${next.body.code ?? ''}`]: !isGood(next) && !isTold,
    });
  });
  return found;
}

/** Returns all flows; a quick run takes the longest and draws another at random. */
function chooseFlows(): readonly Flow[] {
  const [longest, ...others] = FLOWS;
  if (isFull() || !longest) return FLOWS;
  const some = fc.shuffledSubarray(others, { minLength: 1, maxLength: 1 });
  return [longest, ...(fc.sample(some, { numRuns: 1, seed: seed() })[0] ?? [])];
}

describe('a failed call', () => {
  it.each(chooseFlows())('does not break $name', async (flow) => {
    const { word, id } = await prepare(flow);
    const clean = await server.inNewContainers(() => flow.ask(word, id));
    expect(isGood(clean.answer), JSON.stringify(clean.answer.body)).toBe(true);
    const faults = chooseFaults(clean.calls, flow.name === 'placing an order' ? 2 : 0);
    const found: string[] = [];
    for (const fault of faults) {
      const wrong = await runWithFault(flow, fault);
      found.push(...wrong.map((each) => `${fault.what}: ${fault.mishap}:${each}`));
    }
    expect(found).toEqual([]);
    prove({
      check: `Dependencies: ${flow.name}`,
      tries: faults.length,
      faults: faults.length,
      lost: found.length,
      figure: `${clean.calls.length} calls`,
    });
  });

  it('leaves no duplicate invoice, no stray document and no unfinished work', async () => {
    await letTimePass();
    const { facturapi } = server;
    const orders = new Set(facturapi.invoices.map(({ external_id: key }) => Number(key.split('-')[1])));
    const found = [...(await openWork()), ...(await strayDocuments(server.client.id))];
    for (const id of orders) found.push(...(await faultsOfDocuments(server, id)));
    expect(found).toEqual([]);
  });
});
