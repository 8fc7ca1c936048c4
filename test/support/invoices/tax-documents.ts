import type { DocumentMessage } from '../../../shared/invoices/document-mail.ts';
import type {
  CreditNote,
  FiscalDocument,
  GlobalInvoice,
  PaymentComplement,
} from '../../../shared/invoices/rules/build/cfdi.ts';
import type { TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import type { SandboxDocument } from '../../../shared/invoices/sandbox/document.ts';

/** Returns a requested invoice of 136.00, paid at once by transfer, with other values where they are given. */
export const taxDocument = (changes: Partial<TaxDocument> = {}): TaxDocument => ({
  kind: 'invoice',
  status: 'requested',
  key: 'order-7-a',
  providerId: '',
  stamp: null,
  amountCents: 13_600,
  paymentMethod: 'PUE',
  paymentForm: '03',
  relatedUuid: null,
  cancellation: null,
  requestedAt: '2026-01-02T18:00:00.000Z',
  issuedAt: null,
  reason: null,
  mail: null,
  kept: [],
  handled: [],
  tasks: {},
  ...changes,
});

/** The cancellation of the invoice of a sale that did not take place. */
export const NO_SALE = { motive: '03', substitution: null } as const;

/** A provider's answer about a stamped document. */
export const ISSUED = {
  id: '58e93bd8e86eb318b0197456',
  stamp: {
    uuid: '39C85A3F-275B-4341-B259-E8971D9F8A94',
    series: 'F',
    folio: '914',
    at: '2026-11-23T18:00:00.000Z',
  },
  totalCents: 13_600,
} as const;

/** Returns the mail of an invoice of 819.84, with other values where they are given. */
export const documentMail = (changes: Partial<DocumentMessage> = {}): DocumentMessage => ({
  to: 'ana.munoz@demo.example',
  subject: 'invoice',
  folio: 'RX-00000012',
  fileName: 'factura-F-12',
  uuid: '39C85A3F-275B-4341-B259-E8971D9F8A94',
  substituteUuid: null,
  amountCents: 81_984,
  reference: 'order-12-a',
  sellerName: 'Botica',
  sender: { name: 'Botica', address: 'facturas@botica.example' },
  files: { pdf: Buffer.from('%PDF-1.4\nñ'), xml: Buffer.from('<cfdi:Comprobante/>') },
  ...changes,
});

const receiver = { legalName: 'ANA MUÑOZ & HIJOS', rfc: 'MUPA800101AB1', fiscalRegime: '612', zipcode: '06700' };
const IVA = 160_000;
/** The invoice that the samples pay and credit. */
const INVOICE = { uuid: '39C85A3F-275B-4341-B259-E8971D9F8A94', series: 'F', folio: '914' };

/** Returns the payment of an invoice of 819.84 in full: 153.90 at 0 %, and 574.09 with 91.85 of IVA. */
export const samplePayment = (changes: Partial<PaymentComplement> = {}): PaymentComplement => ({
  kind: 'payment',
  receiver,
  expeditionZipcode: null,
  timeZone: null,
  paidAt: '2026-11-21T23:00:00.000Z',
  paymentForm: '03',
  invoice: INVOICE,
  installment: 1,
  balanceCents: 81_984,
  amountCents: 81_984,
  taxes: [
    { rateMicros: 0, baseCents: 15_390, ivaCents: 0 },
    { rateMicros: IVA, baseCents: 57_409, ivaCents: 9_185 },
  ],
  ...changes,
});

const concept = (unitPriceMicros: number, ivaRateMicros: number) => ({
  description: 'Devolución',
  productKey: '84111506',
  unitKey: 'ACT',
  sku: '',
  quantity: 1,
  unitPriceMicros,
  discountCents: 0,
  ivaRateMicros,
});

/** Returns a credit note of 108.00: 50.00 at 0 %, and 50.00 with 8.00 of IVA. */
export const sampleCredit = (changes: Partial<CreditNote> = {}): CreditNote => ({
  kind: 'credit',
  receiver: { ...receiver, cfdiUse: 'G02' },
  expeditionZipcode: null,
  timeZone: null,
  concepts: [concept(50_000_000, 0), concept(50_000_000, IVA)],
  paymentForm: '03',
  creditsUuid: INVOICE.uuid,
  totalCents: 10_800,
  ...changes,
});

/** Returns the global invoice of two sales: 100.00 at 0 % with 50.00 at 16 %, and 43.1051 at 16 %; 208.01 in all. */
export const sampleGlobal = (changes: Partial<GlobalInvoice> = {}): GlobalInvoice => ({
  kind: 'global',
  expeditionZipcode: '06700',
  period: { month: '10', year: 2026 },
  sales: [
    {
      folio: 'RX-00001041',
      amountMicros: 150_000_000n,
      taxes: [
        { rateMicros: 0, baseMicros: 100_000_000n, ivaMicros: 0n },
        { rateMicros: IVA, baseMicros: 50_000_000n, ivaMicros: 8_000_000n },
      ],
    },
    {
      folio: 'RX-00001043',
      amountMicros: 43_105_100n,
      taxes: [{ rateMicros: IVA, baseMicros: 43_105_100n, ivaMicros: 6_896_816n }],
    },
  ],
  paymentForm: '04',
  totalCents: 20_801,
  ...changes,
});

/** Returns a document as the sandbox writes it. */
export const sandboxDocument = (content: FiscalDocument): SandboxDocument => ({
  uuid: '5C0E2B1A-7D43-4F19-8A6B-0E19D3C58F24',
  folio: 'RX-00001042',
  issuedAt: '2026-11-21T17:00:05',
  issuer: { legalName: 'BOTICA DE DEMOSTRACIÓN', rfc: 'EKU9003173C9', fiscalRegime: '601', zipcode: '06700' },
  timeZone: 'America/Mexico_City',
  content,
});
