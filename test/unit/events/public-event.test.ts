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

const TYPES: Readonly<Record<string, readonly OrderEvent['what'][]>> = {
  'order.created': ['created'],
  'order.changed': [
    ...(['changed', 'tagged', 'claim_moved', 'payment_moved'] as const),
    ...(['refund_failed', 'prescription_attached', 'erased'] as const),
  ],
  'order.cancelled': ['cancelled'],
  'order.moved': ['moved'],
  'order.paid': ['paid'],
  'order.refunded': ['refunded'],
  'payment.requested': ['payment_requested'],
  'payment.rejected': ['payment_rejected'],
  'prescription.verified': ['prescription_verified'],
  'prescription.rejected': ['prescription_rejected'],
  'invoice.failed': ['invoice_refused', 'invoice_not_issued'],
  'invoice.issued': ['invoice_issued'],
  'invoice.cancelled': ['invoice_cancelled'],
};

describe('the events of an order', () => {
  it('tell each of these types, and no other', () => {
    const told = storedEvent.shape.what.options.flatMap((what) => {
      const event = toPublicEvent(entry(what, 1));
      return event ? [[what, event.type]] : [];
    });
    const expected = Object.entries(TYPES).flatMap(([type, whats]) => whats.map((what) => [what, type]));
    expect(told.toSorted()).toEqual(expected.toSorted());
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

  it('say who carries what was shipped, name prescriptions by id, say what went back, and hold no operator, nor a reason but that of a cancellation', () => {
    const shipment = { carrier: 'Correos', trackingNumber: 'RR123456789MX' };
    const events = [
      entry('prescription_rejected', 1, { prescriptions: [12], reason: 'Ana Paz no firmó', place: 2 }),
      entry('refunded', 2, { from: '50.00', to: '120.50', reason: 'Ana Paz llamó' }),
      entry('cancelled', 3, { reason: 'No hay' }),
      entry('moved', 4, { from: 'ready', to: 'shipped', shipment }),
    ];
    const told = (version: number) => ({
      ...{ time: `2026-01-0${version}T18:00:00.000Z`, move: null, shipment: null, refunded: null },
      ...{ reason: null, prescriptions: [] },
      order: { id: 7, folio: 'RX-00000007', order_status: 'approved', payment_status: 'unpaid', version },
    });
    expect(events.map(toPublicEvent)).toEqual([
      { ...told(1), id: 'evt_7_1_2', type: 'prescription.rejected', prescriptions: [12] },
      { ...told(2), id: 'evt_7_2_0', type: 'order.refunded', refunded: '70.50' },
      { ...told(3), id: 'evt_7_3_0', type: 'order.cancelled', reason: 'No hay' },
      {
        ...{ ...told(4), id: 'evt_7_4_0', type: 'order.moved' },
        move: { status: 'order_status', from: 'ready', to: 'shipped' },
        shipment: { carrier: 'Correos', tracking_number: 'RR123456789MX' },
      },
    ]);
  });
});
