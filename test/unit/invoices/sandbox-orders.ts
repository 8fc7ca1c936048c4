import { priceBasket } from '../../../shared/domain/pricing.ts';
import type { FiscalDocument, Invoice } from '../../../shared/invoices/rules/build/cfdi.ts';
import { buildInvoice } from '../../../shared/invoices/rules/build/invoice.ts';
import type { SandboxDocument } from '../../../shared/invoices/sandbox/document.ts';

export type Sold = {
  readonly unitPriceCents: number;
  readonly quantity: number;
  readonly hasIva: boolean;
  readonly name?: string;
};

const IVA = 160_000;

const receiver = {
  legalName: 'ANA MUÑOZ & HIJOS "MX"',
  rfc: 'MUPA800101AB1',
  fiscalRegime: '612',
  cfdiUse: 'G03',
  zipcode: '06700',
};

/** Makes the invoice of an order with 10 % off and 99.00 of shipping. */
export function invoiceOfSold(sold: readonly Sold[], legalName = receiver.legalName): Invoice {
  const coupon = { valueMicros: 100_000, has_free_shipping: false };
  const basket = sold.map(({ hasIva, ...one }) => ({ ...one, ivaRateMicros: hasIva ? IVA : 0 }));
  const priced = priceBasket({
    lines: basket,
    coupon,
    shipping: { priceCents: 9_900, discountCents: 0, ivaRateMicros: IVA },
  });
  const product = { presentation: 'caja', eanKey: '7509999000017', satKey: '51142001', satUnit: 'H87' };
  const lines = basket.map(({ unitPriceCents, quantity, ivaRateMicros, name = 'Paracetamol' }, index) => ({
    ...product,
    ...{ name, quantity, ivaRateMicros, priceCents: unitPriceCents },
    discountCents: priced.lines[index]?.discountCents ?? 0,
  }));
  const payment = {
    ...priced,
    paymentStatus: 'paid' as const,
    paymentMethod: { sat_payment_form: '03' },
    paymentForm: null,
    store: null,
  };
  return buildInvoice({ ...payment, lines, receiver: { ...receiver, legalName } });
}

export const sandboxDocument = (content: FiscalDocument): SandboxDocument => ({
  uuid: '5C0E2B1A-7D43-4F19-8A6B-0E19D3C58F24',
  folio: 'RX-00001042',
  issuedAt: '2026-11-21T17:00:05',
  issuer: { legalName: 'BOTICA DE DEMOSTRACIÓN', rfc: 'EKU9003173C9', fiscalRegime: '601', zipcode: '06700' },
  timeZone: 'America/Mexico_City',
  content,
});
