import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SandboxPayments } from '../../../infra/local/payments/sandbox/sandbox.ts';
import { payments, table } from '../../../shared/deps.ts';
import { reconcilePayments } from '../../../shared/payments/reconcile-payments.ts';
import { beginContainer } from '../../../shared/runtime/async.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { onMeasure } from '../../../shared/runtime/metrics.ts';
import { readLevels } from '../../../shared/stock/stock.ts';
import { DEMO_CATALOG, openCatalogBucket, publishToTestServer } from '../../support/engines/catalog-bucket.ts';
import { NOON, OPERATOR, openOperatorWorld, ops } from '../../support/operators/operator-world.ts';
import { orderBody } from '../../support/orders/samples.ts';

const world = openOperatorWorld();
const { stored } = world;
beforeAll(async () => {
  await openCatalogBucket();
  await publishToTestServer(DEMO_CATALOG);
});

const ORDERS = '/api/orders/resources/';
// Each test has a product of its own.
const PRODUCTS = [3, 121, 123];
let ABC = 0;
const OTHER = 122;

/** Sets what stores have, with a command; every function knows of it. */
async function set(text: string) {
  const answer = await ops('stock', 'set', await world.file('conteo.csv', Buffer.from(text)), '--json');
  beginContainer();
  return answer;
}
const setStock = async (...rows: readonly [store: number, product: number, quantity: number][]) =>
  expect(await set(`store,product,quantity\n${rows.map((row) => `${row.join()}\n`).join('')}`)).toMatchObject({
    code: 0,
  });

const level = async (product: number, store = 1) => {
  const found = (await readLevels(table(), store, [product])).get(product);
  return found && [found.available, found.reserved];
};
const place = (order: object = {}, email = 'ana@example.mx') =>
  world.server.asEmployee('POST', ORDERS, orderBody(email, { shipping: undefined, store: 1, ...order }));
const change = (id: number, body: object) => world.server.asEmployee('PATCH', `/api/orders/${id}/`, body);
const move = async (id: number, to: string) => (await ops('orders', 'move', String(id), '--to', to)).code;
const details = (...quantities: readonly [product: number, quantity: number][]) =>
  quantities.map(([product, quantity]) => ({ product, quantity }));

// `proofs/order-model` has the stock of orders that are changed, cancelled and moved.
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

  it('reserves at the store that ships, and nothing where a store tracks nothing or for a quote', async () => {
    await world.placed({ order: { details: details([ABC, 2]) } });
    expect(await level(ABC)).toEqual([8, 2]);
    const elsewhere = await place({ store: 2, details: details([ABC, 50]) });
    expect([elsewhere.status, (await stored(elsewhere.body.id)).stock]).toEqual([201, undefined]);
    const body = { details: details([ABC, 11]), store: 1 };
    expect((await world.server.request('POST', '/api/orders/calculate/', { body })).body.errors).toEqual({});
    expect(await level(ABC)).toEqual([8, 2]);
  });

  it('that was placed before its product was tracked takes out when it is filled, unless too little is left', async () => {
    const { id } = (await place({ details: details([OTHER, 4]) })).body;
    await setStock([1, OTHER, 3]);
    expect((await change(id, { details: details([OTHER, 4]) })).status).toBe(200);
    expect(await move(id, 'in_process')).toBe(1);
    await setStock([1, OTHER, 5]);
    expect([await move(id, 'in_process'), await level(OTHER)]).toEqual([0, [1, 0]]);
  });
});

it('an order that is collected frees when it is rejected, and reserves anew when it is tried again, if it can', async () => {
  const ABC = 5;
  await setStock([1, ABC, 10]);
  const pay = (id: number) => world.server.asEmployee('POST', `/api/orders/${id}/payment/`);
  const { id } = (await place({ details: details([ABC, 6]), payment_method: 3 })).body;
  const sandbox = new SandboxPayments({ table: table(), pageUrl: 'http://localhost/unused', now: () => new Date() });
  await sandbox.decide(`sandbox-${id}-1`, 'rejected', AbortSignal.timeout(5_000));
  const now = new Date('2026-11-23T18:05:00.000Z');
  setClock(now);
  await reconcilePayments({ by: 'system', now }, { table: table(), payments }, 'all');
  expect([(await stored(id)).paymentStatus, await level(ABC)]).toEqual(['rejected', [10, 0]]);
  const other = (await place({ details: details([ABC, 5]) }, 'otra@example.mx')).body;
  const refused = await pay(id);
  expect([refused.status, refused.body.code, await level(ABC)]).toEqual([409, 'out_of_stock', [5, 5]]);
  await change(other.id, { order_status: 'cancelled' });
  expect([(await pay(id)).status, await level(ABC)]).toEqual([201, [4, 6]]);
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

const read = async (...argv: string[]) => JSON.parse((await ops('stock', ...argv, '--json')).out);

describe('stock set', () => {
  it('sets all rows, by product or barcode, and says how many changed', async () => {
    const { out } = await set('store,product,quantity\n1,1,8\n2,1,0\n1,7,3\n');
    expect(JSON.parse(out)).toEqual({ levels: 3, changed: 3 });
    const spanish = 'Existencias;Sucursal;Código de barras;Nombre\n9;1;7509999000013;Paracetamol\n';
    expect(JSON.parse((await set(spanish)).out)).toMatchObject({ levels: 1 });
    expect(JSON.parse((await set('store,product,quantity\n1,1,9\n2,1,4\n')).out)).toEqual({ levels: 2, changed: 1 });
  });

  it.each([
    ['store,product,quantity\n1,1,5\n9,1,5\n1,99999,5\n1,2,-1\n1,2,\n', '3 store, 4 product, 5 quantity, 6 quantity'],
    ['store,product,quantity\n1,1,5\n1,1,6\n', '3 '],
    ['', '1 store, 1 product, 1 quantity'],
  ])('sets nothing of %j, and says where it is wrong: %s', async (text, places) => {
    const before = await read('list');
    const { code, out } = await set(text);
    const { errors } = JSON.parse(out);
    const found = errors.map(({ line, field }: { line: number; field: string }) => `${line} ${field}`);
    expect([code, found.join(', ')]).toEqual([1, places]);
    expect(await read('list')).toEqual(before);
  });

  it('counts what is on the shelf, so that what orders have reserved is not sold again', async () => {
    await set('store,product,quantity\n1,32,10\n');
    await world.placed({ order: { details: [{ product: 32, quantity: 4 }], shipping: undefined, store: 1 } });
    await set('store,product,quantity\n1,32,6\n');
    const [level] = (await read('list', '--below', '3')).levels.filter(
      ({ product }: { product: number }) => product === 32,
    );
    expect(level).toMatchObject({ store: 1, available: 2, reserved: 4 });
    const { code, out } = await set('store,product,quantity\n1,32,3\n');
    expect([code, JSON.parse(out).errors[0]]).toMatchObject([1, { line: 2, field: 'quantity' }]);
  });
});

describe('stock adjust', () => {
  it('adds and takes, never below 0, and only where the product is tracked', async () => {
    await set('store,product,quantity\n1,36,2\n');
    let minutes = 0;
    const adjust = (by: string, product = '36') => {
      minutes += 1;
      setClock(new Date(NOON.getTime() + minutes * 60_000));
      return ops('stock', 'adjust', product, '--store', '1', '--by', by, '--reason', 'Caducados', '--json');
    };
    expect(JSON.parse((await adjust('-2')).out)).toEqual({ product: 36, store: 1, available: 0, reserved: 0 });
    expect((await adjust('-1')).code).toBe(1);
    expect(JSON.parse((await adjust('+3')).out)).toMatchObject({ available: 3 });
    expect((await adjust('1', '37')).code).toBe(1);
    expect((await adjust('0')).code).toBe(2);
    const id = await world.placed({
      order: { details: [{ product: 36, quantity: 1 }], shipping: undefined, store: 1 },
    });
    setClock(new Date(NOON.getTime() + 3_600_000));
    expect(await move(id, 'in_process')).toBe(0);
    expect((await read('history', '36')).changes).toMatchObject([
      { store: 1, change: -1, order: expect.stringMatching(/^RX-0*\d+$/), by: null },
      { store: 1, change: 3, reason: 'Caducados', by: OPERATOR, counted: null },
      { store: 1, change: -2, reason: 'Caducados', by: OPERATOR },
      { store: 1, change: 2, counted: 2, by: OPERATOR },
    ]);
  });
});
