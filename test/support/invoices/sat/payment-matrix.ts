import { decimalsOf, isWithinLimits, micros, sum, toTheCent } from './amounts.ts';
import { type Node, nodesAt } from './tree.ts';

type Rules = Readonly<Record<string, boolean>>;

const RATES = ['0.000000', '0.080000', '0.160000'];
// SAT's names of the sums by rate, and the codes of their rules.
const SUMS = [
  { rate: '0.160000', name: 'IVA16', codes: ['CRP20204', 'CRP20205'] },
  { rate: '0.080000', name: 'IVA8', codes: ['CRP20206', 'CRP20207'] },
  { rate: '0.000000', name: 'IVA0', codes: ['CRP20208', 'CRP20209'] },
] as const;

/** The rules of a payment complement in pesos with one paid document (matrix of Pagos 2.0, revision B). */
export function paymentMatrixRules(root: Node): Rules {
  const [payments] = nodesAt(root, 'cfdi:Complemento', 'pago20:Pagos');
  const [payment] = payments ? nodesAt(payments, 'pago20:Pago') : [];
  const [paid] = payment ? nodesAt(payment, 'pago20:DoctoRelacionado') : [];
  const [totals] = payments ? nodesAt(payments, 'pago20:Totales') : [];
  if (!payment || !paid || !totals) return { CRP20999: false };
  return {
    ...baseRules(root),
    ...paymentRules(payment, paid),
    ...paidRules(paid),
    ...totalRules(totals, payment, paid),
  };
}

const isAbsent = (value: string | undefined): boolean => value === undefined;

function baseRules({ attributes, ...root }: Node): Rules {
  const concepts = nodesAt({ attributes, ...root }, 'cfdi:Conceptos', 'cfdi:Concepto');
  const [concept] = concepts;
  const has = (name: string, value: string) => concept?.attributes[name] === value;
  const lacks = (name: string) => isAbsent(concept?.attributes[name]);
  return {
    CRP20101: attributes.TipoDeComprobante === 'P',
    CRP20102: attributes.Exportacion === '01',
    CRP20103: attributes.SubTotal === '0',
    CRP20104: attributes.Moneda === 'XXX',
    CRP20105: isAbsent(attributes.FormaPago),
    CRP20106: isAbsent(attributes.MetodoPago),
    CRP20107: isAbsent(attributes.CondicionesDePago),
    CRP20108: isAbsent(attributes.Descuento),
    CRP20109: isAbsent(attributes.TipoCambio),
    CRP20110: attributes.Total === '0',
    CRP20111: concepts.length === 1,
    CRP20112: concept?.children.length === 0,
    CRP20113: has('ClaveProdServ', '84111506'),
    CRP20114: lacks('NoIdentificacion'),
    CRP20115: has('Cantidad', '1'),
    CRP20116: has('ClaveUnidad', 'ACT'),
    CRP20117: lacks('Unidad'),
    CRP20118: has('Descripcion', 'Pago'),
    CRP20119: has('ValorUnitario', '0'),
    CRP20120: has('Importe', '0'),
    CRP20121: lacks('Descuento'),
    CRP20122: has('ObjetoImp', '01'),
    CRP20123: root.children.every(({ name }) => name !== 'cfdi:Impuestos'),
  };
}

const paymentRules = ({ attributes }: Node, paid: Node): Rules => ({
  CRP20212: attributes.FormaDePagoP !== '99',
  CRP20213: attributes.MonedaP !== 'XXX',
  CRP20215: attributes.MonedaP !== 'MXN' || attributes.TipoCambioP === '1',
  CRP20217: micros(paid.attributes.ImpPagado) <= micros(attributes.Monto),
  CRP20218: micros(attributes.Monto) > 0n,
  CRP20219: decimalsOf(attributes.Monto) <= 2,
});

const PAID_TAXES = ['pago20:ImpuestosDR', 'pago20:TrasladosDR', 'pago20:TrasladoDR'] as const;

function paidRules(paid: Node): Rules {
  const { MonedaDR, EquivalenciaDR, ImpSaldoAnt, ImpPagado, ImpSaldoInsoluto, ObjetoImpDR = '' } = paid.attributes;
  const taxes = nodesAt(paid, ...PAID_TAXES).map(({ attributes }) => attributes);
  return {
    CRP20236: MonedaDR !== 'XXX',
    CRP20238: MonedaDR !== 'MXN' || EquivalenciaDR === '1',
    CRP20239: micros(ImpSaldoAnt) > 0n,
    CRP20240: decimalsOf(ImpSaldoAnt) <= 2,
    CRP20241: micros(ImpPagado) > 0n,
    CRP20242: decimalsOf(ImpPagado) <= 2,
    CRP20243: decimalsOf(ImpSaldoInsoluto) <= 2,
    CRP20244: micros(ImpSaldoInsoluto) >= 0n && micros(ImpSaldoInsoluto) === micros(ImpSaldoAnt) - micros(ImpPagado),
    CRP20245: /^0[1-8]$/.test(ObjetoImpDR),
    CRP20246: ObjetoImpDR !== '02' || paid.children.length === 1,
    CRP20248: paid.children.length === 0 || taxes.length > 0,
    CRP20255: taxes.every(({ BaseDR }) => micros(BaseDR) > 0n),
    CRP20256: taxes.every(({ ImpuestoDR }) => ImpuestoDR === '002'),
    CRP20257: taxes.every(({ TipoFactorDR }) => TipoFactorDR === 'Tasa'),
    CRP20259: taxes.every(({ TasaOCuotaDR, ImporteDR }) => !isAbsent(TasaOCuotaDR) && !isAbsent(ImporteDR)),
    CRP20260: taxes.every(({ TasaOCuotaDR }) => RATES.includes(TasaOCuotaDR ?? '')),
    CRP20261: taxes.every(({ BaseDR = '', TasaOCuotaDR = '', ImporteDR = '' }) =>
      isWithinLimits(ImporteDR, BaseDR, { written: TasaOCuotaDR, isExact: true }),
    ),
  };
}

function totalRules({ attributes: totals }: Node, payment: Node, paid: Node): Rules {
  const taxes = nodesAt(payment, 'pago20:ImpuestosP', 'pago20:TrasladosP', 'pago20:TrasladoP').map(
    ({ attributes }) => attributes,
  );
  const paidTaxes = nodesAt(paid, ...PAID_TAXES).map(({ attributes }) => attributes);
  const rates = taxes.map(({ TasaOCuotaP }) => TasaOCuotaP);
  const sumOf = (rate: string | undefined, name: string) =>
    sum(paidTaxes.filter(({ TasaOCuotaDR }) => TasaOCuotaDR === rate).map((tax) => micros(tax[name])));
  const sums = SUMS.flatMap(({ rate, name, codes }) => {
    const [tax] = taxes.filter(({ TasaOCuotaP }) => TasaOCuotaP === rate);
    const base = totals[`TotalTrasladosBase${name}`];
    const iva = totals[`TotalTrasladosImpuesto${name}`];
    const isRight = (total: string | undefined, amount: string | undefined) =>
      tax ? micros(total) === toTheCent(micros(amount)) : isAbsent(total);
    return [
      [codes[0], isRight(base, tax?.BaseP)],
      [codes[1], isRight(iva, tax?.ImporteP)],
    ];
  });
  return {
    ...Object.fromEntries(sums),
    CRP20211: micros(totals.MontoTotalPagos) === toTheCent(micros(payment.attributes.Monto)),
    CRP20268: taxes.every(({ BaseP, TasaOCuotaP }) => micros(BaseP) === sumOf(TasaOCuotaP, 'BaseDR')),
    CRP20270: taxes.every(({ ImpuestoP }) => ImpuestoP === '002'),
    CRP20271: new Set(rates).size === rates.length,
    CRP20272: rates.every((rate) => RATES.includes(rate ?? '')),
    CRP20274: taxes.every(({ ImporteP, TasaOCuotaP }) => micros(ImporteP) === sumOf(TasaOCuotaP, 'ImporteDR')),
  };
}
