import { describe, expect, it } from 'vitest';
import { listEvents } from '../../../shared/events/from-history.ts';
import { type OrderEvent, storedEvent } from '../../../shared/order/order-parts.ts';

const entry = (what: OrderEvent['what'], version: number, more: Partial<OrderEvent> = {}): OrderEvent => ({
  what,
  at: `2026-01-0${version}T18:00:00.000Z`,
  version,
  by: { operator: 'arn:aws:iam::123456789012:user/ana' },
  ...more,
});
const order = (history: readonly OrderEvent[], more = {}) =>
  ({ id: 7, orderStatus: 'approved', paymentStatus: 'unpaid', historyOmitted: 0, history, ...more }) as const;

const TYPES: readonly (readonly [string, string])[] = [
  ['created', 'order.created'],
  ['changed', 'order.changed'],
  ['cancelled', 'order.cancelled'],
  ['moved', 'order.moved'],
  ['paid', 'order.paid'],
  ['payment_moved', 'order.changed'],
  ['refunded', 'order.refunded'],
  ['payment_requested', 'payment.requested'],
  ['payment_rejected', 'payment.rejected'],
  ['refund_failed', 'order.changed'],
  ['prescription_attached', 'order.changed'],
  ['prescription_verified', 'prescription.verified'],
  ['prescription_rejected', 'prescription.rejected'],
  ['invoice_refused', 'invoice.failed'],
  ['invoice_not_issued', 'invoice.failed'],
  ['invoice_issued', 'invoice.issued'],
  ['invoice_cancelled', 'invoice.cancelled'],
  ['erased', 'order.changed'],
];

describe('the events of an order', () => {
  it.each(TYPES)('tell %s as %s', (what, type) => {
    const [event] = listEvents(order([entry(what as OrderEvent['what'], 1)]), 0);
    expect(event).toMatchObject({ id: 'evt_7_1_0', type, time: '2026-01-01T18:00:00.000Z' });
  });

  it('tell no other entry of a history', () => {
    const untold = storedEvent.shape.what.options.filter((what) => !TYPES.some(([told]) => told === what));
    expect(untold).toHaveLength(34);
    expect(listEvents(order(untold.map((what) => entry(what, 1))), 0)).toEqual([]);
  });

  it('have ids by version and place, also behind an entry that is not told', () => {
    const history = [
      ...(['created', 'invoice_requested', 'invoice_issued'] as const).map((what) => entry(what, 1)),
      entry('changed', 2),
    ];
    expect(listEvents(order(history), 0).map(({ id }) => id)).toEqual(['evt_7_1_0', 'evt_7_1_2', 'evt_7_2_0']);
  });

  it('are those behind a version', () => {
    const history = [entry('created', 1), entry('changed', 2), entry('changed', 3)];
    expect(listEvents(order(history), 2).map(({ id }) => id)).toEqual(['evt_7_3_0']);
    expect(listEvents(order(history), 3)).toEqual([]);
  });

  it('say the statuses right after each of them, and from where to where one moved', () => {
    const history = [
      entry('created', 1),
      entry('moved', 2, { from: 'pending_approval', to: 'approved' }),
      entry('paid', 3, { from: 'unpaid', to: 'paid' }),
      entry('moved', 4, { from: 'approved', to: 'in_process' }),
    ];
    const told = listEvents(order(history, { orderStatus: 'in_process', paymentStatus: 'paid' }), 0);
    expect(
      told.map(({ order: { order_status, payment_status }, move }) => [order_status, payment_status, move]),
    ).toEqual([
      ['pending_approval', 'unpaid', null],
      ['approved', 'unpaid', { status: 'order_status', from: 'pending_approval', to: 'approved' }],
      ['approved', 'paid', { status: 'payment_status', from: 'unpaid', to: 'paid' }],
      ['in_process', 'paid', { status: 'order_status', from: 'approved', to: 'in_process' }],
    ]);
  });

  it('say who carries what was shipped, each shipment in its own event', () => {
    const move = (from: string, to: string) => ({ from, to });
    const history = [
      entry('moved', 1, move('ready', 'shipped')),
      entry('moved', 2, move('shipped', 'delivered')),
      entry('moved', 3, move('ready', 'shipped')),
    ];
    const shipments = [
      { carrier: 'Correos', trackingNumber: 'RR123456789MX', trackingUrl: null, shippedAt: '2026-01-01T18:00:00.000Z' },
      { carrier: null, trackingNumber: '77', trackingUrl: null, shippedAt: '2026-01-03T18:00:00.000Z' },
    ];
    const told = listEvents(order(history, { shipments }), 0);
    expect(told.map(({ shipment }) => shipment)).toEqual([
      { carrier: 'Correos', tracking_number: 'RR123456789MX' },
      null,
      { carrier: null, tracking_number: '77' },
    ]);
    const erased = listEvents(order(history, { shipments: [] }), 0);
    expect(erased.map(({ shipment }) => shipment)).toEqual([null, null, null]);
  });

  it('say no status that a history no longer tells', () => {
    const history = [entry('created', 1), entry('moved', 3, { from: 'shortage', to: 'approved' }), entry('changed', 4)];
    const told = listEvents(order(history, { historyOmitted: 1 }), 0);
    expect(told.map(({ order: { order_status } }) => order_status)).toEqual([null, 'approved', 'approved']);
  });

  it('name prescriptions by id, say what went back, and hold no reason or operator', () => {
    const history = [
      entry('prescription_rejected', 1, { prescriptions: [12], reason: 'Ana Paz no firmó' }),
      entry('refunded', 2, { from: '50.00', to: '120.50' }),
    ];
    const told = { id: 7, folio: 'RX-00000007', order_status: 'approved', payment_status: 'unpaid' };
    const nothing = { move: null, shipment: null, refunded: null, prescriptions: [] };
    expect(listEvents(order(history), 0)).toEqual([
      {
        ...nothing,
        ...{ id: 'evt_7_1_0', type: 'prescription.rejected', time: '2026-01-01T18:00:00.000Z' },
        order: { ...told, version: 1 },
        prescriptions: [12],
      },
      {
        ...nothing,
        ...{ id: 'evt_7_2_0', type: 'order.refunded', time: '2026-01-02T18:00:00.000Z' },
        order: { ...told, version: 2 },
        refunded: '70.50',
      },
    ]);
  });
});
