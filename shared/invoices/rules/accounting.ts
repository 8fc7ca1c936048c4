import { type Cents, divideHalfUp, formatCents, MICROS_PER_UNIT } from '../../domain/money.ts';
import {
  listOpenParts,
  type Sale,
  type SalePart,
  type ShareOfRate,
  spreadAmount,
  sumByRate,
  sumParts,
} from '../../domain/sale-parts.ts';
import { localDate } from '../../domain/working-day.ts';
import { formatFolio } from '../../order/rules/status.ts';
import { computeTotals, type IvaOfRate } from './build/cfdi.ts';
import { buildInvoice, type InvoicedLine, type InvoicedOrder } from './build/invoice.ts';
import { toNetSale } from './global/global-sale.ts';
import { type InGlobal, listNettedParts, listReturnedParts, type Returned } from './owed-documents.ts';
import { getIssueTimeZone } from './place-of-issue.ts';
import {
  findRelated,
  listCreditedParts,
  listDocuments,
  type OrderDocuments,
  type TaxDocument,
} from './tax-document.ts';

type Order = Omit<InvoicedOrder, 'receiver' | 'lines'> &
  OrderDocuments &
  InGlobal &
  Returned &
  Sale & {
    readonly lines: readonly (InvoicedLine & Sale['lines'][number])[];
    readonly id: number;
    readonly paymentDate: string | null;
    readonly paymentForm: string | null;
    readonly paymentMethod: { readonly sat_payment_form: string };
    readonly shippingDiscountCents: Cents;
    readonly discountCents: Cents;
  };

type GlobalPart = {
  readonly status: string;
  readonly stamp: { readonly uuid: string; readonly at: string } | null;
  readonly issuedAt: string | null;
};

/**
 * An order with one of its tax documents, as an accountant reads it; amounts are positive but in the row of a cancellation. The
 * days of a document are those of its place of issue, others those of the business.
 */
export type AccountingRow = ReturnType<typeof toRow>;

type Told = {
  readonly kind: 'ingreso' | 'egreso' | 'pago' | 'global' | '';
  readonly uuid: string;
  readonly status: string;
  readonly stampedAt: string | null;
  readonly cancelledAt?: string | undefined;
  readonly totalCents: Cents;
  readonly rates: readonly IvaOfRate[];
  readonly paymentForm: string;
  readonly paymentMethod: string;
  readonly relatedUuid: string;
  readonly complementUuid: string;
};

function toRow(order: Order, told: Told, timeZone: string, issueZone = timeZone) {
  const toDate = (at: string | null, zone: string) => (at === null ? '' : localDate(new Date(at), zone));
  const ofRate = (rateMicros: number) => told.rates.find((one) => one.rateMicros === rateMicros);
  // Shipping and discount are those of the whole sale.
  const isSale = told.kind !== 'egreso' && told.kind !== 'pago';
  return {
    order: order.id,
    folio: formatFolio(order.id),
    kind: told.kind,
    uuid: told.uuid,
    status: told.status,
    stamped_on: toDate(told.stampedAt, issueZone),
    cancelled_on: toDate(told.cancelledAt ?? null, issueZone),
    base_0: formatCents(ofRate(0)?.baseCents ?? 0),
    base_8: formatCents(ofRate(80_000)?.baseCents ?? 0),
    iva_8: formatCents(ofRate(80_000)?.ivaCents ?? 0),
    base_16: formatCents(ofRate(160_000)?.baseCents ?? 0),
    iva_16: formatCents(ofRate(160_000)?.ivaCents ?? 0),
    shipping: formatCents(isSale ? order.shippingPriceCents - order.shippingDiscountCents : 0),
    discount: formatCents(isSale ? order.discountCents : 0),
    total: formatCents(told.totalCents),
    paid_on: toDate(order.paymentDate, timeZone),
    payment_form: told.paymentForm,
    payment_method: told.paymentMethod,
    related_uuid: told.relatedUuid,
    complement_uuid: told.complementUuid,
  };
}

const AMOUNTS = [
  ...(['base_0', 'base_8', 'iva_8', 'base_16', 'iva_16'] as const),
  ...(['shipping', 'discount', 'total'] as const),
];

/** Returns a row with negative amounts, which takes back what the row of the stamp has stated. */
export const negate = (row: AccountingRow): AccountingRow => ({
  ...row,
  ...Object.fromEntries(AMOUNTS.map((amount) => [amount, row[amount] === '0.00' ? '0.00' : `-${row[amount]}`])),
});

const KINDS = { invoice: 'ingreso', credit: 'egreso', payment: 'pago' } as const;

/** Returns the row of a tax document of an order. */
export const toDocumentRow = (order: Order, document: TaxDocument, timeZone: string): AccountingRow =>
  toRow(
    order,
    {
      kind: KINDS[document.kind],
      uuid: document.stamp?.uuid ?? '',
      status: document.status === 'cancelled' ? 'cancelled' : 'valid',
      stampedAt: document.stamp?.at ?? document.issuedAt,
      cancelledAt: document.cancelledAt,
      totalCents: document.issuedCents ?? document.amountCents,
      rates: listRates(order, document),
      paymentForm: document.paymentForm,
      paymentMethod: document.paymentMethod,
      relatedUuid: document.relatedUuid ?? '',
      complementUuid: document.kind === 'invoice' ? findComplement(order, document) : '',
    },
    timeZone,
    getIssueTimeZone(order, document, timeZone),
  );

function findComplement(order: Order, { stamp }: TaxDocument): string {
  const isIts = ({ kind, relatedUuid, status }: TaxDocument) =>
    kind === 'payment' && relatedUuid === stamp?.uuid && status !== 'cancelled';
  return listDocuments(order).find(isIts)?.stamp?.uuid ?? '';
}

/** Returns the row of an order in a part of a global invoice, whose payment method is always PUE. */
export const toGlobalRow = (order: Order, part: GlobalPart, timeZone: string): AccountingRow =>
  toRow(
    toNetSale(order, listNettedParts(order)),
    {
      ...toSale(order, listNettedParts(order)),
      kind: 'global',
      uuid: part.stamp?.uuid ?? '',
      status: part.status === 'issued' ? 'valid' : part.status,
      stampedAt: part.stamp?.at ?? part.issuedAt,
      paymentMethod: 'PUE',
    },
    timeZone,
  );

/** Returns the row of a paid order without any document, less what was given back of it. */
export function toBareRow(order: Order, timeZone: string): AccountingRow {
  const returned = listReturnedParts(order);
  const told = { kind: '', uuid: '', status: 'none', stampedAt: null, paymentMethod: '' } as const;
  return toRow(toNetSale(order, returned), { ...toSale(order, returned), ...told }, timeZone);
}

const toSale = (order: Order, returned: readonly SalePart[]) => ({
  totalCents: order.totalCents - sumParts(returned),
  rates:
    returned.length === 0
      ? computeTotals(toConcepts(order)).ivaGroups
      : sumByRate(order, listOpenParts(order, returned)).map(splitShare),
  paymentForm: order.paymentForm ?? order.paymentMethod.sat_payment_form,
  relatedUuid: '',
  complementUuid: '',
});

// The receiver is not exported, so that nobody's tax data leave with it.
const NOBODY = { legalName: '', rfc: '', fiscalRegime: '', cfdiUse: '', zipcode: '' };
const toConcepts = (order: Order) => buildInvoice({ ...order, receiver: NOBODY }).concepts;

/** Returns base and IVA of a document by rate; none of one whose invoice had another total than the order has now. */
function listRates(order: Order, document: TaxDocument): readonly IvaOfRate[] {
  const invoice = document.kind === 'invoice' ? document : findRelated(order, document);
  if (invoice && invoice.amountCents !== order.totalCents) return [];
  if (document.kind === 'invoice') return computeTotals(toConcepts(order)).ivaGroups;
  return sumByRate(order, listParts(order, document)).map(splitShare);
}

function splitShare({ rateMicros, cents }: ShareOfRate): IvaOfRate {
  const baseCents = Number(divideHalfUp(BigInt(cents * MICROS_PER_UNIT), BigInt(MICROS_PER_UNIT + rateMicros)));
  return { rateMicros, baseCents, ivaCents: cents - baseCents };
}

/** Returns what a credit note is of, or what a payment complement pays: what the credit notes before it have left. */
function listParts(order: Order, document: TaxDocument): readonly SalePart[] {
  if (document.kind === 'credit') return listCreditedParts([document]);
  const open = listOpenParts(order, listCreditedParts(listCreditsBefore(order, document)));
  return spreadAmount(open, document.amountCents);
}

/** Returns the issued credit notes of the same sale that were requested before a document, as it was built from them. */
function listCreditsBefore({ documents }: Order, { key, relatedUuid }: TaxDocument): TaxDocument[] {
  const before = documents.slice(
    0,
    documents.findIndex((document) => document.key === key),
  );
  return before.filter((one) => one.kind === 'credit' && one.relatedUuid === relatedUuid && one.issuedAt !== null);
}
