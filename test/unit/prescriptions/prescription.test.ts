import { describe, expect, it } from 'vitest';
import {
  findUncovered,
  findUnnamed,
  getPrescriptionRetentionEnd,
  hasExpired,
  resolveLots,
  sumPrescribed,
  validatePrescriptionDates,
} from '../../../shared/prescriptions/rules/prescription.ts';

const TODAY = '2026-11-30';
const line = (productId: number, quantity: number, requiresPrescription = true) => ({
  productId,
  quantity,
  requiresPrescription,
});
const verified = (quantities: Readonly<Record<number, number>>, expiringDate: string | null = null) => ({
  expiringDate,
  verification: {
    lines: Object.entries(quantities).map(([productId, quantity]) => ({ productId: Number(productId), quantity })),
  },
});

it.each([
  [null, false],
  ['2026-11-30', false],
  ['2026-11-29', true],
])('a prescription until %s has expired on 30 November: %s', (expiringDate, expired) => {
  expect(hasExpired({ expiringDate }, TODAY)).toBe(expired);
});

describe('findUnnamed', () => {
  const NAMED = { name: 'Dra. Eva Luna', licence: '1234567', address: null };
  const item = (id: number, products: Readonly<Record<number, number>>, prescriber: typeof NAMED | object | null) => ({
    ...verified(products),
    ...{ id, prescriber: prescriber as typeof NAMED | null },
  });
  const antibiotic = (productId: number, quantity = 1) => ({ ...line(productId, quantity), isAntibiotic: true });

  it.each([
    ['nobody is recorded', [antibiotic(4)], [item(9, { 4: 1 }, null)], 9],
    ['they have no cédula', [antibiotic(4)], [item(9, { 4: 1 }, { ...NAMED, licence: null })], 9],
    ['all is recorded', [antibiotic(4)], [item(9, { 4: 1 }, NAMED)], undefined],
    ['another of it has one', [antibiotic(4)], [item(9, { 4: 1 }, null), item(8, { 4: 1 }, NAMED)], undefined],
    ['only that of another product has one', [antibiotic(4)], [item(8, { 5: 1 }, NAMED), item(9, { 4: 1 }, null)], 9],
    ['none of it is given', [antibiotic(4, 0)], [item(9, { 4: 1 }, null)], undefined],
    ['it is no antibiotic', [{ ...line(4, 1), isAntibiotic: false }], [item(9, { 4: 1 }, null)], undefined],
  ])('when %s', (_, lines, prescriptions, id) => {
    expect(findUnnamed(lines, prescriptions, TODAY)?.id).toBe(id);
  });
});

describe('resolveLots', () => {
  const order = {
    id: 7,
    lines: [
      { id: 70, quantity: 3 },
      { id: 71, quantity: 1 },
    ],
  };
  const lot = (line: number, quantity?: number, expiry = '2026-11') => ({ line, lot: 'B204', expiry, quantity });

  it.each([
    [
      [lot(70), lot(71)],
      [3, 1],
    ],
    [
      [lot(70, 2), lot(70)],
      [2, 1],
    ],
    [[lot(70, 1)], [1]],
  ])('takes %j, by which they are of %j pieces', (written, quantities) => {
    expect(resolveLots(order, written, TODAY).map(({ quantity }) => quantity)).toEqual(quantities);
  });

  it.each([
    ['a line of another order', [lot(72)]],
    ['more than the line', [lot(71, 2)]],
    ['more than is left of it', [lot(70, 2), lot(70, 2)]],
    ['nothing that is left', [lot(70), lot(70)]],
    ['one that expired last month', [lot(70, 1, '2026-10')]],
  ])('refuses %s', (_, written) => {
    expect(() => resolveLots(order, written, TODAY)).toThrow(expect.objectContaining({ code: 'move_not_allowed' }));
  });
});

it('sumPrescribed adds up the lines of a product and leaves out those that need no prescription, as one of 0', () => {
  expect(sumPrescribed([line(6, 1), line(1, 9, false), line(4, 2), line(7, 0), line(6, 32_767)])).toEqual([
    { productId: 4, quantity: 2 },
    { productId: 6, quantity: 32_768 },
  ]);
});

describe('findUncovered', () => {
  const EXPIRED = verified({ 4: 2 }, '2026-11-29');
  const uncovered = (productId: number, quantity: number, coveredQuantity: number | null) => {
    return { productId, quantity, coveredQuantity };
  };

  it.each([
    ['no line that needs a prescription', [line(1, 9, false)], [], []],
    ['no prescription', [line(4, 1)], [], [uncovered(4, 1, null)]],
    ['one that is not verified', [line(4, 1)], [{ expiringDate: null, verification: null }], [uncovered(4, 1, null)]],
    ['the verified quantity', [line(4, 2)], [verified({ 4: 2 })], []],
    ['more', [line(4, 3)], [verified({ 4: 2 })], [uncovered(4, 3, 2)]],
    ['more in two lines', [line(4, 2), line(4, 1)], [verified({ 4: 2 })], [uncovered(4, 3, 2)]],
    ['another product', [line(4, 1), line(6, 1)], [verified({ 4: 1 })], [uncovered(6, 1, null)]],
    ['none of a product that was not verified', [line(6, 0)], [verified({ 4: 1 })], []],
    ['two verified for the same', [line(4, 3)], [verified({ 4: 2 }), verified({ 4: 2 })], [uncovered(4, 3, 2)]],
    ['the larger of two', [line(4, 2)], [verified({ 4: 1 }), verified({ 4: 2 })], []],
    ['two verified for one product each', [line(4, 1), line(6, 1)], [verified({ 4: 1 }), verified({ 6: 1 })], []],
    ['one on its last day', [line(4, 1)], [verified({ 4: 1 }, '2026-11-30')], []],
    ['one that expired yesterday', [line(4, 1)], [verified({ 4: 1 }, '2026-11-29')], [uncovered(4, 1, null)]],
    ['an expired and a lesser one', [line(4, 2)], [EXPIRED, verified({ 4: 1 })], [uncovered(4, 2, 1)]],
  ])('of %s', (_, lines, prescriptions, expected) => {
    expect(findUncovered(lines, prescriptions, TODAY)).toEqual(expected);
  });
});

describe('validatePrescriptionDates', () => {
  const values = { today: '2026-11-21', timeZone: 'America/Tijuana' };
  const future = { field: 'issue_date', code: 'date_in_the_future', values };
  const past = { field: 'expiring_date', code: 'date_in_the_past', values };
  const beforeIssue = { field: 'expiring_date', code: 'date_before_issue' };
  it.each([
    ['of today', '2026-11-21', null, []],
    ['that expires today', '2026-11-21', '2026-11-21', []],
    ['of last year', '2025-12-31', '2026-11-21', []],
    ['that expires next year', '2026-11-20', '2027-01-01', []],
    ['of tomorrow', '2026-11-22', null, [future]],
    ['that expired yesterday', '2026-11-01', '2026-11-20', [past]],
    ['of a later day that expires before it', '2026-11-25', '2026-11-24', [future, beforeIssue]],
    ['that expired before its issue', '2026-11-10', '2026-11-09', [past, beforeIssue]],
  ])('of a prescription %s', (_, issueDate, expiringDate, errors) => {
    expect(validatePrescriptionDates({ issueDate, expiringDate, ...values })).toEqual(errors);
  });
});

it.each([
  ['2026-11-23', '2027-11-23'],
  ['2028-02-29', '2029-03-01'],
])('prescriptions filled on %s are kept until %s', (day, until) => {
  expect(getPrescriptionRetentionEnd(day)).toBe(until);
});
