import { describe, expect, it } from 'vitest';
import { getPrescriptionRetentionEnd, isDispensed } from '../../../shared/domain/prescriptions/retention.ts';

describe('prescriptions', () => {
  it.each([
    ['2026-11-23', '2027-11-23'],
    ['2026-12-31', '2027-12-31'],
    ['2028-02-29', '2029-03-01'],
  ])('filled on %s are kept until %s', (day, until) => {
    expect(getPrescriptionRetentionEnd(day)).toBe(until);
  });

  it.each([
    ['quoted', false],
    ['pending_approval', false],
    ['approved', false],
    ['shortage', false],
    ['cancelled', false],
    ['in_process', true],
    ['ready', true],
    ['delayed', true],
    ['shipped', true],
    ['delivered', true],
  ] as const)('of an order that is %s have been filled: %s', (status, isFilled) => {
    expect(isDispensed(status)).toBe(isFilled);
  });
});
