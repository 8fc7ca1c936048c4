import { describe, expect, it } from 'vitest';
import {
  findArrived,
  joinQueue,
  listStores,
  type QueueOrder,
  TABS,
} from '../../../infra/counter/page/queue/queue-rows.ts';

const order = (id: number, changes: Partial<QueueOrder> = {}): QueueOrder => ({
  id,
  folio: `RX-${id}`,
  client: 1,
  created_at: '2026-11-20T18:00:00.000Z',
  order_status: 'approved',
  payment_status: 'paid',
  patient: 'Ana Paz',
  ...{ condition: false, comment: false, note: false, store: null },
  total: '136.00',
  age_minutes: 10,
  waits_for: ['preparation'],
  due_at: '2026-11-24T23:00:00.000Z',
  is_due: false,
  ...changes,
});
const idsOf = (orders: readonly QueueOrder[]) => orders.map(({ id }) => id);

describe('the queue', () => {
  it('has what is due first at its head, orders and refunds alike, each once', () => {
    const open = [order(1), order(2, { due_at: '2026-11-23T23:00:00.000Z' }), order(3)];
    const refunds = [order(4, { due_at: '2026-11-22T18:00:00.000Z' }), order(3)];
    expect(idsOf(joinQueue(open, refunds))).toEqual([4, 2, 1, 3]);
  });

  it.each([
    ['Para hoy', [2]],
    ['Por verificar', [4, 5]],
    ['Por surtir', [1, 6, 7, 8]],
    ['Por enviar', [2]],
    ['Por entregar', [9, 10]],
    ['Por reembolsar', [3]],
    ['Todas', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  ])('limited to %s has %j', (name, ids) => {
    const store = { id: 1, name: 'Sucursal Centro' };
    const queue = [
      order(1),
      order(2, { is_due: true, order_status: 'ready' }),
      order(3, { order_status: 'cancelled', waits_for: ['refund'] }),
      ...(['quoted', 'pending_approval', 'in_process', 'shortage', 'delayed', 'shipped'] as const).map(
        (status, index) => order(4 + index, { order_status: status }),
      ),
      order(10, { order_status: 'ready', store }),
    ];
    const filter = TABS.find((each) => each.label === name);
    expect(idsOf(queue.filter((each) => filter?.has(each)))).toEqual(ids);
  });
});

it('the stores of a queue are those of its orders, by name', () => {
  const [centro, americana] = [
    { id: 3, name: 'Sucursal Centro' },
    { id: 2, name: 'Sucursal Americana' },
  ];
  const orders = [order(1), order(2, { store: centro }), order(3, { store: americana }), order(4, { store: centro })];
  expect(listStores(orders).map(({ value }) => value)).toEqual(['2', '3']);
});

describe('an order that has arrived', () => {
  const later = (id: number) => order(id, { created_at: '2026-11-20T18:01:00.000Z' });

  it('is one that the queue did not have', () => {
    expect(idsOf(findArrived([order(1)], [order(1), later(2)]))).toEqual([2]);
    expect(idsOf(findArrived([], [order(1)]))).toEqual([1]);
  });

  it('is no older one that has come back, as from a cancellation that is to be refunded', () => {
    expect(findArrived([later(2)], [order(1), later(2)])).toEqual([]);
  });
});
