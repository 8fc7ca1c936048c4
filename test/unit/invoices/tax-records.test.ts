import { describe, expect, it } from 'vitest';
import { getTaxRetentionEnd, type TaxedOrder } from '../../../shared/invoices/rules/tax-records.ts';

const CITY = 'America/Mexico_City';
const ORDER: TaxedOrder = { createdAt: '2026-11-23T18:00:00.000Z', paymentDate: null, invoice: null, documents: [] };

describe('tax records', () => {
  // The return of 2026 is due by 30 April 2027, and the term ends five years later. The year is that of the shop.
  it.each<[string, Partial<TaxedOrder>, string]>([
    ['of the first millisecond of 2026', { createdAt: '2026-01-01T06:00:00.000Z' }, '2032-04-30'],
    ['of the last millisecond of 2026', { createdAt: '2027-01-01T05:59:59.999Z' }, '2032-04-30'],
    ['of the first millisecond of 2027', { createdAt: '2027-01-01T06:00:00.000Z' }, '2033-04-30'],
    ['paid a year later', { paymentDate: '2027-11-23T18:00:00.000Z' }, '2033-04-30'],
    ['invoiced in January', { invoice: { issuedAt: '2027-01-02T18:00:00.000Z' } }, '2033-04-30'],
    ['not invoiced yet', { invoice: { issuedAt: null } }, '2032-04-30'],
    [
      'with complements or credit notes, from the last of them',
      {
        paymentDate: '2027-12-31T18:00:00.000Z',
        documents: [{ issuedAt: '2028-01-04T18:00:00.000Z' }, { issuedAt: '2027-06-01T18:00:00.000Z' }],
      },
      '2034-04-30',
    ],
  ])('of an order %s are needed for five years', (_, order, day) => {
    expect(getTaxRetentionEnd({ ...ORDER, ...order }, CITY)).toBe(day);
  });
});
