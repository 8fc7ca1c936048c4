import { describe, expect, it } from 'vitest';
import { listStockChanges, reserveLines, type StockedOrder } from '../../../shared/stock/rules/reservation.ts';

const level = (available: number) => ({ available, reserved: 0 });
const lines = (...quantities: readonly [product: number, quantity: number][]) =>
  quantities.map(([product, quantity]) => ({ product, quantity }));
const held = (...quantities: readonly [product: number, quantity: number][]) => ({
  store: 1,
  products: lines(...quantities),
});

describe('reserving lines', () => {
  it.each([
    ['sums the lines of a product', lines([1, 2], [1, 3]), undefined, [[1, 5]], []],
    ['leaves out what the store does not track, and lines of 0', lines([9, 2], [1, 0]), undefined, [], []],
    ['takes the last pieces', lines([1, 5]), undefined, [[1, 5]], []],
    [
      'says what is left of what is too much',
      lines([1, 6], [2, 1]),
      undefined,
      [
        [1, 6],
        [2, 1],
      ],
      [[1, 5]],
    ],
    ['needs only the difference to before', lines([1, 7]), { stock: held([1, 2]), lines: lines([1, 2]) }, [[1, 7]], []],
    ['adds its own', lines([1, 9]), { stock: held([1, 2]), lines: lines([1, 2]) }, [[1, 9]], [[1, 7]]],
    ['frees the difference', lines([1, 1]), { stock: held([1, 4]), lines: lines([1, 4]) }, [[1, 1]], []],
    ['leaves what was sold untracked unreserved', lines([1, 8]), { stock: undefined, lines: lines([1, 8]) }, [], []],
    ['reserves what is added to that', lines([1, 9]), { stock: undefined, lines: lines([1, 8]) }, [[1, 1]], []],
  ])('%s', (_, wanted, before, reserved, lacking) => {
    const levels = new Map([
      [1, level(5)],
      [2, level(5)],
    ]);
    const result = reserveLines({ lines: wanted, store: 1, levels, before });
    expect(result.stock.products.map(({ product, quantity }) => [product, quantity])).toEqual(reserved);
    expect([...result.lacking]).toEqual(lacking);
  });
});

const order = (changes: Partial<StockedOrder> = {}): StockedOrder => ({
  stock: held([7, 3]),
  orderStatus: 'approved',
  paymentStatus: 'unpaid',
  paymentMethod: { collection: 'card' },
  dispensed: null,
  ...changes,
});
const filled = { orderStatus: 'in_process', dispensed: {} };

describe('a change of an order', () => {
  it.each<[string, StockedOrder | null, StockedOrder, [number, number] | null]>([
    ['reserves when it is placed', null, order(), [-3, 3]],
    ['frees when it is cancelled', order(), order({ orderStatus: 'cancelled' }), [3, -3]],
    ['frees when its payment is rejected', order(), order({ paymentStatus: 'rejected' }), [3, -3]],
    ['keeps it when nobody collects', order(), order({ paymentMethod: {}, paymentStatus: 'rejected' }), null],
    ['reserves anew when it is paid again', order({ paymentStatus: 'rejected' }), order(), [-3, 3]],
    ['takes out when it is filled', order(), order(filled), [0, -3]],
    ['does not take out twice', order(filled), order({ ...filled, orderStatus: 'delayed' }), null],
    ['keeps out what was filled', order(filled), order({ ...filled, paymentStatus: 'rejected' }), null],
    ['reserves again when it is not filled after all', order(filled), order({ orderStatus: 'shortage' }), [0, 3]],
    ['changes by the difference', order(), order({ stock: held([7, 1]) }), [2, -2]],
    ['changes nothing of an order without stock', null, { ...order(), stock: held() }, null],
  ])('%s', (_, before, after, change) => {
    const changes = listStockChanges(before, after);
    expect(changes).toEqual(change ? [{ store: 1, product: 7, available: change[0], reserved: change[1] }] : []);
  });
});
