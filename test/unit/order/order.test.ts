import { describe, expect, it } from 'vitest';
import { parsePairName, toPairName } from '../../../shared/order/lists/counters.ts';
import { recognizeSearch } from '../../../shared/order/lists/find-orders.ts';
import { isPatientErased, listViewers, toViewer } from '../../../shared/order/order.ts';
import {
  answersForCredit,
  canChangeDetails,
  canChangeSum,
  canMoveOrder,
  canMovePayment,
  firstOrderStatus,
  formatFolio,
  isCancellable,
  markApproved,
  ORDER_STATUSES,
  type OrderStatus,
  PAYMENT_STATUSES,
  type PaymentStatus,
  parseFolio,
  patientOrderStatus,
  startPayment,
} from '../../../shared/order/rules/status.ts';
import { isRefundDue } from '../../../shared/payments/rules/payment-exceptions.ts';
import { toPerson } from '../../../shared/people/person.ts';
import { ROLES } from '../../../shared/people/rules/roles.ts';
import { isDispensed } from '../../../shared/prescriptions/rules/prescription.ts';
import { taxDocument } from '../../support/invoices/tax-documents.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';

it('an order status is told to the patient, and says whether an order is cancellable, its products may change, it is filled', () => {
  const rules = [patientOrderStatus, isCancellable, canChangeDetails, isDispensed];
  const toRow = (status: OrderStatus) => [status, ...rules.map((rule) => rule(status))];
  expect(ORDER_STATUSES.map(toRow)).toEqual([
    ['quoted', 'in_process', true, true, false],
    ['pending_approval', 'in_process', true, false, false],
    ['approved', 'in_process', true, true, false],
    ['in_process', 'in_process', false, false, true],
    ['ready', 'in_process', false, false, true],
    ['shipped', 'shipped', false, false, true],
    ['delivered', 'delivered', false, false, true],
    ['cancelled', 'cancelled', false, false, false],
    ['delayed', 'in_process', false, false, true],
    ['shortage', 'in_process', true, false, false],
  ]);
});

it('an order begins as approved or waits for approval, and paid if it costs nothing', () => {
  const [free, prescribed] = [{ requiresPrescription: false }, { requiresPrescription: true }];
  expect([firstOrderStatus([free, prescribed]), firstOrderStatus([free])]).toEqual(['pending_approval', 'approved']);
  expect(startPayment(0, 'credit', 'T1')).toEqual({ paymentStatus: 'paid', paymentDate: 'T1' });
  expect(startPayment(1, 'credit', 'T1')).toEqual({ paymentStatus: 'credit', paymentDate: null });
});

it('an order is first approved when it first gets to approved', () => {
  expect(markApproved(undefined, 'pending_approval', 'T1')).toEqual({ approvedAt: null });
  expect(markApproved(null, 'quoted', 'T2')).toEqual({});
  expect(markApproved(null, 'approved', 'T2')).toEqual({ approvedAt: 'T2' });
  expect(markApproved('T2', 'pending_approval', 'T3')).toEqual({ approvedAt: 'T2' });
  expect(markApproved('T2', 'approved', 'T4')).toEqual({});
  expect(markApproved(undefined, 'approved', 'T1')).toEqual({});
});

// Rows are from, columns are to, in the order of the interface; x is a move.
const ORDER_MOVES = `
                 quo pen app inp rea shi del can dly sho
quoted            .   x   x   .   .   .   .   .   .   .
pending_approval  x   .   x   .   .   .   .   x   .   .
approved          x   .   .   x   .   .   .   x   .   x
in_process        .   .   .   .   x   .   .   .   x   x
ready             .   .   .   .   .   x   .   .   x   .
shipped           .   .   .   .   .   .   x   .   .   .
delivered         .   .   .   .   .   .   .   .   .   .
cancelled         .   .   .   .   .   .   .   .   .   .
delayed           .   .   .   x   x   x   .   .   .   .
shortage          .   .   x   .   .   .   .   x   .   .`;

const PAYMENT_MOVES = `
            unp cre pai inp pro rej
unpaid       .   x   x   x   x   .
credit       .   .   x   .   .   .
paid         .   .   .   .   .   .
in_process   .   .   x   .   .   x
processing   .   .   x   x   .   x
rejected     x   .   .   .   x   .`;

function parseMoves(table: string): [string, string][] {
  const rows = table.trim().split('\n').slice(1);
  return rows.map((row) => row.split(/\s+/)).map(([from = '', ...cells]) => [from, cells.join('')]);
}

const mark = (isAllowed: boolean) => (isAllowed ? 'x' : '.');

describe('canMoveOrder', () => {
  it('allows the moves of the table', () => {
    const row = (orderStatus: OrderStatus) =>
      ORDER_STATUSES.map((to) => mark(canMoveOrder({ orderStatus, store: null }, to))).join('');
    expect(ORDER_STATUSES.map((from) => [from, row(from)])).toEqual(parseMoves(ORDER_MOVES));
  });

  it.each([
    ['ready', ['delivered', 'delayed']],
    ['delayed', ['in_process', 'ready']],
    ['in_process', ['ready', 'delayed', 'shortage']],
  ] as const)('allows what is collected at a store from %s to %j, and never to be shipped', (orderStatus, allowed) => {
    const order = { orderStatus, store: { id: 1 } };
    expect(ORDER_STATUSES.filter((to) => canMoveOrder(order, to))).toEqual(allowed);
  });
});

describe('canMovePayment', () => {
  it('allows the moves of the table', () => {
    const row = (paymentStatus: PaymentStatus) =>
      PAYMENT_STATUSES.map((to) => mark(canMovePayment({ orderStatus: 'approved', paymentStatus }, to))).join('');
    expect(PAYMENT_STATUSES.map((from) => [from, row(from)])).toEqual(parseMoves(PAYMENT_MOVES));
  });

  it.each([
    ['unpaid', ['paid']],
    ['credit', ['paid']],
    ['paid', []],
    ['in_process', ['paid', 'rejected']],
    ['processing', ['paid', 'rejected']],
    ['rejected', ['unpaid']],
  ] as const)('lets the payment of a cancelled order only fail, or come: from %s to %j', (paymentStatus, allowed) => {
    const order = { orderStatus: 'cancelled', paymentStatus } as const;
    expect(PAYMENT_STATUSES.filter((to) => canMovePayment(order, to))).toEqual(allowed);
  });
});

const NO_ATTEMPTS = { attempts: [], customer: null, paidBy: null, isAccountWatched: false, renewals: 0 };
const keep = (unmatchedCents: number, handledCents: number) => ({ ...NO_ATTEMPTS, unmatchedCents, handledCents });
const REMISSION = taxDocument({ kind: 'credit', paymentForm: '15', amountCents: 4_000 });

describe('isRefundDue', () => {
  const order = { orderStatus: 'cancelled', paymentStatus: 'paid', totalCents: 10_000 } as const;

  it.each([
    ['a cancelled order that was paid', {}, true],
    ['one of which a part has gone back', { refunds: [{ cents: 4_000 }, { cents: 5_999 }] }, true],
    ['one of which all has gone back', { refunds: [{ cents: 4_000 }, { cents: 6_000 }] }, false],
    ['one for which money came beside the total', { paymentStatus: 'unpaid', payment: keep(5_700, 5_699) }, true],
    ['one of which that is dealt with', { paymentStatus: 'unpaid', payment: keep(5_700, 5_700) }, false],
    ['one of which 40.00 was remitted', { refunds: [{ cents: 6_000 }], documents: [REMISSION] }, false],
    ['one that was remitted whole', { documents: [REMISSION, { ...REMISSION, amountCents: 6_000 }] }, true],
    ['one that cost nothing', { totalCents: 0 }, false],
    ['one that was not paid', { paymentStatus: 'processing' }, false],
    ['one that is not cancelled', { orderStatus: 'delivered' }, false],
  ] as const)('of %s is told', (_, changes, isDue) => {
    expect(isRefundDue({ ...order, ...changes })).toBe(isDue);
  });
});

it.each([
  ['an employee', 1, 'insurance_employee', true],
  ['the doctor who placed it', 2, 'doctor', true],
  ['another doctor', 3, 'doctor', false],
  ['the patient who placed it', 2, 'patient', true],
  ['a patient whose order somebody else placed', 4, 'patient', false],
] as const)('%s answers for the credit of an order: %s', (_, id, role, answers) => {
  expect(answersForCredit({ user: { id, role }, placedBy: { id: 2 } })).toBe(answers);
});

it.each([
  ['unpaid', true, true],
  ['credit', true, false],
  ['paid', false, false],
  ['in_process', false, false],
  ['processing', false, false],
  ['rejected', true, true],
] as const)('the sum of an order that is %s may change by who placed it %s, by another %s', (status, own, others) => {
  const change = (id: number) => canChangeSum(status, { user: { id, role: 'patient' }, placedBy: { id: 2 } });
  expect([change(2), change(1)]).toEqual([own, others]);
});

describe('a folio', () => {
  it('has eight digits of the id, or of a longer one every digit', () => {
    expect([42, 9_007_199_254_740_991].map(formatFolio)).toEqual(['RX-00000042', 'RX-9007199254740991']);
  });

  it.each([
    ['RX-00000042', 42],
    ['rx-00000042', 42],
    ['RX-123456789', 123_456_789],
    ['00000042', 42],
  ])('is read from %j as %s', (text, id) => {
    expect(parseFolio(text)).toBe(id);
  });

  it.each(['', 'RX-', 'RX-0', '0', '-42', 'RX42', 'RY-00000042', '4.2', '42 ', '1234567890123456'])(
    'is not %j',
    (text) => expect(parseFolio(text)).toBeUndefined(),
  );
});

it.each([
  ['rx-42', { by: 'folio', folio: 42 }],
  [' 42 ', { by: 'folio', folio: 42 }],
  // Nine and eleven digits are no Mexican phone.
  ['551234567', { by: 'folio', folio: 551_234_567 }],
  ['55123456789', { by: 'folio', folio: 55_123_456_789 }],
  ['5512345678', { by: 'phone', phone: '+525512345678' }],
  ['52 55 1234 5678', { by: 'phone', phone: '+525512345678' }],
  ['+52 1 55 1234 5678', { by: 'phone', phone: '+525512345678' }],
  ['+1 555 123 4567', { by: 'phone', phone: '+15551234567' }],
  ['Ana.Paz@Example.mx ', { by: 'email', email: 'ana.paz@example.mx' }],
  ['Núñez  José', { by: 'name', words: ['nunez', 'jose'] }],
  ['ana@', { by: 'name', words: ['ana'] }],
  ['0', { by: 'name', words: ['0'] }],
])('a search for %j is taken for %j', (text, recognized) => {
  expect(recognizeSearch(text)).toEqual(recognized);
});

describe('a pair of statuses', () => {
  const pairs = ORDER_STATUSES.flatMap((orderStatus) =>
    PAYMENT_STATUSES.map((paymentStatus) => ({ orderStatus, paymentStatus })),
  );

  it('has its own name of two letters, which is stored', () => {
    const names = pairs.map(toPairName);
    expect(new Set(names).size).toBe(60);
    expect(names.map(parsePairName)).toEqual(pairs);
    expect(names.slice(0, 6).join(' ')).toBe('qu qc qp qi qo qr');
    expect(names.filter((name) => name.endsWith('u')).join(' ')).toBe('qu pu au iu ru su du cu lu hu');
  });

  it.each(['', 'a', 'ax', 'changes', 'approved:unpaid', 'constructor'])('is not named %j', (name) => {
    expect(parsePairName(name)).toBeUndefined();
  });
});

describe('an order', () => {
  const order = syntheticOrder({ id: 7, doctor: 20 });

  it('is in the views of those who may see it, which are of their roles', () => {
    expect(listViewers(order)).toEqual(['client', 'patient#10', 'doctor#20']);
    expect(listViewers(syntheticOrder({ id: 7 }))).toEqual(['client', 'patient#10']);
    const viewers = ROLES.map((role) => toViewer({ id: 3, role }));
    expect(viewers).toEqual(['patient#3', 'doctor#3', 'client']);
  });

  it('is of an erased patient when the patient is shown as deleted or has no e-mail', () => {
    const isErased = (more: object) => isPatientErased({ ...order, patient: { ...order.patient, ...more } });
    expect([isErased({ deletedAt: 'T1' }), isErased({ email: '' }), isErased({})]).toEqual([true, true, false]);
  });

  it('copies the person of a user without their account', () => {
    const person = { ...order.generatedBy, role: 'patient', sex: 'F', medicalCondition: 'Asma' } as const;
    const account = { passwordHash: 'scrypt', credentialsVersion: 1, disabledAt: 'T1', unconfirmed: [], version: 4 };
    const own = { clientId: 1, referredBy: 20, defaultShipping: null, defaultInvoicing: 3 };
    expect(toPerson({ ...person, ...account, ...own })).toEqual(person);
  });
});
