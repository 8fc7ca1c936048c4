import { fiscalText } from '../../domain/text.ts';
import type { IvaOfRate, PaymentComplement } from '../rules/build/cfdi.ts';
import { type CfdiParts, element, IVA, SUBJECT_TO_TAX, writeCents, writeRate } from './elements.ts';

/**
 * Returns the parts of a payment complement (SAT, Pagos 2.0, revision B): a CFDI of 0 without currency, form or taxes, with one
 * concept whose values are fixed (CRP20101 to CRP20123). `paidAt` is the local time of the payment.
 */
export const toPaymentParts = (payment: PaymentComplement, paidAt: string): CfdiParts => ({
  root: { SubTotal: '0', Moneda: 'XXX', Total: '0', TipoDeComprobante: 'P' },
  before: [],
  receiver: { ...payment.receiver, cfdiUse: 'CP01' },
  concepts: [element('cfdi:Concepto', CONCEPT)],
  after: [element('cfdi:Complemento', {}, [paymentsElement(payment, paidAt)])],
});

const CONCEPT = {
  ClaveProdServ: '84111506',
  Cantidad: '1',
  ClaveUnidad: 'ACT',
  Descripcion: 'Pago',
  ValorUnitario: '0',
  Importe: '0',
  ObjetoImp: '01',
};

function paymentsElement(payment: PaymentComplement, paidAt: string): string {
  const { amountCents, paymentForm, taxes } = payment;
  const attributes = {
    FechaPago: paidAt,
    FormaDePagoP: paymentForm,
    MonedaP: 'MXN',
    TipoCambioP: '1',
    Monto: writeCents(amountCents),
  };
  const paid = element('pago20:Pago', attributes, [paidDocumentElement(payment), taxesElement('P', taxes)]);
  return element('pago20:Pagos', { Version: '2.0' }, [totalsElement(payment), paid]);
}

// SAT's names of the sums by rate: TotalTrasladosBaseIVA16 and so on (CRP20204 to CRP20209).
const PERCENT_MICROS = 10_000;

function totalsElement({ taxes, amountCents }: PaymentComplement): string {
  const sums = taxes.flatMap(({ rateMicros, baseCents, ivaCents }) => {
    const rate = `IVA${rateMicros / PERCENT_MICROS}`;
    return [
      [`TotalTrasladosBase${rate}`, writeCents(baseCents)],
      [`TotalTrasladosImpuesto${rate}`, writeCents(ivaCents)],
    ];
  });
  return element('pago20:Totales', { ...Object.fromEntries(sums), MontoTotalPagos: writeCents(amountCents) });
}

function paidDocumentElement(payment: PaymentComplement): string {
  const { invoice, installment, balanceCents, amountCents, taxes } = payment;
  const attributes = {
    IdDocumento: invoice.uuid,
    ...(invoice.series !== '' && { Serie: fiscalText(invoice.series, 25) }),
    ...(invoice.folio !== '' && { Folio: fiscalText(invoice.folio, 40) }),
    MonedaDR: 'MXN',
    EquivalenciaDR: '1',
    NumParcialidad: String(installment),
    ImpSaldoAnt: writeCents(balanceCents),
    ImpPagado: writeCents(amountCents),
    ImpSaldoInsoluto: writeCents(balanceCents - amountCents),
    ObjetoImpDR: SUBJECT_TO_TAX,
  };
  return element('pago20:DoctoRelacionado', attributes, [taxesElement('DR', taxes)]);
}

/** Writes the taxes of the paid document (`DR`) or of the payment (`P`), whose names differ by this ending only. */
function taxesElement(ending: 'DR' | 'P', taxes: readonly IvaOfRate[]): string {
  const written = taxes.map(({ rateMicros, baseCents, ivaCents }) =>
    element(`pago20:Traslado${ending}`, {
      [`Base${ending}`]: writeCents(baseCents),
      [`Impuesto${ending}`]: IVA,
      [`TipoFactor${ending}`]: 'Tasa',
      [`TasaOCuota${ending}`]: writeRate(rateMicros),
      [`Importe${ending}`]: writeCents(ivaCents),
    }),
  );
  return element(`pago20:Impuestos${ending}`, {}, [element(`pago20:Traslados${ending}`, {}, written)]);
}
