import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SandboxPayments } from '../../../infra/local/payments/sandbox/sandbox.ts';
import { payments, table } from '../../../shared/deps.ts';
import { reconcilePayments } from '../../../shared/payments/reconcile-payments.ts';
import { beginContainer } from '../../../shared/runtime/async.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { onMeasure } from '../../../shared/runtime/metrics.ts';
import { readLevels } from '../../../shared/stock/stock.ts';
import { DEMO_CATALOG, openCatalogBucket, publishToTestServer } from '../../support/engines/catalog-bucket.ts';
import { openDesk, ops } from '../../support/operators/desk.ts';
import { orderBody } from '../../support/orders/samples.ts';

const desk = openDesk();
const { stored } = desk;
beforeAll(async () => {
  await openCatalogBucket();
  await publishToTestServer(DEMO_CATALOG);
});

const ORDERS = '/api/orders/resources/';
// Each test has a product of its own.
const PRODUCTS = [1, 2, 3, 5, 7, 121, 123];
let ABC = 0;
const OTHER = 122;

/** Sets what stores have; every function knows of it. */
async function setStock(...rows: readonly [store: number, product: number, quantity: number][]): Promise<void> {
  const csv = await desk.file(
    'conteo.csv',
    Buffer.from(`store,product,quantity\n${rows.map((row) => `${row.join()}\n`).join('')}`),
  );
  expect(await ops('stock', 'set', csv)).toMatchObject({ code: 0 });
  beginContainer();
}

const level = async (product: number, store = 1) => {
  const found = (await readLevels(table(), store, [product])).get(product);
  return found && [found.available, found.reserved];
};
const place = (order: object = {}, email = 'ana@example.mx') =>
  desk.server.request('POST', ORDERS, {
    token: desk.tokens.employee,
    body: orderBody(email, { shipping: undefined, store: 1, ...order }),
  });
const change = (id: number, body: object) =>
  desk.server.request('PATCH', `/api/orders/${id}/`, { token: desk.tokens.employee, body });
const move = async (id: number, to: string) => (await ops('orders', 'move', String(id), '--to', to)).code;
const details = (...quantities: readonly [product: number, quantity: number][]) =>
  quantities.map(([product, quantity]) => ({ product, quantity }));

describe('an order', () => {
  beforeEach(async () => {
    ABC = PRODUCTS.pop() ?? 0;
    await setStock([1, ABC, 10]);
  });

  it('reserves at the store where it is collected, and says what is left of each line that asks for more', async () => {
    const placed = await place({ details: details([ABC, 2], [ABC, 5], [OTHER, 1]) });
    expect([placed.status, await level(ABC)]).toEqual([201, [3, 7]]);
    expect((await stored(placed.body.id)).stock).toEqual({ store: 1, products: [{ product: ABC, quantity: 7 }] });
    const { status, body } = await place({ details: details([OTHER, 1], [ABC, 2], [ABC, 2]) });
    expect(status).toBe(400);
    const [none, first, second] = body.order.details;
    expect([none, first]).toEqual([{}, second]);
    expect(first.product[0]).toMatch(/ 3\b/);
    expect(await level(ABC)).toEqual([3, 7]);
  });

  it('reserves at the store that ships, and nothing where a store tracks nothing', async () => {
    const shipped = await desk.server.request('POST', ORDERS, {
      token: desk.tokens.employee,
      body: orderBody('eva@example.mx', { details: details([ABC, 2]) }),
    });
    expect([shipped.status, await level(ABC)]).toEqual([201, [8, 2]]);
    const elsewhere = await place({ store: 2, details: details([ABC, 50]) });
    expect([elsewhere.status, (await stored(elsewhere.body.id)).stock]).toEqual([201, undefined]);
  });

  it('is quoted whatever is left', async () => {
    const body = { details: details([ABC, 11]), store: 1 };
    expect((await desk.server.request('POST', '/api/orders/calculate/', { body })).body.errors).toEqual({});
  });

  it('frees when it is cancelled, and the difference when its lines change', async () => {
    const { id } = (await place({ details: details([ABC, 4]) })).body;
    expect((await change(id, { details: details([ABC, 10]) })).status).toBe(200);
    expect(await level(ABC)).toEqual([0, 10]);
    const more = await change(id, { details: details([ABC, 11]) });
    expect([more.status, more.body.details[0].product[0]]).toEqual([400, expect.stringMatching(/ 10\b/)]);
    expect((await change(id, { details: details([ABC, 1]) })).status).toBe(200);
    expect(await level(ABC)).toEqual([9, 1]);
    expect((await change(id, { order_status: 'cancelled' })).status).toBe(200);
    expect(await level(ABC)).toEqual([10, 0]);
  });

  it('takes out once when it is filled, and reserves again when it is not after all', async () => {
    const { id } = (await place({ details: details([ABC, 4]) })).body;
    const levels: unknown[] = [];
    for (const to of ['in_process', 'delayed', 'in_process', 'shortage', 'approved', 'in_process', 'ready']) {
      expect(await move(id, to)).toBe(0);
      levels.push(await level(ABC));
    }
    expect(levels).toEqual([
      [6, 0],
      [6, 0],
      [6, 0],
      [6, 4],
      [6, 4],
      [6, 0],
      [6, 0],
    ]);
  });

  it('that was placed before its product was tracked takes out when it is filled, unless too little is left', async () => {
    const { id } = (await place({ details: details([OTHER, 4]) })).body;
    await setStock([1, OTHER, 3]);
    expect((await change(id, { details: details([OTHER, 4]) })).status).toBe(200);
    expect(await ops('orders', 'move', String(id), '--to', 'in_process')).toMatchObject({ code: 1 });
    expect(
      await ops('stock', 'adjust', String(OTHER), '--store', '1', '--by', '2', '--reason', 'Entrega'),
    ).toMatchObject({ code: 0 });
    expect([await move(id, 'in_process'), await level(OTHER)]).toEqual([0, [1, 0]]);
  });
});

describe('an order that is collected', () => {
  beforeEach(async () => {
    ABC = PRODUCTS.pop() ?? 0;
    await setStock([1, ABC, 10]);
  });
  const pay = (id: number) =>
    desk.server.request('POST', `/api/orders/${id}/payment/`, { token: desk.tokens.employee });
  const sandbox = () =>
    new SandboxPayments({ table: table(), pageUrl: 'http://localhost/unused', now: () => new Date() });
  async function decide(id: number, outcome: 'rejected' | 'paid', attempt = 1) {
    await sandbox().decide(`sandbox-${id}-${attempt}`, outcome, AbortSignal.timeout(5_000));
    setClock(new Date('2026-11-23T18:05:00.000Z'));
    await reconcilePayments(
      { by: 'system', now: new Date('2026-11-23T18:05:00.000Z') },
      { table: table(), payments },
      'all',
    );
  }

  it('frees when it is rejected, and reserves anew when it is tried again, if there is enough', async () => {
    const { id } = (await place({ details: details([ABC, 6]), payment_method: 3 })).body;
    await decide(id, 'rejected');
    expect([(await stored(id)).paymentStatus, await level(ABC)]).toEqual(['rejected', [10, 0]]);
    const other = (await place({ details: details([ABC, 5]) }, 'otra@example.mx')).body;
    const refused = await pay(id);
    expect([refused.status, refused.body.code, await level(ABC)]).toEqual([409, 'out_of_stock', [5, 5]]);
    await change(other.id, { order_status: 'cancelled' });
    expect([(await pay(id)).status, await level(ABC)]).toEqual([201, [4, 6]]);
  });
});

it('costs nothing where nothing is tracked, and at most four write units for a tracked line', async () => {
  const [product, untracked] = [OTHER, 125];
  await setStock([1, product, 100]);
  const used = { read: 0, written: 0 };
  onMeasure(({ readUnits = 0, writeUnits = 0 }) => {
    used.read += readUnits;
    used.written += writeUnits;
  });
  const measure = async (of: number) => {
    await place({ details: details([of, 1]) }, 'costo@example.mx');
    Object.assign(used, { read: 0, written: 0 });
    expect((await place({ details: details([of, 1]) }, 'costo@example.mx')).status).toBe(201);
    return { ...used };
  };
  const [plain, tracked] = [await measure(untracked), await measure(product)];
  expect(plain.written).toBeGreaterThan(0);
  expect(tracked.written - plain.written).toBeLessThanOrEqual(4);
  expect(tracked.read - plain.read).toBeLessThanOrEqual(1);
});
