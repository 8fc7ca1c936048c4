import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { handler as runDueTasks } from '../../functions/jobs/run-due-tasks.ts';
import { handler as sweepDocuments } from '../../functions/jobs/sweep-documents.ts';
import type { OrderListItem } from '../../shared/api/orders/order-list.ts';
import type { Order } from '../../shared/api/orders/orders.ts';
import { unluckyTransactions } from '../support/faults/transaction-faults.ts';
import { manyAtOnce } from '../support/load/many-at-once.ts';
import { INVOICING, orderBody, PDF } from '../support/orders/samples.ts';
import { prove, seed, tries } from '../support/proofs/proof.ts';
import { useServer } from '../support/servers/test-server.ts';

const server = useServer({ faults: true });
let token: string;
beforeAll(async () => {
  token = await server.login('aseguradora@demo.example');
});
afterEach(() => server.faults.set());

const place = (name: string, order: Record<string, unknown> = {}, more: Record<string, unknown> = {}) =>
  server.request('POST', '/api/orders/resources/', {
    token,
    body: orderBody(`${name}@example.mx`, order, more),
    headers: { 'Idempotency-Key': `key-of-${name}` },
  });
const see = async (id: number): Promise<Order> => (await server.request('GET', `/api/orders/${id}/`, { token })).body;
type Page = { readonly count: number; readonly results: readonly OrderListItem[]; readonly next: string | null };
const list = async (query: string): Promise<Page> =>
  (await server.request('GET', `/api/orders/?${query}`, { token })).body;

describe('a reader, while orders are placed', () => {
  const AT_ONCE = 8;
  /** Of eleven requests one places an order, and one cancels one; the others read. */
  const PLACED_EVERY = 11;
  // The total is 3 × 64.50, 72.00 and its IVA of 11.52, and 79.00 of shipping.
  const BASKET = [
    { product: 5, quantity: 3 },
    { product: 122, quantity: 1 },
  ];
  const TOTAL = '356.02';

  const isWhole = ({ details, total }: Order): boolean =>
    total === TOTAL && details.map(({ product, quantity }) => `${product.id} ${quantity}`).join() === '5 3,122 1';

  let asked = 0;
  const placed: number[] = [];
  /** The orders whose cancellation has begun, and those of which it was answered. */
  const [leaving, gone] = [new Set<number>(), new Set<number>()];
  async function placeOne(): Promise<void> {
    const answer = await place(`reader-${asked++}`, { details: BASKET });
    expect(answer.status).toBe(201);
    placed.push(answer.body.id);
  }
  async function cancelOne(): Promise<void> {
    // Another one each time, as two cancellations of one order would conflict.
    const id = placed[leaving.size] as number;
    leaving.add(id);
    const body = { order_status: 'cancelled' };
    expect((await server.request('PATCH', `/api/orders/${id}/`, { token, body })).status).toBe(200);
    gone.add(id);
  }

  /** True when the first page is right and its count is between the orders placed before and those sent by its end. */
  async function isPageRight(): Promise<boolean> {
    const least = placed.length;
    const { count, results } = await list('limit=20');
    const ids = new Set(results.map(({ id }) => id));
    return count >= least && count <= asked && ids.size === 20 && results.every(({ total }) => total === TOTAL);
  }

  /** True when a list by status has the orders that were in it all the time, and none that had left it before. */
  async function isListRight(): Promise<boolean> {
    const [known, before] = [[...placed], new Set(gone)];
    const { count, results } = await list('order_status__in=approved&limit=100');
    const stayed = known.filter((id) => !leaving.has(id));
    const ids = new Set(results.map(({ id }) => id));
    return (
      results.every(({ id, order_status }) => order_status === 'approved' && !before.has(id)) &&
      (count > 100 || stayed.every((id) => ids.has(id))) &&
      count >= stayed.length
    );
  }

  /** Counts the orders that are on no page. A new order comes last, so it cannot move one to a page already read. */
  async function countMissing(ids: readonly number[]): Promise<number> {
    const seen = new Set<number>();
    for (let page = 1, next: string | null = ''; next !== null; page++) {
      const read = await list(`ordering=created_at&limit=10&page=${page}`);
      for (const { id } of read.results) seen.add(id);
      next = read.next;
    }
    return ids.filter((id) => !seen.has(id)).length;
  }

  it('sees complete orders, right counts, and every earlier order on the pages', async () => {
    await manyAtOnce(25, AT_ONCE, placeOne);
    server.faults.set(unluckyTransactions(seed(), { conflict: 0.2, lostReply: 0.1 }));
    let isDone = false;
    const walks: number[] = [];
    const walking = (async () => {
      while (!isDone) walks.push(await countMissing([...placed]));
    })();
    const requests = tries(44, 2_000);
    const found = await manyAtOnce(requests, AT_ONCE, async (index) => {
      if (index % PLACED_EVERY === 0) return placeOne();
      if (index % PLACED_EVERY === 5) return cancelOne();
      if (index % 2 === 1) return isWhole(await see(placed[index % placed.length] as number));
      return index % 4 === 0 ? isPageRight() : isListRight();
    });
    isDone = true;
    await walking;
    expect(walks.length).toBeGreaterThan(0);
    prove({
      check: 'Races: readers while orders are placed',
      tries: requests,
      faults: server.faults.injected(),
      lost: found.filter((isRight) => isRight === false).length + walks.reduce((sum, each) => sum + each, 0),
      figure: `${walks.length} walks through all pages`,
    });
  });
});

describe('an eventually consistent read with a stale answer', () => {
  it('is used by no request and no job', async () => {
    server.faults.set(({ mayBeStale }) => (mayBeStale ? 'stale' : undefined));
    await server.login('aseguradora@demo.example');
    const prescriptions = [{ document: PDF, issue_date: '2020-02-29' }];
    const { body: order } = await place('stale', { prescriptions }, { invoicing: INVOICING });
    const again = await place('stale', { prescriptions }, { invoicing: INVOICING });
    expect([again.body.id, again.headers['idempotent-replayed']]).toEqual([order.id, 'true']);
    expect((await list('limit=1')).results[0]?.id).toBe(order.id);
    expect((await list('order_status__in=approved&payment_status__in=unpaid&limit=1')).results).toHaveLength(1);
    expect((await list('search=ana&limit=1')).results).toHaveLength(1);
    const { body: other } = await place('stale-too');
    const patch = (path: string, body: object) =>
      server.request('PATCH', `/api/orders/${other.id}/${path}`, { token, body });
    expect(await patch('', { details: [{ product: 1, quantity: 3 }] })).toMatchObject({ status: 200 });
    expect(await patch('request-invoice/', INVOICING)).toMatchObject({ status: 200 });
    expect(await patch('', { order_status: 'cancelled' })).toMatchObject({ status: 200 });
    expect((await see(other.id)).order_status).toBe('cancelled');
    for (const job of [runDueTasks, sweepDocuments]) await job();
    const sent = Object.values(server.faults.calls()).reduce((sum, calls) => sum + calls, 0);
    prove({ check: 'Races: eventually consistent reads', tries: sent, lost: server.faults.injected() });
  });
});
