import { describe, expect, it } from 'vitest';
import { getTaxRetentionEnd, type TaxedOrder } from '../../../shared/domain/invoices/tax-records.ts';

const CITY = 'America/Mexico_City';
const ORDER: TaxedOrder = { createdAt: '2026-11-23T18:00:00.000Z', paymentDate: null, invoice: null, documents: [] };
const until = (order: Partial<TaxedOrder>) => getTaxRetentionEnd({ ...ORDER, ...order }, CITY);

describe('tax records', () => {
  // The return of 2026 is due by 30 April 2027, and the term ends five years later. The year is that of the shop.
  it.each([
    ['2026-01-01T06:00:00.000Z', '2032-04-30'],
    ['2027-01-01T05:59:59.999Z', '2032-04-30'],
    ['2027-01-01T06:00:00.000Z', '2033-04-30'],
  ])('of an order of %s are needed until %s', (createdAt, day) => {
    expect(until({ createdAt })).toBe(day);
  });

  it.each([
    ['2026-12-31T18:00:00.000Z', '2032-04-30'],
    ['2027-11-23T18:00:00.000Z', '2033-04-30'],
  ])('of an order of 2026 that was paid on %s are needed until %s', (paymentDate, day) => {
    expect(until({ paymentDate })).toBe(day);
  });

  it('of an order of December that was invoiced in January are counted from the invoice', () => {
    expect(until({ createdAt: '2026-12-31T18:00:00.000Z', invoice: { issuedAt: '2027-01-02T18:00:00.000Z' } })).toBe(
      '2033-04-30',
    );
    expect(until({ invoice: { issuedAt: null } })).toBe('2032-04-30');
  });

  it('are counted from the last complement or credit note', () => {
    const documents = [{ issuedAt: '2028-01-04T18:00:00.000Z' }, { issuedAt: '2027-06-01T18:00:00.000Z' }];
    expect(until({ paymentDate: '2027-12-31T18:00:00.000Z', documents })).toBe('2034-04-30');
  });
});
