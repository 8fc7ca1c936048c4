import { describe, expect, it } from 'vitest';
import { toPublicEvent } from '../../../shared/events/public-event.ts';
import { withEvents } from '../../../shared/events/webhooks/deliveries.ts';
import {
  createSecret,
  findUrlFault,
  isPublicAddress,
  judgeAnswer,
  judgeEndpoint,
  nextTryAt,
  parseRetryAfter,
  signatureHeaders,
} from '../../../shared/events/webhooks/send.ts';
import { type OrderEvent, storedEvent } from '../../../shared/order/order-events.ts';

/* Where a webhook may be sent, how it is signed, and what its answer means. */

const NOW = new Date('2026-11-23T18:00:00.000Z');
const next = (tries: number, more: { retryAfterMs?: number; random?: number } = {}) =>
  nextTryAt({ tries, now: NOW, retryAfterMs: more.retryAfterMs }, more.random ?? 0)?.toISOString();

it.each([
  [1, '2026-11-23T18:00:05.000Z'],
  [2, '2026-11-23T18:01:00.000Z'],
  [3, '2026-11-23T18:05:00.000Z'],
  [4, '2026-11-23T18:30:00.000Z'],
  [5, '2026-11-23T20:00:00.000Z'],
  [6, '2026-11-23T23:00:00.000Z'],
  [7, '2026-11-24T04:00:00.000Z'],
  [8, '2026-11-24T08:00:00.000Z'],
  [10, '2026-11-24T14:00:00.000Z'],
  [11, undefined],
])('the next try after try %i is at %s', (tries, expected) => {
  expect(next(tries)).toBe(expected);
});

it.each([
  // Up to a tenth of the pause later.
  [2, { random: 1 }, '2026-11-23T18:01:06.000Z'],
  [2, { random: 0.5 }, '2026-11-23T18:01:03.000Z'],
  // As late as the receiver asks, but not more than an hour, and never earlier.
  [1, { retryAfterMs: 90_000 }, '2026-11-23T18:01:30.000Z'],
  [1, { retryAfterMs: 86_400_000 }, '2026-11-23T19:00:00.000Z'],
  [4, { retryAfterMs: 1_000 }, '2026-11-23T18:30:00.000Z'],
])('the next try after try %i with %j is at %s', (tries, more, expected) => {
  expect(next(tries, more)).toBe(expected);
});

it('an endpoint is disabled after a day of failures, and paused for as long as it asks, an hour at most', () => {
  const judge = (failingSince: string | null, retryAfterMs?: number) =>
    judgeEndpoint({ failingSince, givenUpCount: 0 }, { verdict: 'busy', isGivenUp: false, retryAfterMs }, NOW);
  expect(judge('2026-11-22T18:00:00.001Z').disabled).toBeUndefined();
  expect(judge('2026-11-22T18:00:00.000Z').disabled).toEqual({ by: 'failures', at: '2026-11-23T18:00:00.000Z' });
  expect(judge(null, 120_000).pausedUntil).toBe('2026-11-23T18:02:00.000Z');
  expect(judge(null, 86_400_000).pausedUntil).toBe('2026-11-23T19:00:00.000Z');
});

it('a queue gets events in their order, and counts the tries of its first one alone', () => {
  const queue = { orderId: 1, sequences: [4, 6], tries: 3, dueAt: '2026-11-23T18:00:00.000Z' };
  expect(withEvents(queue, [6])).toBe(queue);
  expect(withEvents(queue, [5, 7])).toEqual({ ...queue, sequences: [4, 5, 6, 7] });
  expect(withEvents(queue, [3])).toEqual({ ...queue, sequences: [3, 4, 6], tries: 0 });
});

describe('an answer', () => {
  it.each([
    [200, undefined, 'delivered'],
    [299, undefined, 'delivered'],
    [199, undefined, 'failed'],
    [300, undefined, 'failed'],
    [410, undefined, 'gone'],
    [429, undefined, 'failed'],
    [429, 5_000, 'busy'],
    [503, 0, 'busy'],
    [500, 5_000, 'failed'],
    [null, undefined, 'failed'],
  ] as const)('%s that asks to wait %s ms is %s', (status, retryAfterMs, verdict) => {
    expect(judgeAnswer({ status, retryAfterMs })).toBe(verdict);
  });

  it.each([
    ['120', 120_000],
    ['Mon, 23 Nov 2026 18:00:30 GMT', 30_000],
    ['Mon, 23 Nov 2026 17:00:00 GMT', 0],
    ['soon', undefined],
    [undefined, undefined],
  ])('that names the time %s asks to wait %s ms', (header, expected) => {
    expect(parseRetryAfter(header, NOW)).toBe(expected);
  });
});

describe('an address', () => {
  it.each([
    ...['1.1.1.1', '8.8.8.8', '100.63.255.255', '100.128.0.0', '172.15.255.255', '172.32.0.1', '192.167.1.1'],
    ...['2606:4700:4700::1111', '2a00:1450:4001::1', '2001:4860:4860::8888', '2001:200::1', '2c0f:fb50::1'],
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    ['of this machine', ['0.0.0.0', '127.0.0.1', '127.255.255.254', '::', '::1']],
    ['of a private network', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd00:ec2::254']],
    ['of a carrier', ['100.64.0.1']],
    ['of a link or a site', ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'fec0::1', '2606:4700:4700::1111%eth0']],
    ['for many', ['224.0.0.1', '255.255.255.255', 'ff02::1']],
    ['for examples and measurements', ['192.0.2.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1']],
    ['for examples of IPv6', ['2001:db8::1', '3fff::1']],
    ['for protocols', ['192.0.0.8', '192.88.99.1', '192.31.196.1', '192.52.193.1', '192.175.48.1', '2620:4f:8000::1']],
    ['of nobody yet', ['240.0.0.1', '4000::1', '5f00::1', '100::1', '2001:1ff::1']],
    ['of IPv4 in IPv6', ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '::7f00:1']],
    ['of a translator or a tunnel', ['64:ff9b::7f00:1', '64:ff9b:1::1', '2001::1', '2002:7f00:1::']],
    ['in no form of one', ['localhost', 'example.com', '1.1', '16843009', '0x1.1.1.1', '']],
  ])('%s is not public', (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});

it.each<[string, 'public' | 'loopback', string | undefined]>([
  ['https://shop.example:8443/hooks?token=1', 'public', undefined],
  ['https://1.1.1.1/', 'public', undefined],
  ['https://[2606:4700:4700::1111]/', 'public', undefined],
  ['shop.example', 'public', 'not_a_url'],
  ['http://shop.example/', 'public', 'not_https'],
  ['file:///etc/passwd', 'public', 'not_https'],
  ['https://ana:clave@shop.example/', 'public', 'url_with_credentials'],
  ['https://ana@shop.example/', 'public', 'url_with_credentials'],
  ['https://127.0.0.1/', 'public', 'address_not_public'],
  ['https://2130706433/', 'public', 'address_not_public'],
  ['https://[::ffff:10.0.0.1]/', 'public', 'address_not_public'],
  [`https://shop.example/${'a'.repeat(2_028)}`, 'public', 'url_too_long'],
  // The local server also reaches this machine, by http too, and no other private address.
  ['http://localhost:4000/', 'public', 'not_https'],
  ['http://localhost:4000/', 'loopback', undefined],
  ['http://127.0.0.1:4000/', 'loopback', undefined],
  ['https://[::1]/', 'loopback', undefined],
  ['http://10.0.0.1/', 'loopback', 'not_https'],
  ['https://10.0.0.1/', 'loopback', 'address_not_public'],
  ['http://shop.example/', 'loopback', 'not_https'],
])('the URL %s of a %s endpoint has the fault %s', (url, reach, fault) => {
  expect(findUrlFault(url, reach)).toBe(fault);
});

it('a webhook has the signature that the specification shows for its example, and one by each other secret', () => {
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', sentAt: new Date(1_614_265_330_000) };
  const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', createSecret()];
  expect(signatureHeaders({ ...message, body: '{"test": 2432232314}' }, secrets)).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': expect.stringMatching(/^v1,g0hM9SsE\+OTPJTGt\/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,[^ ]{44}$/),
  });
  // 32 random bytes.
  expect(secrets[1]).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(createSecret()).not.toBe(secrets[1]);
});

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
