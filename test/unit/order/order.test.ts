import { describe, expect, it } from 'vitest';
import {
  answersForCredit,
  canChangeDetails,
  canChangeSum,
  canMoveOrder,
  canMovePayment,
  firstOrderStatus,
  formatFolio,
  INSURANCE_REFUND_STATUSES,
  isCancellable,
  ORDER_STATUSES,
  PATIENT_ORDER_STATUSES,
  PAYMENT_STATUSES,
  parseFolio,
  patientOrderStatus,
  startPayment,
} from '../../../shared/order/rules/status.ts';
import { isRefundDue } from '../../../shared/payments/rules/refunds.ts';
import { taxDocument } from '../../support/invoices/tax-documents.ts';

describe('the states', () => {
  it('are those of the interface, in its order', () => {
    expect(ORDER_STATUSES.join(', ')).toBe(
      'quoted, pending_approval, approved, in_process, ready, shipped, delivered, cancelled, delayed, shortage',
    );
    expect(PAYMENT_STATUSES.join(', ')).toBe('unpaid, credit, paid, in_process, processing, rejected');
    expect(PATIENT_ORDER_STATUSES.join(', ')).toBe('in_process, shipped, delivered, cancelled');
    expect(INSURANCE_REFUND_STATUSES.join(', ')).toBe(
      'not_started, missing_data, sent_to_broker, sent_to_insurer, approved_by_insurer',
    );
  });
});

describe('each order status', () => {
  it.each([
    // status, told to the patient, cancellable, products may change
    ['quoted', 'in_process', true, true],
    ['pending_approval', 'in_process', true, false],
    ['approved', 'in_process', true, true],
    ['in_process', 'in_process', false, false],
    ['ready', 'in_process', false, false],
    ['shipped', 'shipped', false, false],
    ['delivered', 'delivered', false, false],
    ['cancelled', 'cancelled', false, false],
    ['delayed', 'in_process', false, false],
    ['shortage', 'in_process', true, false],
  ] as const)('%s is told as %s; cancellable: %s; products may change: %s', (status, told, cancellable, changeable) => {
    expect(patientOrderStatus(status)).toBe(told);
    expect(isCancellable(status)).toBe(cancellable);
    expect(canChangeDetails(status)).toBe(changeable);
  });
});

describe('firstOrderStatus', () => {
  it('awaits approval if a prescription is required, and is approved if none is', () => {
    const [free, prescribed] = [{ requiresPrescription: false }, { requiresPrescription: true }];
    expect(firstOrderStatus([free, prescribed])).toBe('pending_approval');
    expect(firstOrderStatus([free])).toBe('approved');
  });
});

describe('startPayment', () => {
  it.each([
    [0, 'unpaid', 'paid', '2026-11-23T18:00:00.000Z'],
    [0, 'credit', 'paid', '2026-11-23T18:00:00.000Z'],
    [1, 'unpaid', 'unpaid', null],
    [1, 'credit', 'credit', null],
  ] as const)(
    '%i cents, by a method that starts as %s: %s at %s',
    (totalCents, initial, paymentStatus, paymentDate) => {
      expect(startPayment(totalCents, initial, '2026-11-23T18:00:00.000Z')).toEqual({ paymentStatus, paymentDate });
    },
  );
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

it('each table has a row for each status', () => {
  expect(parseMoves(ORDER_MOVES).map(([from]) => from)).toEqual(ORDER_STATUSES);
  expect(parseMoves(PAYMENT_MOVES).map(([from]) => from)).toEqual(PAYMENT_STATUSES);
});

describe('canMoveOrder', () => {
  it.each(parseMoves(ORDER_MOVES))('allows from %s the moves %s', (from, row) => {
    const status = ORDER_STATUSES.find((known) => known === from) ?? 'quoted';
    expect(
      ORDER_STATUSES.map((to) => (canMoveOrder({ orderStatus: status, store: null }, to) ? 'x' : '.')).join(''),
    ).toBe(row);
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
  it.each(parseMoves(PAYMENT_MOVES))('allows from %s the moves %s', (from, row) => {
    const status = PAYMENT_STATUSES.find((known) => known === from) ?? 'unpaid';
    const order = { orderStatus: 'approved', paymentStatus: status } as const;
    expect(PAYMENT_STATUSES.map((to) => (canMovePayment(order, to) ? 'x' : '.')).join('')).toBe(row);
  });

  it.each([
    ['unpaid', ['paid']],
    ['credit', ['paid']],
    ['paid', []],
    ['in_process', ['paid', 'rejected']],
    ['processing', ['paid', 'rejected']],
    ['rejected', ['unpaid']],
  ] as const)(
    'lets the payment of a cancelled order only fail, or come all the same: from %s to %j',
    (paymentStatus, allowed) => {
      const order = { orderStatus: 'cancelled', paymentStatus } as const;
      expect(PAYMENT_STATUSES.filter((to) => canMovePayment(order, to))).toEqual(allowed);
    },
  );
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

describe('answersForCredit', () => {
  it.each([
    ['an employee', 1, 'insurance_employee', true],
    ['the doctor who placed it', 2, 'doctor', true],
    ['another doctor', 3, 'doctor', false],
    ['the patient who placed it', 2, 'patient', true],
    ['a patient whose order somebody else placed', 4, 'patient', false],
  ] as const)('%s', (_, id, role, answers) => {
    expect(answersForCredit({ user: { id, role }, placedBy: { id: 2 } })).toBe(answers);
  });
});

describe('canChangeSum', () => {
  const other = { user: { id: 1, role: 'patient' }, placedBy: { id: 2 } } as const;
  const placer = { user: { id: 2, role: 'patient' }, placedBy: { id: 2 } } as const;
  it.each([
    ['unpaid', true, true],
    ['credit', true, false],
    ['paid', false, false],
    ['in_process', false, false],
    ['processing', false, false],
    ['rejected', true, true],
  ] as const)('%s: by who placed it %s, by another %s', (status, byPlacer, byOther) => {
    expect([canChangeSum(status, placer), canChangeSum(status, other)]).toEqual([byPlacer, byOther]);
  });
});

describe('formatFolio', () => {
  it.each([
    [42, 'RX-00000042'],
    [12_345_678, 'RX-12345678'],
    // Of a longer id every digit is kept, within the 20 characters of the interface.
    [9_007_199_254_740_991, 'RX-9007199254740991'],
  ])('writes %i as %s', (id, folio) => {
    expect(formatFolio(id)).toBe(folio);
  });
});

describe('parseFolio', () => {
  it.each([
    ['RX-00000042', 42],
    ['rx-00000042', 42],
    ['RX-123456789', 123_456_789],
    ['42', 42],
    ['00000042', 42],
  ])('reads %s', (text, id) => {
    expect(parseFolio(text)).toBe(id);
  });

  it.each(['', 'RX-', 'RX-0', '0', '-42', 'RX42', 'RY-00000042', '4.2', '42 ', '1234567890123456'])(
    'refuses "%s"',
    (text) => {
      expect(parseFolio(text)).toBeUndefined();
    },
  );
});
