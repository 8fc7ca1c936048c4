import { describe, expect, it } from 'vitest';
import { type Order, orderFates } from '../../../shared/order/order.ts';
import type { Act } from '../../../shared/order/order-history.ts';
import { findFirstApproval } from '../../../shared/order/order-history.ts';
import { changeOrderWrites, createOrderWrites } from '../../../shared/order/order-writes.ts';
import { nextVersion } from '../../../shared/order/orders.ts';
import { applyFates } from '../../../shared/people/person.ts';
import { taxDocument } from '../../support/invoices/tax-documents.ts';
import { forceVersion } from '../../support/orders/forced-order.ts';
import { syntheticOrder, unverifiedPrescription } from '../../support/orders/synthetic-orders.ts';

const USER: Act = { by: { user: 5 }, now: new Date('2026-01-02T18:00:00.000Z') };
const OPERATOR: Act = {
  by: { operator: 'arn:aws:iam::123456789012:user/ana' },
  now: new Date('2026-01-03T09:30:00.500Z'),
};
const JOB: Act = { by: 'system', now: new Date('2026-01-04T00:00:00.000Z') };

const PRESCRIPTION = unverifiedPrescription(12, 'key');
const VERIFIED = { ...PRESCRIPTION, verification: { at: '2026-01-03T18:00:00.000Z', by: 'ana', lines: [] } };
const INVOICE = taxDocument({ status: 'issued', key: 'order-7-one', mail: 'sending' });
const PRESCRIBER = { name: 'Dra. Eva Luna', licence: '1234567', address: null };
const REJECTION = { at: '2026-01-03T18:00:00.000Z', by: 'ana', reason: 'Sin firma' };
const order = syntheticOrder({ id: 7, prescriptions: [PRESCRIPTION], invoice: INVOICE, cfdi: 'one' });
const news = (changes: Partial<Order>, before: Order = order, act = USER) =>
  forceVersion(before, changes, act).history.slice(before.history.length);
const whatOf = (changes: Partial<Order>, before?: Order) => news(changes, before).map(({ what }) => what);

describe('the next version of an order', () => {
  it('has no field that a change has left out', () => {
    const refunded = syntheticOrder({
      id: 7,
      refunds: [{ cents: 100, form: '01', at: '2026-01-02T18:00:00.000Z', parts: [] }],
    });
    const { refunds: _, ...rest } = refunded;
    expect(nextVersion(refunded, rest, OPERATOR)).not.toHaveProperty('refunds');
  });
});

describe('the history of an order', () => {
  it('begins with its creation by the user who placed it', () => {
    expect(syntheticOrder({ id: 7 }).history).toEqual([
      { what: 'created', at: '2026-01-02T18:00:00.000Z', version: 1, by: { user: 5 } },
    ]);
  });

  it('says who moved it, when, from where to where and to which version', () => {
    expect(news({ orderStatus: 'in_process' }, order, OPERATOR)).toEqual([
      {
        what: 'moved',
        at: '2026-01-03T09:30:00.500Z',
        version: 2,
        by: { operator: 'arn:aws:iam::123456789012:user/ana' },
        from: 'approved',
        to: 'in_process',
      },
    ]);
  });

  it.each<[readonly string[], Partial<Order>]>([
    [['cancelled'], { orderStatus: 'cancelled' }],
    [['cancelled', 'invoice_cancelling'], { orderStatus: 'cancelled', invoice: { ...INVOICE, status: 'cancelling' } }],
    [['paid'], { paymentStatus: 'paid', paymentDate: '2026-01-03T09:30:00.500Z' }],
    [['payment_moved'], { paymentStatus: 'processing' }],
    [['changed'], { lines: [], totalCents: 0 }],
    [['changed'], { comments: 'Tocar el timbre' }],
    [['changed'], {}],
    [['paid', 'changed'], { paymentStatus: 'paid', lines: [] }],
    [['prescription_attached'], { prescriptions: [PRESCRIPTION, { ...PRESCRIPTION, id: 13 }] }],
    [['prescription_verified'], { prescriptions: [VERIFIED] }],
    [['prescription_verified'], { prescriptions: [{ ...VERIFIED, prescriber: PRESCRIBER }] }],
    [['prescriber_recorded'], { prescriptions: [{ ...PRESCRIPTION, prescriber: PRESCRIBER }] }],
    [
      ['prescription_verified', 'prescription_age_accepted'],
      { prescriptions: [{ ...VERIFIED, verification: { ...VERIFIED.verification, isAgeAccepted: true } }] },
    ],
    [['prescription_rejected'], { prescriptions: [{ ...PRESCRIPTION, rejection: REJECTION }] }],
    [['invoice_requested'], { invoice: { ...INVOICE, key: 'order-7-two', status: 'requested', mail: null } }],
    [['invoice_not_issued'], { invoice: { ...INVOICE, status: 'not_issued', mail: null } }],
    [['invoice_refused'], { invoice: { ...INVOICE, status: 'refused', mail: null } }],
    [['invoice_retrying'], { invoice: { ...INVOICE, status: 'retrying', mail: null } }],
    // A document that a job only makes anew was told when it failed first.
    [[], { invoice: { ...INVOICE, key: 'order-7-two', status: 'requested', retries: 1, mail: null } }],
    [[], { invoice: { ...INVOICE, status: 'retrying', retries: 2, mail: null } }],
    [['invoice_not_issued'], { invoice: { ...INVOICE, status: 'not_issued', retries: 9, mail: null } }],
    [['invoice_handled'], { invoice: { ...INVOICE, handled: ['complement_due'] } }],
    [['invoice_mailed'], { invoice: { ...INVOICE, mail: 'sent' } }],
    [['mail_given_up'], { invoice: { ...INVOICE, mail: 'given_up' } }],
    [
      ['erased'],
      { patient: { ...order.patient, email: '' }, prescriptions: [], invoice: { ...INVOICE, reason: null } },
    ],
    [
      ['erased'],
      { patient: { ...order.patient, deletedAt: '2026-01-03T18:00:00.000Z' }, prescriptions: [], comments: '' },
    ],
  ])('tells %s', (expected, changes) => {
    expect(whatOf(changes)).toEqual(expected);
  });

  it('names the prescriptions that were attached or verified, again too', () => {
    const two = { ...PRESCRIPTION, id: 13 };
    const before = forceVersion(order, { prescriptions: [PRESCRIPTION, two] }, OPERATOR);
    expect(before.history.at(-1)).toMatchObject({ prescriptions: [13] });
    const after = forceVersion(before, { prescriptions: [VERIFIED, { ...VERIFIED, id: 13 }] }, OPERATOR);
    expect(after.history.at(-1)).toMatchObject({ what: 'prescription_verified', prescriptions: [12, 13] });
    const again = { ...VERIFIED, verification: { ...VERIFIED.verification, at: '2026-01-04T18:00:00.000Z' } };
    expect(news({ prescriptions: [again, { ...VERIFIED, id: 13 }] }, after)).toMatchObject([{ prescriptions: [12] }]);
  });

  it('says why each prescription was rejected, and forgets it with the patient', () => {
    const rejected = [12, 13].map((id) => ({
      ...PRESCRIPTION,
      id,
      rejection: { ...REJECTION, reason: `Motivo ${id}` },
    }));
    const prescriptions = [PRESCRIPTION, { ...PRESCRIPTION, id: 13 }];
    const after = forceVersion({ ...order, prescriptions }, { prescriptions: rejected }, OPERATOR);
    expect(after.history.slice(-2)).toMatchObject([
      { what: 'prescription_rejected', prescriptions: [12], reason: 'Motivo 12' },
      { what: 'prescription_rejected', prescriptions: [13], reason: 'Motivo 13' },
    ]);
    expect(applyFates(after, orderFates(after, 'erased')).history.at(-1)).toEqual({
      what: 'prescription_rejected',
      at: '2026-01-03T09:30:00.500Z',
      version: 2,
      by: OPERATOR.by,
      prescriptions: [13],
    });
  });

  it('does not tell that a job has looked at an invoice or tried its mail', () => {
    expect(
      whatOf({ invoice: { ...INVOICE, tasks: { issue: { tries: 3, dueAt: '2026-01-05T00:00:00.000Z' } } } }),
    ).toEqual([]);
    expect(whatOf({ invoice: { ...INVOICE, mail: 'due' } })).toEqual([]);
  });

  it('has at most 50 events and says how many it has lost: the oldest of the most frequent kind', () => {
    let long = forceVersion(order, { paymentStatus: 'paid' }, OPERATOR);
    for (let count = 0; count < 3_000; count++) long = forceVersion(long, { comments: `${count}` }, USER);
    long = forceVersion(long, { orderStatus: 'in_process' }, OPERATOR);
    expect(long.history).toHaveLength(50);
    expect(long.historyOmitted).toBe(2_954);
    expect(long.history.filter(({ what }) => what !== 'changed')).toMatchObject([
      { what: 'created', version: 1 },
      { what: 'invoice_issued', version: 1 },
      { what: 'paid', version: 2 },
      { what: 'moved', version: 3_003 },
    ]);
    expect(long.history.at(-2)).toMatchObject({ what: 'changed', version: 3_002 });
  });

  it('never loses the first approval of an order that waited for it', () => {
    const day = (date: number) => ({ ...OPERATOR, now: new Date(Date.UTC(2026, 0, date, 12)) });
    let long: Order = { ...order, orderStatus: 'pending_approval' };
    expect(findFirstApproval(long)).toBeNull();
    long = forceVersion(long, { orderStatus: 'quoted' }, day(3));
    expect(findFirstApproval(long)).toBeNull();
    long = forceVersion(long, { orderStatus: 'approved' }, day(4));
    for (let count = 0; count < 100; count++) {
      const orderStatus = count % 2 === 0 ? 'quoted' : 'approved';
      long = forceVersion(long, { orderStatus }, day(5));
    }
    expect(long.history).toHaveLength(50);
    expect(findFirstApproval(long)).toBe('2026-01-04T12:00:00.000Z');
  });

  it('has no first approval of an order that never waited for it', () => {
    const short = forceVersion({ ...order, orderStatus: 'approved' }, { orderStatus: 'shortage' }, OPERATOR);
    expect(findFirstApproval(forceVersion(short, { orderStatus: 'approved' }, OPERATOR))).toBeNull();
  });
});

describe('the writes of an order', () => {
  it('are refused when its history does not tell its creation', () => {
    expect(createOrderWrites(order).length).toBeGreaterThan(0);
    expect(() => createOrderWrites({ ...order, history: [] })).toThrow('missing in its history');
  });

  it('are refused when its history does not tell its change, or tells another one', () => {
    const after = forceVersion(order, { paymentStatus: 'paid' }, JOB);
    expect(changeOrderWrites(order, after).length).toBeGreaterThan(0);
    expect(() => changeOrderWrites(order, { ...after, history: order.history })).toThrow('missing in its history');
    expect(() => changeOrderWrites(order, { ...after, paymentStatus: 'unpaid' })).toThrow('missing in its history');
    expect(() => changeOrderWrites(order, { ...after, orderStatus: 'cancelled' })).toThrow('missing in its history');
  });
});
