import { describe, expect, it } from 'vitest';
import {
  getListStatus,
  getOpenActions,
  INVOICE_LIST_STATUSES,
  markHandled,
} from '../../../shared/domain/invoices/invoice-status.ts';
import {
  applyCancellation,
  cancelInvoice,
  claimMail,
  finishMail,
  type InvoiceableOrder,
  invoiceRefusal,
  isAttemptLost,
  isWithinWindow,
  markIssued,
  markNotIssued,
  type OrderInvoice,
  postponeCheck,
  postponeMail,
  startAttempt,
} from '../../../shared/domain/invoices/order-invoice.ts';

const MEXICO = 'America/Mexico_City';
const NOON = new Date('2026-11-23T18:00:00.000Z');
const LATER = new Date('2026-11-23T19:00:00.000Z');
const attempt = startAttempt('order-7-a', 'PUE', NOON);
const invoice = markIssued(attempt, 'approved', NOON);

describe('an invoice can be asked for', () => {
  it.each([
    ['at once', '2026-11-10T18:00:00.000Z', '2026-11-10T18:00:00.000Z', true],
    ['at 72 hours', '2026-11-10T18:00:00.000Z', '2026-11-13T18:00:00.000Z', true],
    ['not a second later', '2026-11-10T18:00:00.000Z', '2026-11-13T18:00:01.000Z', false],
    ['not a millisecond later', '2026-11-10T18:00:00.000Z', '2026-11-13T18:00:00.001Z', false],
    // 20:00 on the 31st is already the next day in UTC.
    ['at 20:00 on the 31st, of the morning', '2026-12-31T16:00:00.000Z', '2027-01-01T02:00:00.000Z', true],
    ['to the last second of the month', '2026-12-31T16:00:00.000Z', '2027-01-01T05:59:59.999Z', true],
    ['not in the next month', '2026-12-31T16:00:00.000Z', '2027-01-01T06:00:00.000Z', false],
    // An order of 20:00 on the 31st is already in January in UTC.
    ['in the month of the shop, not of UTC', '2027-01-01T02:00:00.000Z', '2027-01-01T05:59:59.999Z', true],
    ['and not after it', '2027-01-01T02:00:00.000Z', '2027-01-01T06:00:00.000Z', false],
    ['not in the same month of another year', '2025-11-10T18:00:00.000Z', '2026-11-10T18:00:00.000Z', false],
  ])('%s', (_, createdAt, now, expected) => {
    expect(isWithinWindow(new Date(createdAt), new Date(now), MEXICO)).toBe(expected);
  });

  const order: InvoiceableOrder = {
    orderStatus: 'approved',
    totalCents: 13_600,
    cfdi: '',
    invoice: null,
    createdAt: '2026-11-23T18:00:00.000Z',
  };
  it.each<[string, Partial<InvoiceableOrder>, string | null]>([
    ['of an order that has none', {}, null],
    ['of a delivered order', { orderStatus: 'delivered' }, null],
    ['again when it was not issued', { invoice: markNotIssued(attempt, 'unavailable') }, null],
    ['not of a cancelled order', { orderStatus: 'cancelled' }, 'order_cancelled'],
    ['not of one that is invoiced', { cfdi: '58e93bd8e86eb318b0197456', invoice }, 'order_invoiced'],
    ['not while one is under way', { invoice: attempt }, 'invoice_in_progress'],
    ['not of an order that costs nothing', { totalCents: 0 }, 'nothing_to_invoice'],
    ['not too late', { createdAt: '2026-11-20T17:59:59.999Z' }, 'invoice_window_closed'],
  ])('%s', (_, change, refusal) => {
    expect(invoiceRefusal({ ...order, ...change }, NOON, MEXICO)).toBe(refusal);
  });
});

describe('an attempt', () => {
  it('is checked after a minute, and then after 2, 4, 8 and so on to 60', () => {
    expect(attempt).toEqual({
      status: 'requested',
      key: 'order-7-a',
      paymentMethod: 'PUE',
      requestedAt: '2026-11-23T18:00:00.000Z',
      issuedAt: null,
      reason: null,
      mail: null,
      handled: [],
      checks: 0,
      dueAt: '2026-11-23T18:01:00.000Z',
    });
    const pauses: (string | null)[] = [];
    let looked: OrderInvoice = attempt;
    for (let look = 0; look < 7; look++) {
      looked = postponeCheck(looked, NOON);
      pauses.push(looked.dueAt);
    }
    expect(pauses.map((time) => time?.slice(11, 16))).toEqual([
      '18:02',
      '18:04',
      '18:08',
      '18:16',
      '18:32',
      '19:00',
      '19:00',
    ]);
  });

  it('is lost after 15 minutes', () => {
    expect(isAttemptLost(attempt, new Date('2026-11-23T18:14:59.999Z'))).toBe(false);
    expect(isAttemptLost(attempt, new Date('2026-11-23T18:15:00.000Z'))).toBe(true);
  });

  it('that was not issued has a reason, and is not checked again', () => {
    expect(markNotIssued(attempt, 'refused')).toEqual({
      ...attempt,
      status: 'not_issued',
      reason: 'refused',
      dueAt: null,
    });
  });

  it('that was issued is mailed next', () => {
    expect(markIssued(attempt, 'approved', LATER)).toEqual({
      ...attempt,
      status: 'issued',
      issuedAt: '2026-11-23T19:00:00.000Z',
      mail: { status: 'sending', tries: 1 },
      dueAt: '2026-11-23T19:10:00.000Z',
    });
  });

  it('that was issued after its order was cancelled is cancelled at once, and is not mailed', () => {
    expect(markIssued(attempt, 'cancelled', LATER)).toEqual({
      ...attempt,
      status: 'cancelling',
      issuedAt: '2026-11-23T19:00:00.000Z',
      mail: null,
      dueAt: '2026-11-23T19:00:00.000Z',
    });
  });
});

describe('cancelling an order', () => {
  it('has its invoice cancelled', () => {
    expect(cancelInvoice(invoice, LATER)).toEqual({
      ...invoice,
      status: 'cancelling',
      dueAt: '2026-11-23T19:00:00.000Z',
    });
  });

  it.each([
    ['an attempt under way', attempt],
    ['an attempt that was not issued', markNotIssued(attempt, 'refused')],
    ['a cancelled invoice', { ...invoice, status: 'cancelled', dueAt: null } as OrderInvoice],
  ])('leaves %s as it is', (_, before) => {
    expect(cancelInvoice(before, LATER)).toEqual(before);
  });

  const cancelling = cancelInvoice(invoice, NOON);
  it.each([
    ['accepted', 'cancelled', null],
    ['pending', 'cancellation_pending', '2026-11-23T19:01:00.000Z'],
    ['rejected', 'cancellation_rejected', null],
    ['none', 'cancelling', '2026-11-23T19:02:00.000Z'],
  ] as const)('whose cancellation is %s makes it %s', (news, status, dueAt) => {
    expect(applyCancellation(cancelling, news, LATER)).toMatchObject({ status, dueAt });
  });

  it('asks again for a cancellation that is pending', () => {
    const pending = applyCancellation(cancelling, 'pending', NOON);
    expect(applyCancellation(pending, 'pending', LATER)).toMatchObject({
      status: 'cancellation_pending',
      checks: 1,
      dueAt: '2026-11-23T19:02:00.000Z',
    });
  });
});

describe('the mail of an invoice', () => {
  it('that SES refuses is due again after pauses that grow, and given up in the end', () => {
    let mailed = invoice;
    const pauses: number[] = [];
    while (mailed.mail?.status !== 'given_up') {
      mailed = postponeMail(mailed, NOON);
      if (mailed.dueAt) pauses.push((Date.parse(mailed.dueAt) - NOON.getTime()) / 60_000);
      if (mailed.mail?.status === 'due') mailed = claimMail(mailed, NOON);
    }
    expect(pauses).toEqual([1, 5, 15, 60, 180, 360, 720, 1_440, 1_440]);
    expect(mailed).toMatchObject({ mail: { status: 'given_up', tries: 10 }, dueAt: null });
  });

  it.each(['sent', 'unconfirmed', 'given_up'] as const)('that is %s is over', (status) => {
    expect(finishMail(invoice, status)).toEqual({ ...invoice, mail: { status, tries: 1 }, dueAt: null });
  });

  it('does not keep an invoice from being cancelled', () => {
    const cancelling = cancelInvoice(invoice, LATER);
    expect(finishMail(cancelling, 'sent').dueAt).toBe('2026-11-23T19:00:00.000Z');
    expect(postponeMail(cancelling, NOON).dueAt).toBe('2026-11-23T19:00:00.000Z');
  });
});

describe('the list status', () => {
  it('is one of eleven, by which operators list invoices', () => {
    expect(INVOICE_LIST_STATUSES.join(', ')).toBe(
      'requested, not_issued, issued, mail_due, cancelling, cancellation_pending, cancelled, cancellation_rejected, complement_due, mail_unconfirmed, mail_given_up',
    );
  });

  const sent = finishMail(invoice, 'sent');
  const onCredit = finishMail(markIssued(startAttempt('order-7-b', 'PPD', NOON), 'approved', NOON), 'sent');
  const rejected = applyCancellation(cancelInvoice(onCredit, NOON), 'rejected', NOON);
  it.each<[OrderInvoice, Parameters<typeof getListStatus>[1], string]>([
    [attempt, 'unpaid', 'requested'],
    [markNotIssued(attempt, 'refused'), 'unpaid', 'not_issued'],
    [invoice, 'unpaid', 'mail_due'],
    [postponeMail(invoice, NOON), 'unpaid', 'mail_due'],
    [finishMail(invoice, 'unconfirmed'), 'unpaid', 'mail_unconfirmed'],
    [finishMail(invoice, 'given_up'), 'unpaid', 'mail_given_up'],
    [sent, 'unpaid', 'issued'],
    [sent, 'paid', 'issued'],
    [onCredit, 'credit', 'issued'],
    [onCredit, 'paid', 'complement_due'],
    [finishMail(onCredit, 'given_up'), 'paid', 'complement_due'],
    [postponeMail(onCredit, NOON), 'paid', 'mail_due'],
    [cancelInvoice(onCredit, NOON), 'paid', 'cancelling'],
    [rejected, 'paid', 'cancellation_rejected'],
    // The first invoice had its mail under way, the second had none.
    [applyCancellation(cancelInvoice(invoice, NOON), 'rejected', NOON), 'unpaid', 'cancellation_rejected'],
    [applyCancellation(markIssued(attempt, 'cancelled', NOON), 'rejected', NOON), 'unpaid', 'cancellation_rejected'],
    // An action that a person has handled gives way to the next one.
    [markHandled(rejected, ['cancellation_rejected']), 'paid', 'complement_due'],
    [markHandled(rejected, ['cancellation_rejected']), 'credit', 'issued'],
    [markHandled(markHandled(rejected, ['cancellation_rejected']), ['complement_due']), 'paid', 'issued'],
    [markHandled(onCredit, ['complement_due']), 'paid', 'issued'],
    [markHandled(finishMail(invoice, 'given_up'), ['mail_given_up']), 'unpaid', 'issued'],
  ])('%#', (before, paymentStatus, listStatus) => {
    expect(getListStatus(before, paymentStatus)).toBe(listStatus);
  });

  it('lists all open actions of a valid invoice', () => {
    expect(getOpenActions(finishMail(onCredit, 'given_up'), 'paid')).toEqual(['complement_due', 'mail_given_up']);
    expect(getOpenActions(markNotIssued(attempt, 'refused'), 'paid')).toEqual([]);
    expect(getOpenActions(cancelInvoice(onCredit, NOON), 'paid')).toEqual([]);
  });
});
