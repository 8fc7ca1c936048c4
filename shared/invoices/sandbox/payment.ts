import { fiscalText } from '../../domain/text.ts';
import type { IvaOfRate, PaymentComplement } from '../rules/build/cfdi.ts';
import { element, writeCents, writeDecimal } from './document.ts';

/** The concept's values are fixed (CRP20101 to CRP20123). */
export const PAYMENT_CONCEPT = element('cfdi:Concepto', {
  ClaveProdServ: '84111506',
  Cantidad: '1',
  ClaveUnidad: 'ACT',
  Descripcion: 'Pago',
  ValorUnitario: '0',
  Importe: '0',
  ObjetoImp: '01',
});

/** SAT, Pagos 2.0, revision B. `paidAt` is a local time. */
export function paymentsElement(payment: PaymentComplement, paidAt: string): string {
  const { amountCents, paymentForm, taxes } = payment;
  const attributes = {
    FechaPago: paidAt,
    FormaDePagoP: paymentForm,
    MonedaP: 'MXN',
    TipoCambioP: '1',
    Monto: writeCents(amountCents),
  };
  const paymentElement = element('pago20:Pago', attributes, [paidDocumentElement(payment), taxesElement('P', taxes)]);
  return element('pago20:Pagos', { Version: '2.0' }, [totalsElement(payment), paymentElement]);
}

// SAT names the sums by rate: TotalTrasladosBaseIVA16 and so on (CRP20204 to CRP20209).
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
    Serie: fiscalText(invoice.series, 25) || undefined,
    Folio: fiscalText(invoice.folio, 40) || undefined,
    MonedaDR: 'MXN',
    EquivalenciaDR: '1',
    NumParcialidad: String(installment),
    ImpSaldoAnt: writeCents(balanceCents),
    ImpPagado: writeCents(amountCents),
    ImpSaldoInsoluto: writeCents(balanceCents - amountCents),
    ObjetoImpDR: '02',
  };
  return element('pago20:DoctoRelacionado', attributes, [taxesElement('DR', taxes)]);
}

/** The names of the taxes of the paid document (`DR`) and of the payment (`P`) differ only in the ending. */
function taxesElement(ending: 'DR' | 'P', taxes: readonly IvaOfRate[]): string {
  const elements = taxes.map(({ rateMicros, baseCents, ivaCents }) =>
    element(`pago20:Traslado${ending}`, {
      [`Base${ending}`]: writeCents(baseCents),
      [`Impuesto${ending}`]: '002',
      [`TipoFactor${ending}`]: 'Tasa',
      [`TasaOCuota${ending}`]: writeDecimal(BigInt(rateMicros)),
      [`Importe${ending}`]: writeCents(ivaCents),
    }),
  );
  return element(`pago20:Impuestos${ending}`, {}, [element(`pago20:Traslados${ending}`, {}, elements)]);
}
