import { describe, expect, it } from 'vitest';
import {
  applyCancellation,
  cancelInvoice,
  claimMail,
  countRetry,
  finishMail,
  isAttemptLost,
  listMissingParts,
  markIssued,
  markNotIssued,
  markRefused,
  postponeAttempt,
  postponeCopy,
  postponeMail,
  recordCopy,
  repeatCancellation,
  restartAttempt,
  scheduleCopy,
  startAttempt,
} from '../../../shared/invoices/rules/document-life.ts';
import {
  getIssueEnd,
  getListStatus,
  getNextDue,
  getOpenActions,
  type InvoiceableOrder,
  invoiceRefusal,
  issueRefusal,
  isWithinWindow,
  listDueTasks,
  listOpenActions,
  markHandled,
} from '../../../shared/invoices/rules/invoice-status.ts';
import { nameFiles, repeatTask, startTask, type TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import type { PaymentStatus } from '../../../shared/order/rules/status.ts';
import { ISSUED, NO_SALE, taxDocument } from '../../support/invoices/tax-documents.ts';

/*
 * The life of one tax document as pure rules: when it may be requested, how an attempt goes on, its cancellation, its mail,
 * its term of payment, and under which status and with which open actions it is listed.
 */

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
const order = { ...APPROVED, paymentDate: null, totalCents: 13_600, invoice: null, documents: [] } as const;
const DOUBLING = ['18:02', '18:04', '18:08', '18:16', '18:32', '19:00', '19:00'];

describe('an invoice can be requested', () => {
  it.each([
    ['at 72 hours', '2026-11-10T18:00:00.000Z', '2026-11-13T18:00:00.000Z', true],
    ['not a millisecond later', '2026-11-10T18:00:00.000Z', '2026-11-13T18:00:00.001Z', false],
    // 20:00 on the 31st is already the next day in UTC.
    ['to the last millisecond of the local month', '2027-01-01T02:00:00.000Z', '2027-01-01T05:59:59.999Z', true],
    ['not in the next month', '2026-12-31T16:00:00.000Z', '2027-01-01T06:00:00.000Z', false],
  ])('%s', (_, createdAt, now, expected) => {
    expect(isWithinWindow({ createdAt }, new Date(now), MEXICO)).toBe(expected);
  });

  const unpaid: InvoiceableOrder = { ...order, cfdi: '', createdAt: '2026-11-23T18:00:00.000Z' };
  it.each<[string, Partial<InvoiceableOrder>, string | null]>([
    ['without an invoice', { orderStatus: 'delivered' }, null],
    ['whose invoice was not issued', { invoice: markNotIssued(attempt, 'unavailable') }, null],
    ['whose invoice a job tries to issue', { invoice: { ...attempt, status: 'retrying' } }, null],
    ['whose data were refused', { invoice: markRefused(attempt) }, null],
    ['whose payment is in progress', { paymentStatus: 'processing' }, null],
    ['that is cancelled', { orderStatus: 'cancelled' }, 'order_cancelled'],
    ['that is invoiced', { cfdi: '58e93bd8e86eb318b0197456', invoice }, 'order_invoiced'],
    ['that is in a global invoice', { global: { period: '2026-11', part: 1 } }, 'order_invoiced'],
    ['whose invoice is in progress', { invoice: attempt }, 'invoice_in_progress'],
    ['whose payment was rejected', { paymentStatus: 'rejected' }, 'payment_rejected'],
    ['that costs nothing', { totalCents: 0 }, 'nothing_to_invoice'],
    ['of 72 hours ago', { createdAt: '2026-11-20T17:59:59.999Z' }, 'invoice_window_closed'],
  ])('of an order %s: %o is answered %s', (_, change, refusal) => {
    expect(invoiceRefusal({ ...unpaid, ...change }, NOON, MEXICO)).toBe(refusal);
  });

  it('by an operator after the window too', () => {
    expect(issueRefusal({ ...unpaid, createdAt: '2026-10-20T18:00:00.000Z' })).toBeNull();
  });
});

describe('an attempt', () => {
  const until = new Date('2026-11-26T18:00:00.000Z');

  it('is looked up after a minute and then after 2, 4, 8 and so on to 60, and is lost after 15', () => {
    expect(attempt.tasks).toEqual({ issue: { tries: 0, dueAt: '2026-11-23T18:01:00.000Z' } });
    let current = attempt;
    for (const time of DOUBLING) {
      current = repeatTask(current, 'issue', NOON);
      expect(current.tasks.issue?.dueAt?.slice(11, 16)).toBe(time);
    }
    const times = ['2026-11-23T18:14:59.999Z', '2026-11-23T18:15:00.000Z'].map((time) => new Date(time));
    expect(times.map((time) => isAttemptLost(attempt, time))).toEqual([false, true]);
  });

  it('that ended without a document has a reason and is not looked up again', () => {
    const closed = { ...attempt, reason: 'refused', tasks: {} };
    expect(markNotIssued(attempt, 'refused')).toEqual({ ...closed, status: 'not_issued' });
    expect(markRefused(attempt)).toEqual({ ...closed, status: 'refused' });
  });

  it('is repeated after the same pauses under another key', () => {
    let current = attempt;
    for (const [index, time] of DOUBLING.entries()) {
      const waiting = postponeAttempt(current, { reason: 'unavailable', now: NOON, until });
      expect(waiting).toMatchObject({ status: 'retrying', reason: 'unavailable', key: current.key });
      expect(waiting.tasks.issue?.dueAt?.slice(11, 16)).toBe(time);
      const again = restartAttempt(waiting, { key: `order-7-${index}` }, NOON);
      expect(again).toEqual({ ...attempt, key: `order-7-${index}` });
      current = countRetry(again, waiting);
      expect(current.retries).toBe(index + 1);
    }
  });

  it.each([
    ['as long as the provider asks for', { retryAfterSeconds: 600 }, '2026-11-23T18:10:00.000Z'],
    ['no less than its own pause', { retryAfterSeconds: 1 }, '2026-11-23T18:02:00.000Z'],
    ['to the end of its window at most', { retryAfterSeconds: 7 * 86_400 }, '2026-11-26T18:00:00.000Z'],
    ['for an operator when its window has closed', { now: new Date('2026-11-26T18:00:00.001Z') }, undefined],
    ['on without a window', { now: new Date('2026-11-26T18:00:00.001Z'), until: null }, '2026-11-26T18:02:00.001Z'],
  ])('that is postponed waits %s', (_, more, dueAt) => {
    const waiting = postponeAttempt(attempt, { reason: 'unavailable', now: NOON, until, ...more });
    const tasks = dueAt ? { issue: { tries: 0, dueAt } } : {};
    expect(waiting).toMatchObject({ status: dueAt ? 'retrying' : 'not_issued' });
    expect(waiting.tasks).toEqual(tasks);
  });

  it('has the window of its order if it is a first invoice', () => {
    const placed = { createdAt: '2026-11-29T18:00:00.000Z' };
    expect(getIssueEnd(attempt, placed, MEXICO)).toEqual(new Date('2026-12-01T05:59:59.999Z'));
    expect(getIssueEnd({ ...attempt, relatedUuid: ISSUED.stamp.uuid }, placed, MEXICO)).toBeNull();
  });

  it('that was issued is mailed next', () => {
    expect(markIssued(attempt, ISSUED, { ...APPROVED, now: LATER })).toEqual({
      ...attempt,
      ...{ status: 'issued', providerId: ISSUED.id, stamp: ISSUED.stamp, issuedAt: '2026-11-23T19:00:00.000Z' },
      ...{ mail: 'sending', payBy: DECEMBER },
      tasks: {
        mail: { tries: 1, dueAt: '2026-11-23T19:10:00.000Z' },
        archive: { tries: 0, dueAt: '2026-11-23T19:01:00.000Z' },
      },
    });
  });

  it.each([
    [13_599, 13_599, 'total_differs'],
    [13_600, undefined, 'issued'],
    [13_601, 13_601, 'total_differs'],
  ])('of 13600 cents that was issued with a total of %d states %s and is listed as %s', (totalCents, cents, status) => {
    const issued = finishMail(markIssued(attempt, { ...ISSUED, totalCents }, { ...APPROVED, now: LATER }), 'sent');
    expect(issued.issuedCents).toBe(cents);
    const list = (document: TaxDocument) => getListStatus({ ...order, paymentStatus: 'paid', invoice: document });
    expect(list(issued)).toBe(status);
    expect(list(markHandled(issued, ['total_differs']))).toBe('issued');
  });

  it('that was issued after its order was cancelled is cancelled at once, and is not mailed', () => {
    expect(markIssued(attempt, ISSUED, { ...CANCELLED, now: LATER })).toMatchObject({
      ...{ status: 'cancelling', cancellation: NO_SALE, mail: null },
      tasks: {
        cancel: { tries: 0, dueAt: '2026-11-23T19:00:00.000Z' },
        archive: { tries: 0, dueAt: '2026-11-23T19:00:00.000Z' },
      },
    });
  });
});

describe('the cancellation of an invoice', () => {
  const cancelling = cancelInvoice(invoice, NOON);

  it('is requested at once with motive 03, and ends the attempts to issue one', () => {
    expect(cancelling).toEqual({
      ...invoice,
      ...{ status: 'cancelling', cancellation: { motive: '03', substitution: null } },
      tasks: { ...invoice.tasks, cancel: { tries: 0, dueAt: '2026-11-23T18:00:00.000Z' } },
    });
    const waiting = postponeAttempt(attempt, { reason: 'unavailable', now: NOON, until: null });
    const ended = { status: 'not_issued', reason: 'order_cancelled', tasks: {} };
    expect(cancelInvoice(waiting, LATER)).toEqual({ ...attempt, ...ended });
  });

  it.each([
    ['an attempt in progress', attempt],
    ['an attempt that was not issued', markNotIssued(attempt, 'refused')],
    ['a cancelled invoice', { ...invoice, status: 'cancelled' } as TaxDocument],
  ])('leaves %s as it is', (_, before) => {
    expect(cancelInvoice(before, LATER)).toEqual(before);
  });

  const pending = applyCancellation(cancelling, 'pending', NOON);
  it.each([
    [cancelling, 'accepted', 'cancelled', undefined],
    [cancelling, 'pending', 'cancellation_pending', { tries: 0, dueAt: '2026-11-23T19:01:00.000Z' }],
    [cancelling, 'rejected', 'cancellation_rejected', undefined],
    [cancelling, 'not_cancelable', 'cancellation_rejected', undefined],
    [cancelling, 'expired', 'cancelling', { tries: 1, dueAt: '2026-11-23T19:02:00.000Z' }],
    [cancelling, 'none', 'cancelling', { tries: 1, dueAt: '2026-11-23T19:02:00.000Z' }],
    [pending, 'pending', 'cancellation_pending', { tries: 1, dueAt: '2026-11-23T19:02:00.000Z' }],
    // The receiver did not answer in time.
    [pending, 'expired', 'cancelling', { tries: 0, dueAt: '2026-11-23T19:01:00.000Z' }],
  ] as const)('from %o, answered %s, goes to %s', (before, result, status, task) => {
    const after = applyCancellation(before, result, LATER);
    expect([after.status, after.tasks.cancel]).toEqual([status, task]);
  });

  it('that was rejected can be repeated, and is an open action again if that is rejected too', () => {
    const rejected = markHandled(applyCancellation(cancelling, 'rejected', NOON), ['cancellation_rejected']);
    expect(rejected.reason).toBe('rejected');
    const again = repeatCancellation(rejected, LATER);
    expect(again).toMatchObject({ status: 'cancelling', reason: null, tasks: { cancel: { tries: 0 } } });
    const refused = applyCancellation(again, 'not_cancelable', LATER);
    expect([refused.reason, getOpenActions(refused, order)]).toEqual(['not_cancelable', ['cancellation_rejected']]);
  });

  it.each([
    ['sent', 'sending', { tries: 2, dueAt: '2026-11-23T19:10:00.000Z' }],
    ['unconfirmed', 'sending', { tries: 2, dueAt: '2026-11-23T19:10:00.000Z' }],
    ['sending', 'sending', { tries: 2, dueAt: '2026-11-23T19:10:00.000Z' }],
    ['due', null, undefined],
    ['given_up', null, undefined],
  ] as const)('is mailed to a receiver whose mail is %s: %s', (before, mail, task) => {
    const after = applyCancellation({ ...cancelling, mail: before }, 'accepted', LATER);
    expect([after.status, after.mail, after.tasks.mail]).toEqual(['cancelled', mail, task]);
  });

  it.each([
    ['due', 'mail_due', '2026-11-23T18:01:00.000Z', ['mail', 'archive']],
    ['sending', 'mail_due', '2026-11-23T18:01:00.000Z', ['mail', 'archive']],
    ['sent', 'cancellation_rejected', null, ['archive']],
  ] as const)('holds back a mail that is %s, until it is rejected', (mail, status, dueAt, tasks) => {
    const before = { ...cancelling, mail, tasks: { ...cancelling.tasks, mail: { tries: 1, dueAt } } };
    expect(listDueTasks(before, order, LATER)).toEqual(['cancel', 'archive']);
    const rejected = applyCancellation(before, 'rejected', LATER);
    expect(listDueTasks(rejected, order, LATER)).toEqual(tasks);
    expect(getListStatus({ ...order, invoice: rejected })).toBe(status);
    const sent = finishMail(claimMail(rejected, LATER), 'sent');
    expect([sent.mail, sent.tasks.mail]).toEqual(['sent', { tries: 2, dueAt: null }]);
  });
});

it('a mail that SES refuses is due again after pauses that grow, and given up in the end', () => {
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

describe('the copy of a document', () => {
  const issued = scheduleCopy(taxDocument({ status: 'issued' }), NOON);
  const cancelled = startTask(taxDocument({ status: 'cancelled' }), 'archive', NOON.toISOString());

  it.each([
    ['that was not issued', taxDocument(), []],
    ['that is issued', issued, ['files']],
    ['that waits for its cancellation', { ...issued, status: 'cancellation_pending' as const }, ['files']],
    ['that was cancelled', cancelled, ['files', 'receipt']],
    ['that was cancelled when its files were kept', recordCopy(cancelled, ['files']), ['receipt']],
    ['that was erased', { ...issued, tasks: {} }, []],
  ])('%s lacks %j', (_, document, missing) => {
    expect(listMissingParts(document)).toEqual(missing);
  });

  it('is due after a minute, then after 2, 4, 8 and so on to 60 for ever, and no more when it is complete', () => {
    expect(issued.tasks).toEqual({ archive: { tries: 0, dueAt: '2026-11-23T18:01:00.000Z' } });
    let document = issued;
    for (const time of [...DOUBLING, ...Array(50).fill('19:00')]) {
      document = postponeCopy(document, NOON, 'failed');
      expect(document.tasks.archive?.dueAt?.slice(11, 16)).toBe(time);
    }
    expect(recordCopy(document, ['files'])).toMatchObject({ kept: ['files'], tasks: {} });
    const twice = recordCopy(recordCopy(cancelled, ['files']), ['files']);
    expect([twice.kept, twice.tasks.archive?.dueAt]).toEqual([['files'], '2026-11-23T18:00:00.000Z']);
  });

  it('without a receipt is given up after 48 tries, but not because the provider was down for days', () => {
    const tryOften = (tries: number, outcome: 'failed' | 'not_offered') => {
      let document = recordCopy(cancelled, ['files']);
      for (let count = 0; count < tries; count++) document = postponeCopy(document, NOON, outcome);
      return document;
    };
    expect(tryOften(48, 'not_offered').tasks.archive?.dueAt).toBe('2026-11-23T19:00:00.000Z');
    expect(tryOften(49, 'not_offered').tasks).toEqual({});
    expect(postponeCopy(tryOften(100, 'failed'), NOON, 'not_offered').tasks.archive).toBeDefined();
  });
});

describe('an invoice that is paid at once (PUE)', () => {
  const november = '2026-11-30T18:00:00.000Z';
  const paidAt = (paymentDate: string) => ({ ...order, paymentStatus: 'paid', paymentDate }) as const;
  const sent = recordCopy(finishMail(invoice, 'sent'), ['files']);
  const overdue = { ...sent, isOverdue: true } as const;

  it.each<[string, TaxDocument, object, boolean]>([
    ['is not late while its month lasts', sent, order, false],
    ['is not late when it was paid in its last millisecond', sent, paidAt('2026-12-01T05:59:59.999Z'), false],
    ['is late when it was paid in the next month', sent, paidAt(DECEMBER), true],
    ['stays late when a job has found it unpaid', overdue, paidAt('2026-12-02T18:00:00.000Z'), true],
    ['is late when its order goes to credit', sent, { ...order, paymentStatus: 'credit' }, true],
    ['is not late once it is being cancelled', cancelInvoice(overdue, LATER), order, false],
    ['is not late once that is handled', markHandled(overdue, ['pue_unpaid']), order, false],
  ])('%s', (_, document, changes, isLate) => {
    expect(getOpenActions(document, { ...order, ...changes })).toEqual(isLate ? ['pue_unpaid'] : []);
  });

  it('is due when its month ends, unless it is paid or listed already', () => {
    const listed = { ...order, invoice: sent };
    expect(getNextDue({ ...listed, paymentStatus: 'rejected' })).toBe(DECEMBER);
    expect(getNextDue({ ...listed, ...paidAt(november), invoice: sent })).toBeNull();
    expect(getNextDue({ ...listed, paymentStatus: 'credit' })).toBeNull();
    expect(getNextDue({ ...listed, invoice: overdue })).toBeNull();
    expect(listDueTasks(sent, order, new Date('2026-12-01T05:59:59.999Z'))).toEqual([]);
    expect(listDueTasks(sent, order, new Date(DECEMBER))).toEqual(['payment']);
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
    ['it is paid later (PPD)', { paymentMethod: 'PPD' }, 'unpaid'],
    ['it is a credit note', { kind: 'credit' }, 'unpaid'],
  ])('has no such end when %s', (_, changes, paymentStatus) => {
    const issued = markIssued({ ...attempt, ...changes }, ISSUED, { ...APPROVED, paymentStatus, now: NOON });
    expect(issued).not.toHaveProperty('payBy');
  });
});

describe('the list status', () => {
  const sent = finishMail(invoice, 'sent');
  const onCredit = finishMail(
    markIssued({ ...attempt, paymentMethod: 'PPD' }, ISSUED, { ...APPROVED, now: NOON }),
    'sent',
  );
  const rejected = applyCancellation(cancelInvoice(onCredit, NOON), 'rejected', NOON);
  it.each<[TaxDocument, PaymentStatus, string]>([
    [attempt, 'unpaid', 'requested'],
    [markNotIssued(attempt, 'refused'), 'unpaid', 'not_issued'],
    [invoice, 'unpaid', 'mail_due'],
    [finishMail(invoice, 'unconfirmed'), 'unpaid', 'mail_unconfirmed'],
    [markRefused(attempt), 'unpaid', 'refused'],
    [markHandled(markNotIssued(attempt, 'refused'), ['not_issued']), 'unpaid', 'refused'],
    [sent, 'processing', 'awaiting_payment'],
    [sent, 'paid', 'issued'],
    [sent, 'credit', 'pue_unpaid'],
    [{ ...claimMail(sent, NOON), status: 'cancelled' }, 'unpaid', 'mail_due'],
    [{ ...sent, status: 'cancelled' }, 'unpaid', 'cancelled'],
    [finishMail(onCredit, 'given_up'), 'paid', 'complement_due'],
    [cancelInvoice(onCredit, NOON), 'paid', 'cancelling'],
    [rejected, 'paid', 'cancellation_rejected'],
    // A handled action gives way to the next one.
    [markHandled(rejected, ['cancellation_rejected']), 'paid', 'complement_due'],
    [markHandled(rejected, ['cancellation_rejected', 'complement_due']), 'paid', 'issued'],
    [markHandled(finishMail(invoice, 'given_up'), ['mail_given_up']), 'unpaid', 'awaiting_payment'],
  ])('%#', (before, paymentStatus, status) => {
    const paymentDate = paymentStatus === 'paid' ? '2026-11-24T18:00:00.000Z' : null;
    expect(getListStatus({ ...order, invoice: before, paymentStatus, paymentDate })).toBe(status);
  });

  it('is the most urgent one of all documents of an order', () => {
    const tasks = { issue: { tries: 0, dueAt: '2026-11-23T18:30:00.000Z' } };
    const documented = { ...order, invoice: sent, documents: [taxDocument({ kind: 'payment', tasks })] };
    expect(getListStatus(documented)).toBe('requested');
    // Its invoice is to be copied.
    expect(getNextDue(documented)).toBe('2026-11-23T18:01:00.000Z');
    expect(getNextDue({ ...documented, invoice: recordCopy(sent, ['files']) })).toBe('2026-11-23T18:30:00.000Z');
    expect(getListStatus(order)).toBeNull();
  });

  const unconfirmed = finishMail(invoice, 'unconfirmed');
  const stillValid = applyCancellation(cancelInvoice(sent, NOON), 'rejected', NOON);
  it.each<[string, TaxDocument, object, string, string[]]>([
    ['another form alone', sent, {}, 'form_differs', ['form_differs']],
    ['the form in which it was paid', sent, { paymentForm: '03' }, 'issued', []],
    ['another form recorded by an operator', sent, { payment: { paidBy: null } }, 'issued', []],
    ['a late payment', sent, { paymentDate: DECEMBER }, 'pue_unpaid', ['pue_unpaid', 'form_differs']],
    ['no cancellation', stillValid, {}, 'cancellation_rejected', ['cancellation_rejected', 'form_differs']],
    ['an unconfirmed mail', unconfirmed, {}, 'mail_unconfirmed', ['mail_unconfirmed', 'form_differs']],
  ])('of an order that was collected in another form, with %s', (_, document, changes, status, actions) => {
    const paid = { paymentStatus: 'paid', paymentDate: '2026-11-24T18:00:00.000Z' } as const;
    const collected = { ...order, ...paid, paymentForm: '04', payment: { paidBy: 1 }, ...changes, invoice: document };
    expect([getListStatus(collected), listOpenActions(collected)]).toEqual([status, actions]);
  });

  it('does not wait for the payment of what was credited', () => {
    const note = taxDocument({ kind: 'credit', status: 'issued', relatedUuid: ISSUED.stamp.uuid });
    const listActions = (amountCents: number) =>
      getOpenActions({ ...sent, isOverdue: true }, { ...order, documents: [{ ...note, amountCents }] });
    expect([listActions(13_600), listActions(13_599)]).toEqual([[], ['pue_unpaid']]);
  });

  it('waits neither for payment nor total of what is being replaced, unless the replacement fails', () => {
    const wrong = { ...sent, isOverdue: true, issuedCents: 13_601 } as const;
    const listActions = (status: TaxDocument['status']) =>
      getOpenActions(wrong, { ...order, documents: [taxDocument({ status, relatedUuid: ISSUED.stamp.uuid })] });
    expect(listActions('retrying')).toEqual([]);
    expect(listActions('not_issued')).toEqual(['total_differs', 'pue_unpaid']);
  });

  it('waits for an operator to issue what is owed', () => {
    const lost = markNotIssued(attempt, 'invoice_window_closed');
    expect(getOpenActions(lost, order)).toEqual(['not_issued']);
    expect(getOpenActions({ ...lost, kind: 'credit' }, { ...order, orderStatus: 'cancelled' })).toEqual(['not_issued']);
    expect(getOpenActions(markRefused(attempt), order)).toEqual([]);
    for (const changes of [{ orderStatus: 'cancelled' }, { totalCents: 0 }, { global: { period: '2026-11', part: 1 } }])
      expect(getOpenActions(lost, { ...order, ...changes } as typeof order)).toEqual([]);
  });
});

it.each([
  ['invoice', { series: 'F', folio: '12' }, 'factura-F-12'],
  ['payment', { series: 'P', folio: '3' }, 'complemento-de-pago-P-3'],
  ['credit', { series: 'F', folio: '13' }, 'nota-de-credito-F-13'],
  ['global', { series: 'G', folio: '1' }, 'factura-global-G-1'],
  ['invoice', { series: '../A', folio: 'ñ\r' }, 'factura-___A-__'],
  ['credit', { series: 'F', folio: '' }, `nota-de-credito-F-${ISSUED.stamp.uuid}`],
] as const)('the files of a document of kind %s with %j are named %s', (kind, numbered, name) => {
  expect(nameFiles({ kind, providerId: 'f1', stamp: { ...ISSUED.stamp, ...numbered } })).toBe(name);
});
