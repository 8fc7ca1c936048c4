import { describe, expect, it } from 'vitest';
import { getTaxRetentionEnd } from '../../../shared/domain/invoices/tax-records.ts';

describe('tax records', () => {
  // The return of 2026 is due by 30 April 2027, and the term ends five years later.
  it.each([
    ['2026-01-01', '2032-04-30'],
    ['2026-12-31', '2032-04-30'],
    ['2027-01-01', '2033-04-30'],
  ])('of an invoice of %s are needed until %s', (day, until) => {
    expect(getTaxRetentionEnd(day)).toBe(until);
  });
});
