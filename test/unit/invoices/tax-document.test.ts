import { describe, expect, it } from 'vitest';
import {
  countRetry,
  isAttemptLost,
  markIssued,
  markNotIssued,
  markRefused,
  postponeAttempt,
  restartAttempt,
  startAttempt,
} from '../../../shared/invoices/rules/attempts.ts';
import {
  getIssueEnd,
  getListStatus,
  getNextDue,
  getOpenActions,
  INVOICE_LIST_STATUSES,
  type InvoiceableOrder,
  invoiceRefusal,
  issueRefusal,
  isWithinWindow,
  listDueTasks,
  listOpenActions,
  markHandled,
} from '../../../shared/invoices/rules/invoice-status.ts';
import {
  applyCancellation,
  cancelInvoice,
  claimMail,
  finishMail,
  postponeMail,
  recordCopy,
  repeatCancellation,
} from '../../../shared/invoices/rules/issued-document.ts';
import { repeatTask } from '../../../shared/invoices/rules/tasks.ts';
import { nameFiles, type TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import type { PaymentStatus } from '../../../shared/order/rules/status.ts';
import { ISSUED, NO_SALE, taxDocument } from '../../support/invoices/tax-documents.ts';

const MEXICO = 'America/Mexico_City';
const NOON = new Date('2026-11-23T18:00:00.000Z');
const LATER = new Date('2026-11-23T19:00:00.000Z');
const attempt = startAttempt(
  { kind: 'invoice', key: 'order-7-a', amountCents: 13_600, paymentMethod: 'PUE', paymentForm: '03' },
  NOON,
);
const APPROVED = { orderStatus: 'approved', paymentStatus: 'unpaid', timeZone: MEXICO } as const;
const CANCELLED = { ...APPROVED, orderStatus: 'cancelled' } as const;
const invoice = markIssued(attempt, ISSUED, { ...APPROVED, now: NOON });
// December begins at 06:00 of UTC in Mexico City.
const DECEMBER = '2026-12-01T06:00:00.000Z';
const order = {
  orderStatus: 'approved',
  paymentStatus: 'unpaid',
  paymentDate: null,
  totalCents: 13_600,
  invoice: null,
  documents: [],
} as const;

describe('an invoice can be asked for', () => {
  it.each([
    ['at once', '2026-11-10T18:00:00.000Z', '2026-11-10T18:00:00.000Z', true],
    ['at 72 hours', '2026-11-10T18:00:00.000Z', '2026-11-13T18:00:00.000Z', true],
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
    expect(isWithinWindow({ createdAt }, new Date(now), MEXICO)).toBe(expected);
  });

  const unpaid: InvoiceableOrder = {
    orderStatus: 'approved',
    paymentStatus: 'unpaid',
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
    ['not of one that is in a global invoice', { global: { period: '2026-11', part: 1 } }, 'order_invoiced'],
    ['not while one is under way', { invoice: attempt }, 'invoice_in_progress'],
    ['again while a job tries to issue it', { invoice: { ...attempt, status: 'retrying' } }, null],
    ['again when its data were refused', { invoice: markRefused(attempt) }, null],
    ['while its payment is under way', { paymentStatus: 'processing' }, null],
    ['not of an order whose payment was rejected', { paymentStatus: 'rejected' }, 'payment_rejected'],
    ['not of an order that costs nothing', { totalCents: 0 }, 'nothing_to_invoice'],
    ['not too late', { createdAt: '2026-11-20T17:59:59.999Z' }, 'invoice_window_closed'],
  ])('%s', (_, change, refusal) => {
    expect(invoiceRefusal({ ...unpaid, ...change }, NOON, MEXICO)).toBe(refusal);
  });

  it('by an operator after the window too', () => {
    expect(issueRefusal({ ...unpaid, createdAt: '2026-10-20T18:00:00.000Z' })).toBeNull();
  });
});

describe('an attempt', () => {
  it('is checked after a minute, and then after 2, 4, 8 and so on to 60', () => {
    expect(attempt).toEqual({
      kind: 'invoice',
      status: 'requested',
      key: 'order-7-a',
      providerId: '',
      stamp: null,
      amountCents: 13_600,
      paymentMethod: 'PUE',
      paymentForm: '03',
      relatedUuid: null,
      cancellation: null,
      requestedAt: '2026-11-23T18:00:00.000Z',
      issuedAt: null,
      reason: null,
      mail: null,
      kept: [],
      handled: [],
      tasks: { issue: { tries: 0, dueAt: '2026-11-23T18:01:00.000Z' } },
    });
    const pauses: (string | undefined)[] = [];
    let looked: TaxDocument = attempt;
    for (let look = 0; look < 7; look++) {
      looked = repeatTask(looked, 'issue', NOON);
      pauses.push(looked.tasks.issue?.dueAt?.slice(11, 16));
    }
    expect(pauses).toEqual(['18:02', '18:04', '18:08', '18:16', '18:32', '19:00', '19:00']);
  });

  it('is lost after 15 minutes', () => {
    expect(isAttemptLost(attempt, new Date('2026-11-23T18:14:59.999Z'))).toBe(false);
    expect(isAttemptLost(attempt, new Date('2026-11-23T18:15:00.000Z'))).toBe(true);
  });

  it('that was not issued, or whose data were refused, has a reason and is not checked again', () => {
    const closed = { ...attempt, reason: 'refused', tasks: {} };
    expect(markNotIssued(attempt, 'refused')).toEqual({ ...closed, status: 'not_issued' });
    expect(markRefused(attempt)).toEqual({ ...closed, status: 'refused' });
  });

  const until = new Date('2026-11-26T18:00:00.000Z');
  it('of which nothing was issued is made anew after 2, 4, 8 and so on to 60 minutes, each under another key', () => {
    const pauses: (string | undefined)[] = [];
    let tried: TaxDocument = attempt;
    for (let nth = 0; nth < 7; nth++) {
      const waiting = postponeAttempt(tried, { reason: 'unavailable', now: NOON, until });
      expect(waiting).toMatchObject({ status: 'retrying', reason: 'unavailable', key: tried.key });
      pauses.push(waiting.tasks.issue?.dueAt?.slice(11, 16));
      const again = restartAttempt(waiting, { key: `order-7-${nth}` }, NOON);
      expect(again).toEqual({ ...attempt, key: `order-7-${nth}` });
      tried = countRetry(again, waiting);
      expect(tried).toEqual({ ...again, retries: nth + 1 });
    }
    expect(pauses).toEqual(['18:02', '18:04', '18:08', '18:16', '18:32', '19:00', '19:00']);
  });

  it.each([
    ['waits as long as the provider asks for', 600, '2026-11-23T18:10:00.000Z'],
    ['waits no less than its own pause', 1, '2026-11-23T18:02:00.000Z'],
    ['ends with its window', 7 * 86_400, '2026-11-26T18:00:00.000Z'],
  ])('of which nothing was issued %s', (_, retryAfterSeconds, dueAt) => {
    const waiting = postponeAttempt(attempt, { reason: 'unavailable', now: NOON, until, retryAfterSeconds });
    expect(waiting).toMatchObject({ status: 'retrying', tasks: { issue: { tries: 0, dueAt } } });
  });

  it('of which nothing was issued is for an operator when its window is closed; without a window it goes on', () => {
    const late = { reason: 'unavailable', now: new Date('2026-11-26T18:00:00.001Z') };
    expect(postponeAttempt(attempt, { ...late, until })).toMatchObject({ status: 'not_issued', tasks: {} });
    expect(postponeAttempt(attempt, { ...late, until: null })).toMatchObject({ status: 'retrying' });
  });

  it('has the window of its order if it is an invoice that a client asked for', () => {
    const order = { createdAt: '2026-11-29T18:00:00.000Z' };
    expect(getIssueEnd(attempt, order, MEXICO)).toEqual(new Date('2026-12-01T05:59:59.999Z'));
    expect(getIssueEnd({ ...attempt, relatedUuid: ISSUED.stamp.uuid }, order, MEXICO)).toBeNull();
    expect(getIssueEnd({ ...attempt, kind: 'payment' }, order, MEXICO)).toBeNull();
  });

  it('that was issued is mailed next', () => {
    expect(markIssued(attempt, ISSUED, { ...APPROVED, now: LATER })).toEqual({
      ...attempt,
      status: 'issued',
      providerId: ISSUED.id,
      stamp: ISSUED.stamp,
      issuedAt: '2026-11-23T19:00:00.000Z',
      mail: 'sending',
      tasks: {
        mail: { tries: 1, dueAt: '2026-11-23T19:10:00.000Z' },
        archive: { tries: 0, dueAt: '2026-11-23T19:01:00.000Z' },
      },
      payBy: DECEMBER,
    });
  });

  it.each([
    [13_599, 'total_differs'],
    [13_600, 'issued'],
    [13_601, 'total_differs'],
  ])('that was issued with a total of %d cents instead of 13600 is listed as %s', (totalCents, status) => {
    const issued = finishMail(markIssued(attempt, { ...ISSUED, totalCents }, { ...APPROVED, now: LATER }), 'sent');
    expect(issued.issuedCents).toBe(totalCents === 13_600 ? undefined : totalCents);
    const listed = (invoice: TaxDocument) => getListStatus({ ...order, paymentStatus: 'paid', invoice });
    expect(listed(issued)).toBe(status);
    expect(listed(markHandled(issued, ['total_differs']))).toBe('issued');
  });

  it('that was issued after its order was cancelled is cancelled at once, and is not mailed', () => {
    expect(markIssued(attempt, ISSUED, { ...CANCELLED, now: LATER })).toEqual({
      ...attempt,
      status: 'cancelling',
      providerId: ISSUED.id,
      stamp: ISSUED.stamp,
      cancellation: NO_SALE,
      issuedAt: '2026-11-23T19:00:00.000Z',
      mail: null,
      tasks: {
        cancel: { tries: 0, dueAt: '2026-11-23T19:00:00.000Z' },
        archive: { tries: 0, dueAt: '2026-11-23T19:00:00.000Z' },
      },
    });
  });
});

describe('cancelling an order', () => {
  it('has its invoice cancelled', () => {
    expect(cancelInvoice(invoice, LATER)).toEqual({
      ...invoice,
      status: 'cancelling',
      cancellation: { motive: '03', substitution: null },
      tasks: { ...invoice.tasks, cancel: { tries: 0, dueAt: '2026-11-23T19:00:00.000Z' } },
    });
  });

  it.each([
    ['an attempt under way', attempt],
    ['an attempt that was not issued', markNotIssued(attempt, 'refused')],
    ['a cancelled invoice', { ...invoice, status: 'cancelled' } as TaxDocument],
  ])('leaves %s as it is', (_, before) => {
    expect(cancelInvoice(before, LATER)).toEqual(before);
  });

  const cancelling = cancelInvoice(invoice, NOON);
  it.each([
    ['accepted', 'cancelled', undefined],
    ['pending', 'cancellation_pending', { tries: 0, dueAt: '2026-11-23T19:01:00.000Z' }],
    ['rejected', 'cancellation_rejected', undefined],
    ['not_cancelable', 'cancellation_rejected', undefined],
    ['expired', 'cancelling', { tries: 1, dueAt: '2026-11-23T19:02:00.000Z' }],
    ['none', 'cancelling', { tries: 1, dueAt: '2026-11-23T19:02:00.000Z' }],
  ] as const)('whose cancellation is %s makes it %s', (news, status, task) => {
    const after = applyCancellation(cancelling, news, LATER);
    expect([after.status, after.tasks.cancel]).toEqual([status, task]);
  });

  it('ends the attempts to issue one', () => {
    const waiting = postponeAttempt(attempt, { reason: 'unavailable', now: NOON, until: null });
    const ended = { status: 'not_issued', reason: 'order_cancelled', tasks: {} };
    expect(cancelInvoice(waiting, LATER)).toEqual({ ...attempt, ...ended });
  });

  it('asks anew for a cancellation to which the receiver did not answer in time', () => {
    const pending = applyCancellation(cancelling, 'pending', NOON);
    const cancel = { tries: 0, dueAt: '2026-11-23T19:01:00.000Z' };
    expect(applyCancellation(pending, 'expired', LATER)).toMatchObject({ status: 'cancelling', tasks: { cancel } });
  });

  it('that was rejected can be asked for again, and is an open action again if that is rejected too', () => {
    const rejected = markHandled(applyCancellation(cancelling, 'rejected', NOON), ['cancellation_rejected']);
    expect(rejected.reason).toBe('rejected');
    const again = repeatCancellation(rejected, LATER);
    expect(again).toMatchObject({
      ...{ status: 'cancelling', reason: null },
      tasks: { cancel: { tries: 0, dueAt: '2026-11-23T19:00:00.000Z' } },
    });
    const refused = applyCancellation(again, 'not_cancelable', LATER);
    expect(refused.reason).toBe('not_cancelable');
    expect(getOpenActions(refused, order)).toEqual(['cancellation_rejected']);
  });

  it.each([
    ['sent', 'sending', { tries: 2, dueAt: '2026-11-23T19:10:00.000Z' }],
    ['unconfirmed', 'sending', { tries: 2, dueAt: '2026-11-23T19:10:00.000Z' }],
    ['sending', 'sending', { tries: 2, dueAt: '2026-11-23T19:10:00.000Z' }],
    ['due', null, undefined],
    ['given_up', null, undefined],
  ] as const)('mails that it is accepted to a receiver whose mail is %s: %s', (before, mail, task) => {
    const after = applyCancellation({ ...cancelling, mail: before }, 'accepted', LATER);
    expect([after.status, after.mail, after.tasks.mail]).toEqual(['cancelled', mail, task]);
  });

  it.each([
    ['due', 'mail_due', '2026-11-23T18:01:00.000Z'],
    ['sending', 'mail_due', '2026-11-23T18:01:00.000Z'],
    ['sent', 'cancellation_rejected', null],
  ] as const)('goes on with the mail of a document that stays valid and whose mail is %s', (mail, list, dueAt) => {
    const before = { ...cancelling, mail, tasks: { ...cancelling.tasks, mail: { tries: 1, dueAt: dueAt ?? null } } };
    expect(listDueTasks(before, order, LATER)).toEqual(['cancel', 'archive']);
    const rejected = applyCancellation(before, 'rejected', LATER);
    expect(listDueTasks(rejected, order, LATER)).toEqual(mail === 'sent' ? ['archive'] : ['mail', 'archive']);
    expect(getListStatus({ ...order, invoice: rejected, documents: [] })).toBe(list);
    expect(claimMail(rejected, LATER).tasks.mail?.dueAt).toBe('2026-11-23T19:10:00.000Z');
    const sent = finishMail(claimMail(rejected, LATER), 'sent');
    expect([sent.mail, sent.tasks.mail]).toEqual(['sent', { tries: 2, dueAt: null }]);
  });

  it('asks again for a cancellation that is pending', () => {
    const pending = applyCancellation(cancelling, 'pending', NOON);
    const cancel = { tries: 1, dueAt: '2026-11-23T19:02:00.000Z' };
    const again = { status: 'cancellation_pending', tasks: { cancel } };
    expect(applyCancellation(pending, 'pending', LATER)).toMatchObject(again);
  });
});

describe('the mail of an invoice', () => {
  it('that SES refuses is due again after pauses that grow, and given up in the end', () => {
    let mailed = invoice;
    const pauses: number[] = [];
    while (mailed.mail !== 'given_up') {
      mailed = postponeMail(mailed, NOON);
      const dueAt = mailed.tasks.mail?.dueAt;
      if (dueAt) pauses.push((Date.parse(dueAt) - NOON.getTime()) / 60_000);
      if (mailed.mail === 'due') mailed = claimMail(mailed, NOON);
    }
    expect(pauses).toEqual([1, 5, 15, 60, 180, 360, 720, 1_440, 1_440]);
    expect(mailed).toMatchObject({ mail: 'given_up', tasks: { mail: { tries: 10, dueAt: null } } });
  });

  it.each(['sent', 'unconfirmed', 'given_up'] as const)('that is %s is over', (mail) => {
    const tasks = { ...invoice.tasks, mail: { tries: 1, dueAt: null } };
    expect(finishMail(invoice, mail)).toEqual({ ...invoice, mail, tasks });
  });

  it('waits while its document is being cancelled', () => {
    const cancelling = recordCopy(cancelInvoice(postponeMail(invoice, NOON), LATER), ['files']);
    expect(getNextDue({ ...order, invoice: cancelling })).toBe('2026-11-23T19:00:00.000Z');
  });
});

describe('an invoice that says paid at once', () => {
  const november = '2026-11-30T18:00:00.000Z';
  const paidAt = (paymentDate: string) => ({ ...order, paymentStatus: 'paid', paymentDate }) as const;
  const sent = recordCopy(finishMail(invoice, 'sent'), ['files']);
  const overdue = { ...sent, isOverdue: true } as const;

  it.each<[string, TaxDocument, typeof order | ReturnType<typeof paidAt> | object, boolean]>([
    ['is not late while its month lasts', sent, order, false],
    ['is not late when it was paid in its last millisecond', sent, paidAt('2026-12-01T05:59:59.999Z'), false],
    ['is late when it was paid in the next month', sent, paidAt(DECEMBER), true],
    ['is late when a job has found it unpaid', overdue, order, true],
    ['stays late when it is paid afterwards', overdue, paidAt('2026-12-02T18:00:00.000Z'), true],
    ['is late when its order goes to credit', sent, { ...order, paymentStatus: 'credit' }, true],
    ['is not late when that is paid within the month', sent, paidAt(november), false],
    ['is not late once it is being cancelled', cancelInvoice(overdue, LATER), order, false],
    ['is not late once that is handled', markHandled(overdue, ['pue_unpaid']), order, false],
  ])('%s', (_, document, changes, isLate) => {
    const actions = getOpenActions(document, { ...order, ...changes });
    expect(actions).toEqual(isLate ? ['pue_unpaid'] : []);
  });

  it('is looked at when its month ends, unless it is paid or listed already', () => {
    const asked = { ...order, invoice: sent, documents: [] };
    expect(getNextDue(asked)).toBe(DECEMBER);
    expect(getNextDue({ ...asked, paymentStatus: 'rejected' })).toBe(DECEMBER);
    expect(getNextDue({ ...asked, ...paidAt(november) })).toBeNull();
    expect(getNextDue({ ...asked, paymentStatus: 'credit' })).toBeNull();
    expect(getNextDue({ ...asked, invoice: overdue })).toBeNull();
    expect(listDueTasks(sent, order, new Date('2026-12-01T05:59:59.999Z'))).toEqual([]);
    expect(listDueTasks(sent, order, new Date(DECEMBER))).toEqual(['payment']);
    expect(listDueTasks(overdue, order, new Date(DECEMBER))).toEqual([]);
  });

  it('has until the end of the local month of its stamp', () => {
    // At 23:30 of 31 December in Mexico City it is January in UTC.
    const stamp = { ...ISSUED.stamp, at: '2027-01-01T05:30:00.000Z' };
    const issuing = { ...APPROVED, now: new Date('2027-01-01T06:00:00.000Z') };
    expect(markIssued(attempt, { ...ISSUED, stamp }, issuing).payBy).toBe('2027-01-01T06:00:00.000Z');
    expect(markIssued(attempt, { ...ISSUED, stamp: null }, issuing).payBy).toBe('2027-02-01T06:00:00.000Z');
  });

  it.each<[string, Partial<TaxDocument>, PaymentStatus]>([
    ['it was paid before', {}, 'paid'],
    ['it says paid later', { paymentMethod: 'PPD' }, 'unpaid'],
    ['it is a credit note', { kind: 'credit' }, 'unpaid'],
  ])('has no such end when %s', (_, changes, paymentStatus) => {
    const issued = markIssued({ ...attempt, ...changes }, ISSUED, { ...APPROVED, paymentStatus, now: NOON });
    expect(issued).not.toHaveProperty('payBy');
  });
});

describe('the list status', () => {
  it('is one of sixteen, by which operators list invoices', () => {
    expect(INVOICE_LIST_STATUSES.join(', ')).toBe(
      'mail_due, requested, retrying, cancelling, not_issued, total_differs, cancellation_rejected, pue_unpaid, complement_due, mail_unconfirmed, mail_given_up, form_differs, cancellation_pending, awaiting_payment, issued, refused, cancelled',
    );
  });

  const sent = finishMail(invoice, 'sent');
  const paidLater = markIssued({ ...attempt, paymentMethod: 'PPD' }, ISSUED, { ...APPROVED, now: NOON });
  const onCredit = finishMail(paidLater, 'sent');
  const rejected = applyCancellation(cancelInvoice(onCredit, NOON), 'rejected', NOON);
  const cancelledAtOnce = markIssued(attempt, ISSUED, { ...CANCELLED, now: NOON });
  it.each<[TaxDocument, PaymentStatus, string]>([
    [attempt, 'unpaid', 'requested'],
    [markNotIssued(attempt, 'refused'), 'unpaid', 'not_issued'],
    [invoice, 'unpaid', 'mail_due'],
    [postponeMail(invoice, NOON), 'unpaid', 'mail_due'],
    [finishMail(invoice, 'unconfirmed'), 'unpaid', 'mail_unconfirmed'],
    [finishMail(invoice, 'given_up'), 'unpaid', 'mail_given_up'],
    [postponeAttempt(attempt, { reason: 'unavailable', now: NOON, until: null }), 'unpaid', 'retrying'],
    [markRefused(attempt), 'unpaid', 'refused'],
    [markHandled(markNotIssued(attempt, 'refused'), ['not_issued']), 'unpaid', 'refused'],
    [sent, 'unpaid', 'awaiting_payment'],
    [sent, 'processing', 'awaiting_payment'],
    [sent, 'paid', 'issued'],
    [sent, 'credit', 'pue_unpaid'],
    [markHandled(sent, ['pue_unpaid']), 'credit', 'issued'],
    [{ ...claimMail(sent, NOON), status: 'cancelled' }, 'unpaid', 'mail_due'],
    [{ ...sent, status: 'cancelled' }, 'unpaid', 'cancelled'],
    [{ ...finishMail(sent, 'unconfirmed'), status: 'cancelled' }, 'unpaid', 'mail_unconfirmed'],
    [onCredit, 'credit', 'issued'],
    [onCredit, 'paid', 'complement_due'],
    [finishMail(onCredit, 'given_up'), 'paid', 'complement_due'],
    [postponeMail(onCredit, NOON), 'paid', 'mail_due'],
    [cancelInvoice(onCredit, NOON), 'paid', 'cancelling'],
    [rejected, 'paid', 'cancellation_rejected'],
    // The first invoice had its mail under way, the second had none.
    [applyCancellation(cancelInvoice(invoice, NOON), 'rejected', NOON), 'unpaid', 'mail_due'],
    [applyCancellation(cancelledAtOnce, 'rejected', NOON), 'unpaid', 'cancellation_rejected'],
    // An action that a person has handled gives way to the next one.
    [markHandled(rejected, ['cancellation_rejected']), 'paid', 'complement_due'],
    [markHandled(markHandled(rejected, ['cancellation_rejected']), ['complement_due']), 'paid', 'issued'],
    [markHandled(onCredit, ['complement_due']), 'paid', 'issued'],
    [markHandled(finishMail(invoice, 'given_up'), ['mail_given_up']), 'unpaid', 'awaiting_payment'],
  ])('%#', (before, paymentStatus, listStatus) => {
    const paymentDate = paymentStatus === 'paid' ? '2026-11-24T18:00:00.000Z' : null;
    expect(getListStatus({ ...order, invoice: before, documents: [], paymentStatus, paymentDate })).toBe(listStatus);
  });

  it('is the most urgent one of all documents of an order', () => {
    const complement = taxDocument({
      kind: 'payment',
      tasks: { issue: { tries: 0, dueAt: '2026-11-23T18:30:00.000Z' } },
    });
    const documented = { ...order, invoice: sent, documents: [complement] };
    expect(getListStatus(documented)).toBe('requested');
    // Its invoice is to be copied.
    expect(getNextDue(documented)).toBe('2026-11-23T18:01:00.000Z');
    expect(getNextDue({ ...documented, invoice: recordCopy(sent, ['files']) })).toBe('2026-11-23T18:30:00.000Z');
    expect(getListStatus({ ...documented, invoice: null, documents: [] })).toBeNull();
  });

  it('lists all open actions of a valid invoice', () => {
    const paid = { ...order, paymentStatus: 'paid', paymentDate: '2026-11-24T18:00:00.000Z' } as const;
    expect(getOpenActions(finishMail(onCredit, 'given_up'), paid)).toEqual(['complement_due', 'mail_given_up']);
    expect(getOpenActions(cancelInvoice(onCredit, NOON), paid)).toEqual([]);
  });

  it.each<[string, TaxDocument, object, string, string[]]>([
    ['another form alone', sent, {}, 'form_differs', ['form_differs']],
    ['the form in which it was paid', sent, { paymentForm: '03' }, 'issued', []],
    ['a late payment', sent, { paymentDate: DECEMBER }, 'pue_unpaid', ['pue_unpaid', 'form_differs']],
    [
      'a rejected cancellation',
      applyCancellation(cancelInvoice(sent, NOON), 'rejected', NOON),
      {},
      'cancellation_rejected',
      ['cancellation_rejected', 'form_differs'],
    ],
    [
      'a mail of which nobody knows',
      finishMail(invoice, 'unconfirmed'),
      {},
      'mail_unconfirmed',
      ['mail_unconfirmed', 'form_differs'],
    ],
    ['a lost mail', finishMail(invoice, 'given_up'), {}, 'mail_given_up', ['mail_given_up', 'form_differs']],
  ])('is not hidden by another form than that of the payment: %s', (_, document, changes, status, actions) => {
    const payment = { paidBy: 1 };
    const paid = {
      paymentStatus: 'paid',
      paymentDate: '2026-11-24T18:00:00.000Z',
      paymentForm: '04',
      payment,
    } as const;
    const collected = { ...order, ...paid, ...changes, invoice: document };
    expect([getListStatus(collected), listOpenActions(collected)]).toEqual([status, actions]);
  });

  it('does not wait for the payment of what was credited', () => {
    const overdue = { ...sent, isOverdue: true } as const;
    const note = taxDocument({ kind: 'credit', status: 'issued', relatedUuid: ISSUED.stamp.uuid });
    const actions = (amountCents: number) =>
      getOpenActions(overdue, { ...order, documents: [{ ...note, amountCents }] });
    expect([actions(13_600), actions(13_599)]).toEqual([[], ['pue_unpaid']]);
  });

  it('does not wait for the payment or the total of what is being replaced, unless no replacement is issued', () => {
    const wrong = { ...sent, isOverdue: true, issuedCents: 13_601 } as const;
    const replacement = taxDocument({ kind: 'invoice', status: 'retrying', relatedUuid: ISSUED.stamp.uuid });
    const open = ['total_differs', 'pue_unpaid'];
    expect(getOpenActions(wrong, order)).toEqual(open);
    expect(getOpenActions(wrong, { ...order, documents: [replacement] })).toEqual([]);
    expect(getOpenActions(wrong, { ...order, documents: [{ ...replacement, status: 'not_issued' }] })).toEqual(open);
  });

  it('waits for an operator to issue what is owed', () => {
    const lost = markNotIssued(attempt, 'invoice_window_closed');
    expect(getOpenActions(lost, order)).toEqual(['not_issued']);
    expect(getOpenActions(markRefused(attempt), order)).toEqual([]);
    expect(getOpenActions(lost, { ...order, orderStatus: 'cancelled' })).toEqual([]);
    expect(getOpenActions(lost, { ...order, totalCents: 0 })).toEqual([]);
    expect(getOpenActions(lost, { ...order, global: null })).toEqual(['not_issued']);
    // The global invoice is its document then.
    expect(getOpenActions(lost, { ...order, global: { period: '2026-11', part: 1 } })).toEqual([]);
    expect(getOpenActions({ ...lost, kind: 'credit' }, { ...order, orderStatus: 'cancelled' })).toEqual(['not_issued']);
  });
});

describe('the name of the files', () => {
  it.each([
    ['invoice', { series: 'F', folio: '12' }, 'factura-F-12'],
    ['payment', { series: 'P', folio: '3' }, 'complemento-de-pago-P-3'],
    ['credit', { series: 'F', folio: '13' }, 'nota-de-credito-F-13'],
    ['global', { series: 'G', folio: '1' }, 'factura-global-G-1'],
    ['invoice', { series: '', folio: 'RX-00000012' }, 'factura-RX-00000012'],
    ['invoice', { series: '../A', folio: 'ñ\r' }, 'factura-___A-__'],
    ['credit', { series: 'F', folio: '' }, `nota-de-credito-F-${ISSUED.stamp.uuid}`],
  ] as const)('of a document of kind %s with %j is %s', (kind, numbered, name) => {
    expect(nameFiles({ kind, providerId: 'f1', stamp: { ...ISSUED.stamp, ...numbered } })).toBe(name);
  });

  it('has the id of the provider without a stamp', () => {
    expect(nameFiles({ kind: 'invoice', providerId: 'f1', stamp: null })).toBe('factura-f1');
  });
});
