import { describe, expect, it } from 'vitest';
import type { Client } from '../../../shared/access/clients.ts';
import type { Catalog, CatalogPaymentMethod } from '../../../shared/catalog/catalog.ts';
import { findPaymentMethod } from '../../../shared/ordering/payment-methods.ts';
import type { Collecting } from '../../../shared/runtime/config.ts';

const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
const method = (id: number, more: Partial<CatalogPaymentMethod>): CatalogPaymentMethod => ({
  ...{ id, ...stamps, name: `Forma ${id}`, fee: '0.00', fixed_fee: '0.00' },
  ...{ initial_payment_status: 'unpaid', sat_payment_form: '01' },
  ...more,
});
const METHODS = [method(1, {}), method(2, { initial_payment_status: 'credit' }), method(3, { collection: 'oxxo' })];
const catalog = { paymentMethod: (id: number) => METHODS.find((one) => one.id === id) } as Catalog;
const client = { paymentMethods: [1, 2, 3], credit: 'employees' } as unknown as Client;
const COLLECTING: Collecting = { termHours: { card: 24, oxxo: 72, spei: 72 }, returnUrl: null };

const find = (id: number, collecting: Collecting | null) =>
  findPaymentMethod(id, { catalog, client, role: 'patient', collecting });

describe('a payment method', () => {
  it('that is collected is offered where a provider collects, and nowhere else', () => {
    expect(find(3, COLLECTING)).toMatchObject({ id: 3, collection: 'oxxo' });
    expect(find(3, null)).toBe('payment_method_not_allowed');
  });

  it('that is not collected does not depend on a provider', () => {
    expect([find(1, COLLECTING), find(1, null)]).toEqual([METHODS[0], METHODS[0]]);
    expect(find(2, COLLECTING)).toBe('credit_for_employees');
  });
});
