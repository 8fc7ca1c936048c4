import type {
  CreditNote,
  GlobalInvoice,
  GlobalSale,
  Invoice,
  InvoiceConcept,
  InvoiceReceiver,
  IvaOfRate,
  PaymentComplement,
} from '../../../domain/invoices/content/cfdi.ts';
import {
  computeConcept,
  computeSalesTotals,
  computeTotals,
  type InvoiceTotals,
} from '../../../domain/invoices/content/invoice-totals.ts';
import { PAYMENT_FORMS } from '../../../domain/invoices/tax-id-tables.ts';
import type { Cents } from '../../../domain/money.ts';
import { localClock } from '../../../domain/working-day.ts';
import { GLOBAL_SALE, toPublicReceiver } from '../../global-invoice.ts';
import { centsToMicros, writeMoney, writePercent } from '../decimals.ts';
import { writeAmountInWords } from './amount-in-words.ts';
import type { Row } from './file.ts';

const METHODS = { PUE: 'Pago en una sola exhibición', PPD: 'Pago en parcialidades o diferido' } as const;
const PERIODICITIES = { '01': 'Diario', '04': 'Mensual' } as const;

/** The rows of a document that differ by its kind. */
export type KindRows = { readonly receiver: InvoiceReceiver; readonly rows: readonly Row[] };

export const listInvoice = (invoice: Invoice): KindRows => ({
  receiver: invoice.receiver,
  rows: [
    ...(invoice.replacesUuid === null ? [] : [['Sustituye a', invoice.replacesUuid] as const]),
    ...paymentRows(invoice.paymentMethod, invoice.paymentForm),
    ['CONCEPTOS', ''],
    ...invoice.concepts.flatMap(conceptRows),
    ...totalRows(computeTotals(invoice.concepts)),
  ],
});

export const listCredit = (credit: CreditNote): KindRows => ({
  receiver: credit.receiver,
  rows: [
    ['Acredita a', credit.creditsUuid],
    ...paymentRows('PUE', credit.paymentForm),
    ['CONCEPTOS', ''],
    ...credit.concepts.flatMap(conceptRows),
    ...totalRows(computeTotals(credit.concepts)),
  ],
});

export const listGlobal = (global: GlobalInvoice): KindRows => ({
  receiver: toPublicReceiver(global),
  rows: [
    ...(global.replacesUuid === null ? [] : [['Sustituye a', global.replacesUuid] as const]),
    ['Periodicidad', withName(global.period.periodicity, PERIODICITIES[global.period.periodicity])],
    ['Periodo', `${global.period.month}/${global.period.year}`],
    ...paymentRows('PUE', global.paymentForm),
    ['CONCEPTOS', ''],
    ...global.sales.map(saleRow),
    ...totalRows(computeSalesTotals(global.sales)),
  ],
});

export function listPayment(payment: PaymentComplement, timeZone: string): KindRows {
  const { date, time } = localClock(new Date(payment.paidAt), timeZone);
  const { invoice, balanceCents, amountCents } = payment;
  return {
    receiver: { ...payment.receiver, cfdiUse: 'CP01' },
    rows: [
      ['PAGO', ''],
      ['Fecha de pago', `${date.split('-').reverse().join('/')} ${time}`],
      ['Forma de pago', withName(payment.paymentForm, PAYMENT_FORMS[payment.paymentForm])],
      ['Moneda', CURRENCY],
      ['DOCUMENTO PAGADO', ''],
      ['Folio fiscal', invoice.uuid],
      ['Serie y folio', `${invoice.series} ${invoice.folio}`.trim() || '-'],
      ['Parcialidad', String(payment.installment)],
      ['IMPORTES', ''],
      ['Saldo anterior', alignAmount(balanceCents)],
      ...taxRows(payment.taxes),
      ['Pagado', alignAmount(amountCents)],
      ['Saldo insoluto', alignAmount(balanceCents - amountCents)],
      ['Importe con letra', `(${writeAmountInWords(amountCents)})`],
    ],
  };
}

const CURRENCY = 'MXN - Peso Mexicano';

const paymentRows = (method: 'PUE' | 'PPD', form: string): Row[] => [
  ['PAGO', ''],
  ['Método de pago', withName(method, METHODS[method])],
  ['Forma de pago', withName(form, PAYMENT_FORMS[form])],
  ['Moneda', CURRENCY],
  ['Exportación', '01 - No aplica'],
];

function conceptRows(concept: InvoiceConcept): Row[] {
  const { amountMicros, discountMicros, ivaMicros } = computeConcept(concept);
  const amounts = [
    `P. unitario ${writeMoney(BigInt(concept.unitPriceMicros))}`,
    `Importe ${writeMoney(amountMicros)}`,
    `Descuento ${writeMoney(discountMicros)}`,
    `IVA ${writePercent(concept.ivaRateMicros)} ${writeMoney(ivaMicros)}`,
  ];
  return [
    [`${concept.quantity} ${concept.unitKey} ${concept.productKey}`, concept.description],
    ['', amounts.join('  ')],
  ];
}

function saleRow({ folio, amountMicros, taxes }: GlobalSale): Row {
  const ivas = taxes.map(({ rateMicros, ivaMicros }) => `IVA ${writePercent(rateMicros)} ${writeMoney(ivaMicros)}`);
  const written = [`${GLOBAL_SALE.description} ${folio}`, `Importe ${writeMoney(amountMicros)}`, ...ivas];
  return [`1 ${GLOBAL_SALE.unitKey} ${GLOBAL_SALE.productKey}`, written.join('  ')];
}

function totalRows({ subtotalCents, discountCents, ivaGroups, totalCents }: InvoiceTotals): Row[] {
  return [
    ['IMPORTES', ''],
    ['Subtotal', alignAmount(subtotalCents)],
    ['Descuento', alignAmount(discountCents)],
    ...taxRows(ivaGroups),
    ['Total', alignAmount(totalCents)],
    ['Importe con letra', `(${writeAmountInWords(totalCents)})`],
  ];
}

const taxRows = (taxes: readonly IvaOfRate[]): Row[] =>
  taxes.map(({ rateMicros, ivaCents }): Row => [`IVA ${writePercent(rateMicros)}`, alignAmount(ivaCents)]);

const alignAmount = (cents: Cents): string => `$${writeMoney(centsToMicros(cents))}`.padStart(18);

/** Writes a code of SAT's with its name, if it has one. */
export const withName = (code: string, name: string | undefined): string =>
  name === undefined ? code : `${code} - ${name}`;
