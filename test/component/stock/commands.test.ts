import { beforeAll, describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { DEMO_CATALOG, openCatalogBucket, publishToTestServer } from '../../support/engines/catalog-bucket.ts';
import { NOON, OPERATOR, openDesk, ops } from '../../support/operators/desk.ts';

const desk = openDesk();
beforeAll(async () => {
  await openCatalogBucket();
  await publishToTestServer(DEMO_CATALOG);
});

const set = async (text: string) => ops('stock', 'set', await desk.file('conteo.csv', Buffer.from(text)), '--json');
const read = async (...argv: string[]) => JSON.parse((await ops('stock', ...argv, '--json')).out);

describe('stock set', () => {
  it('sets all rows, by product or barcode, and says how many changed', async () => {
    expect(JSON.parse((await set('store,product,quantity\n1,1,8\n2,1,0\n1,7,3\n')).out)).toEqual({
      levels: 3,
      changed: 3,
    });
    expect(
      JSON.parse((await set('Existencias;Sucursal;Código de barras;Nombre\n9;1;7509999000013;Paracetamol\n')).out),
    ).toMatchObject({ levels: 1 });
    expect(JSON.parse((await set('store,product,quantity\n1,1,9\n2,1,4\n')).out)).toEqual({ levels: 2, changed: 1 });
  });

  it.each<[string, [line: number, field: string][]]>([
    [
      'store,product,quantity\n1,1,5\n9,1,5\n1,99999,5\n1,2,-1\n1,2,\n',
      [
        [3, 'store'],
        [4, 'product'],
        [5, 'quantity'],
        [6, 'quantity'],
      ],
    ],
    ['store,product,quantity\n1,1,5\n1,1,6\n', [[3, '']]],
    ['store,product\n1,1\n', [[1, 'quantity']]],
    ['store,quantity,note\n1,1,x\n', [[1, 'product']]],
    [
      '',
      [
        [1, 'store'],
        [1, 'product'],
        [1, 'quantity'],
      ],
    ],
  ])('sets nothing of %j', async (text, places) => {
    const before = await read('list');
    const { code, out } = await set(text);
    const { errors } = JSON.parse(out);
    expect([code, errors.map(({ line, field }: { line: number; field: string }) => [line, field])]).toEqual([
      1,
      places,
    ]);
    expect(await read('list')).toEqual(before);
  });

  it('counts what is on the shelf, so that what orders have reserved is not sold again', async () => {
    await set('store,product,quantity\n1,32,10\n');
    await desk.placed({ order: { details: [{ product: 32, quantity: 4 }], shipping: undefined, store: 1 } });
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
    const id = await desk.placed({ order: { details: [{ product: 36, quantity: 1 }], shipping: undefined, store: 1 } });
    setClock(new Date(NOON.getTime() + 3_600_000));
    expect((await ops('orders', 'move', String(id), '--to', 'in_process')).code).toBe(0);
    expect((await read('history', '36')).changes).toMatchObject([
      { store: 1, change: -1, order: expect.stringMatching(/^RX-0*\d+$/), by: null },
      { store: 1, change: 3, reason: 'Caducados', by: OPERATOR, counted: null },
      { store: 1, change: -2, reason: 'Caducados', by: OPERATOR },
      { store: 1, change: 2, counted: 2, by: OPERATOR },
    ]);
  });
});
