import { describe, expect, it } from 'vitest';
import { toPublicEvent } from '../../../shared/events/public-event.ts';
import { type OrderEvent, storedEvent } from '../../../shared/order/order-events.ts';

const entry = (what: OrderEvent['what'], version: number, more: Partial<OrderEvent> = {}): OrderEvent => ({
  clientId: 1,
  orderId: 7,
  version,
  place: 0,
  what,
  at: `2026-01-0${version}T18:00:00.000Z`,
  by: { operator: 'arn:aws:iam::123456789012:user/ana' },
  orderStatus: 'approved',
  paymentStatus: 'unpaid',
  ...more,
});

const TYPES: readonly (readonly [string, string])[] = [
  ['created', 'order.created'],
  ['changed', 'order.changed'],
  ['tagged', 'order.changed'],
  ['claim_moved', 'order.changed'],
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
    expect(toPublicEvent(entry(what as OrderEvent['what'], 1))).toMatchObject({
      id: 'evt_7_1_0',
      type,
      time: '2026-01-01T18:00:00.000Z',
    });
  });

  it('tell no other event', () => {
    const unpublished = storedEvent.shape.what.options.filter(
      (what) => !TYPES.some(([published]) => published === what),
    );
    expect(unpublished).toHaveLength(35);
    expect(unpublished.map((what) => toPublicEvent(entry(what, 1))).filter((event) => event !== null)).toEqual([]);
  });

  it('have ids by version and place', () => {
    expect(toPublicEvent(entry('invoice_issued', 1, { place: 2 }))?.id).toBe('evt_7_1_2');
  });

  it('say the statuses right after each of them, and from where to where one moved', () => {
    const events = [
      entry('created', 1, { orderStatus: 'pending_approval' }),
      entry('moved', 2, { from: 'pending_approval', to: 'approved' }),
      entry('paid', 3, { from: 'unpaid', to: 'paid', paymentStatus: 'paid' }),
    ].map(toPublicEvent);
    expect(events.map((event) => [event?.order.order_status, event?.order.payment_status, event?.move])).toEqual([
      ['pending_approval', 'unpaid', null],
      ['approved', 'unpaid', { status: 'order_status', from: 'pending_approval', to: 'approved' }],
      ['approved', 'paid', { status: 'payment_status', from: 'unpaid', to: 'paid' }],
    ]);
  });

  it('say who carries what was shipped', () => {
    const shipped = entry('moved', 1, {
      from: 'ready',
      to: 'shipped',
      shipment: { carrier: 'Correos', trackingNumber: 'RR123456789MX' },
    });
    expect(toPublicEvent(shipped)?.shipment).toEqual({ carrier: 'Correos', tracking_number: 'RR123456789MX' });
    expect(toPublicEvent(entry('moved', 2, { from: 'shipped', to: 'delivered' }))?.shipment).toBeNull();
  });

  it('name prescriptions by id, say what went back, and hold no operator, nor a reason but that of a cancellation', () => {
    const events = [
      entry('prescription_rejected', 1, { prescriptions: [12], reason: 'Ana Paz no firmó' }),
      entry('refunded', 2, { from: '50.00', to: '120.50', reason: 'Ana Paz llamó' }),
      entry('cancelled', 3, { reason: 'No hay' }),
    ];
    const told = { id: 7, folio: 'RX-00000007', order_status: 'approved', payment_status: 'unpaid' };
    const nothing = { move: null, shipment: null, refunded: null, reason: null, prescriptions: [] };
    expect(events.map(toPublicEvent)).toEqual([
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
      {
        ...nothing,
        ...{ id: 'evt_7_3_0', type: 'order.cancelled', time: '2026-01-03T18:00:00.000Z' },
        order: { ...told, version: 3 },
        reason: 'No hay',
      },
    ]);
  });
});
