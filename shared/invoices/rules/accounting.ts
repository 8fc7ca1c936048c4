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

/** An order with one of its documents, for accountants. A document's days are those of its place of issue. */
export type AccountingRow = ReturnType<typeof toRow>;

type RowDocument = {
  readonly kind: 'ingreso' | 'egreso' | 'pago' | 'global' | '';
  readonly uuid: string;
  readonly status: string;
  readonly stampedAt: string | null;
  readonly cancelledAt?: string | undefined;
  readonly totalCents: Cents;
  readonly shippingCents: Cents;
  readonly rates: readonly IvaOfRate[];
  readonly paymentForm: string;
  readonly paymentMethod: string;
  readonly relatedUuid: string;
  readonly complementUuid: string;
};

function toRow(order: Order, document: RowDocument, timeZone: string, issueZone = timeZone) {
  const toDate = (at: string | null, zone: string) => (at === null ? '' : localDate(new Date(at), zone));
  const rateOf = (rateMicros: number) => document.rates.find((rate) => rate.rateMicros === rateMicros);
  // The discount belongs to the sale as a whole.
  const isSale = document.kind !== 'egreso' && document.kind !== 'pago';
  return {
    order: order.id,
    folio: formatFolio(order.id),
    kind: document.kind,
    uuid: document.uuid,
    status: document.status,
    stamped_on: toDate(document.stampedAt, issueZone),
    cancelled_on: toDate(document.cancelledAt ?? null, issueZone),
    base_0: formatCents(rateOf(0)?.baseCents ?? 0),
    base_8: formatCents(rateOf(80_000)?.baseCents ?? 0),
    iva_8: formatCents(rateOf(80_000)?.ivaCents ?? 0),
    base_16: formatCents(rateOf(160_000)?.baseCents ?? 0),
    iva_16: formatCents(rateOf(160_000)?.ivaCents ?? 0),
    shipping: formatCents(document.shippingCents),
    discount: formatCents(isSale ? order.discountCents : 0),
    total: formatCents(document.totalCents),
    paid_on: toDate(order.paymentDate, timeZone),
    payment_form: document.paymentForm,
    payment_method: document.paymentMethod,
    related_uuid: document.relatedUuid,
    complement_uuid: document.complementUuid,
  };
}

const AMOUNTS = [
  ...(['base_0', 'base_8', 'iva_8', 'base_16', 'iva_16'] as const),
  ...(['shipping', 'discount', 'total'] as const),
];

/** Negates a stamped row's amounts, for its cancellation. */
export const negate = (row: AccountingRow): AccountingRow => ({
  ...row,
  ...Object.fromEntries(AMOUNTS.map((amount) => [amount, row[amount] === '0.00' ? '0.00' : `-${row[amount]}`])),
});

const KINDS = { invoice: 'ingreso', credit: 'egreso', payment: 'pago' } as const;

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
      shippingCents: document.kind === 'invoice' ? order.shippingPriceCents - order.shippingDiscountCents : 0,
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
  const isItsComplement = ({ kind, relatedUuid, status }: TaxDocument) =>
    kind === 'payment' && relatedUuid === stamp?.uuid && status !== 'cancelled';
  return listDocuments(order).find(isItsComplement)?.stamp?.uuid ?? '';
}

/** The payment method of a global invoice is always PUE. */
export const toGlobalRow = (order: Order, part: GlobalPart, timeZone: string): AccountingRow =>
  toRow(
    order,
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

/** Returns the row of a paid order without a document, net of returns. */
export function toBareRow(order: Order, timeZone: string): AccountingRow {
  const returned = listReturnedParts(order);
  const document = { kind: '', uuid: '', status: 'none', stampedAt: null, paymentMethod: '' } as const;
  return toRow(order, { ...toSale(order, returned), ...document }, timeZone);
}

function toSale(order: Order, returned: readonly SalePart[]) {
  const open = listOpenParts(order, returned);
  return {
    totalCents: order.totalCents - sumParts(returned),
    shippingCents: sumParts(open.filter(({ line }) => line === null)),
    rates: returned.length === 0 ? computeTotals(toConcepts(order)).ivaGroups : sumByRate(order, open).map(splitShare),
    paymentForm: order.paymentForm ?? order.paymentMethod.sat_payment_form,
    relatedUuid: '',
    complementUuid: '',
  };
}

// The receiver's tax data are not exported.
const NOBODY = { legalName: '', rfc: '', fiscalRegime: '', cfdiUse: '', zipcode: '' };
const toConcepts = (order: Order) => buildInvoice({ ...order, receiver: NOBODY }).concepts;

/** Returns no rates if the order's total has changed since its invoice. */
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

/** Returns the credited parts, or those that a complement pays: all that earlier credit notes left. */
function listParts(order: Order, document: TaxDocument): readonly SalePart[] {
  if (document.kind === 'credit') return listCreditedParts([document]);
  const open = listOpenParts(order, listCreditedParts(listCreditsBefore(order, document)));
  return spreadAmount(open, document.amountCents);
}

/** Returns the issued credit notes of the same sale that were requested before a document. */
function listCreditsBefore({ documents }: Order, { key, relatedUuid }: TaxDocument): TaxDocument[] {
  const before = documents.slice(
    0,
    documents.findIndex((document) => document.key === key),
  );
  return before.filter(
    (other) => other.kind === 'credit' && other.relatedUuid === relatedUuid && other.issuedAt !== null,
  );
}
