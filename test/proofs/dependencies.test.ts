import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_PASSWORD } from '../../infra/local/seed.ts';
import {
  FAULT_KINDS,
  type FaultKind,
  type OutsideCall,
  type Service,
  toFault,
} from '../support/faults/dependencies.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { INVOICING, orderBody, PDF } from '../support/orders/samples.ts';
import { isFull, prove, seed } from '../support/proofs/proof.ts';
import { type BundledServer, openBundledServer } from '../support/servers/bundled-server.ts';
import { faultsIn, faultsOfInvoice, letTimePass, openWork, strayDocuments } from '../support/servers/crash-server.ts';

/*
 * Each call to AWS and to the provider, of each request, fails in each way, as often as it is sent. The answer is a
 * success or our 503, in time; and the next request is answered as if nothing had been.
 */

// Lambda ends a function after 10 s.
const PATIENCE_MS = 8_000;
const MOST_SENDINGS = 4;

let server: BundledServer;
let token: string;
beforeAll(async () => {
  server = await openBundledServer();
  token = await server.login('aseguradora@demo.example');
});
afterAll(() => server.close());

type Flow = {
  readonly name: string;
  /** What has to be there before: of a doctor who logs in, each try counts as a wrong one until it is known to be right. */
  readonly needs: 'an order' | 'a doctor' | 'nothing';
  /** `word` is of this try only. */
  readonly ask: (word: string, id: number) => Promise<HttpAnswer>;
  /** What a request that is repeated may be told besides success. */
  readonly told?: readonly string[];
};

const addressOf = (word: string) => `factura-${word}@example.mx`;
function place(word: string): Promise<HttpAnswer> {
  const prescriptions = [{ document: PDF, issue_date: '2020-02-29' }];
  const invoicing = { ...INVOICING, email: addressOf(word) };
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
    ask: (word, id) => order('PATCH', id, 'request-invoice/', { ...INVOICING, email: addressOf(word) }),
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
    told: ['order_not_cancellable'],
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
    ask: (word) => server.request('POST', '/api/token/', { body: { email: addressOf(word), password: DEMO_PASSWORD } }),
  },
];

type Fault = { readonly mishap: FaultKind; readonly what: string; readonly meets: (call: OutsideCall) => boolean };

/** Every call of a request in every way, and every service as a whole; in a quick run some of them, drawn by lot. */
function faultsFor(calls: readonly OutsideCall[], quick: number): Fault[] {
  const single = calls.flatMap(({ nth, name }) =>
    FAULT_KINDS.map((mishap) => ({
      mishap,
      what: `call ${nth}, ${name}`,
      meets: (call: OutsideCall) => call.nth === nth,
    })),
  );
  const services = [...new Set(calls.map(({ service }) => service))];
  const whole = services.flatMap((service: Service) =>
    FAULT_KINDS.map((mishap) => ({ mishap, what: service, meets: (call: OutsideCall) => call.service === service })),
  );
  const all = [...single, ...whole];
  if (isFull()) return all;
  const some = fc.shuffledSubarray(all, { minLength: quick, maxLength: quick });
  return fc.sample(some, { numRuns: 1, seed: seed() })[0] ?? [];
}

const isGood = ({ status }: HttpAnswer): boolean => status >= 200 && status < 300;

let words = 0;
async function ready({ needs }: Flow): Promise<{ word: string; id: number }> {
  const word = `dependency-${++words}`;
  if (needs === 'a doctor') await server.addUser(server.client, 'doctor', addressOf(word));
  if (needs !== 'an order') return { word, id: 0 };
  const body = orderBody(`${word}@example.mx`);
  const answer = await server.request('POST', '/api/orders/resources/', { token, body });
  expect(answer.status).toBe(201);
  return { word, id: answer.body.id };
}

/** What is wrong with the answer to a request of which a call fails, or with that to the next one. */
async function metBy(flow: Flow, { mishap, meets }: Fault): Promise<string[]> {
  const { word, id } = await ready(flow);
  const { answer: found } = await server.inNewContainers(async () => {
    server.outside.set((call) => (meets(call) ? toFault(call.service, mishap) : undefined));
    const began = performance.now();
    const answer = await flow.ask(word, id);
    const tookMs = Math.round(performance.now() - began);
    const most = Math.max(...server.outside.calls().map(({ sendings }) => sendings));
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

/** All flows; in a quick run the longest and some of the others, drawn by lot. */
function flows(): readonly Flow[] {
  const [longest, ...others] = FLOWS;
  if (isFull() || !longest) return FLOWS;
  const some = fc.shuffledSubarray(others, { minLength: 3, maxLength: 3 });
  return [longest, ...(fc.sample(some, { numRuns: 1, seed: seed() })[0] ?? [])];
}

describe('a call that fails', () => {
  it.each(flows())('while $name is survived', async (flow) => {
    const { word, id } = await ready(flow);
    const clean = await server.inNewContainers(() => flow.ask(word, id));
    expect(isGood(clean.answer), JSON.stringify(clean.answer.body)).toBe(true);
    const faults = faultsFor(clean.calls, flow.name === 'placing an order' ? 4 : 1);
    const found: string[] = [];
    for (const fault of faults) {
      const wrong = await metBy(flow, fault);
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

  it('leaves no invoice twice, no stray document and no work behind', async () => {
    await letTimePass();
    const { facturapi } = server;
    const orders = new Set(facturapi.invoices.map(({ external_id: key }) => Number(key.split('-')[1])));
    const found = [...(await openWork()), ...(await strayDocuments(server.client.id))];
    for (const id of orders) found.push(...(await faultsOfInvoice(server, id)));
    expect(found).toEqual([]);
  });
});
