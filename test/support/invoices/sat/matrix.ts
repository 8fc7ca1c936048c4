import { C_FORMA_PAGO, C_REGIMEN_FISCAL, C_USO_CFDI, REGIMES_OF_USES } from './catalogs.ts';
import { type Node, nodesAt, parseCfdi } from './tree.ts';

type Rules = Readonly<Record<string, boolean>>;

/** Returns the words after each code of a catalog. */
const toWords = (catalog: readonly string[]): ReadonlyMap<string, readonly string[]> =>
  new Map(catalog.map((line) => line.split(' ')).map(([code = '', ...words]) => [code, words]));

const FORMS = toWords(C_FORMA_PAGO);
const REGIMES = toWords(C_REGIMEN_FISCAL);
const USES = toWords(C_USO_CFDI);

/**
 * Returns the codes of SAT's error matrices that a CFDI breaks: Matriz de errores CFDI 4.0 of 2024-12-13 and of Pagos 2.0,
 * revision B. It has the rules of amounts, forms and receivers. Fixed values and the order of elements are held by the
 * literals of `sandbox-cfdi.test.ts` and by SAT's own schemas (test/schemas).
 */
export function brokenRules(xml: string): string[] {
  const root = parseCfdi(xml);
  const rules = { ...documentRules(root), ...receiverRules(root), ...sumRules(root), ...summaryRules(root) };
  const ofConcepts = nodesAt(root, 'cfdi:Conceptos', 'cfdi:Concepto').map((node) => conceptRules(node, root));
  const ofPayments = root.attributes.TipoDeComprobante === 'P' ? paymentMatrixRules(root) : {};
  const broken = [rules, ...ofConcepts, ofPayments].flatMap((all) => Object.keys(all).filter((code) => !all[code]));
  return [...new Set(broken)].sort();
}

const isAbsent = (value: string | undefined): boolean => value === undefined;
const hasCents = (value: string | undefined): boolean => isAbsent(value) || decimalsOf(value) <= 2;

function documentRules(root: Node): Rules {
  const { FormaPago, MetodoPago, TipoDeComprobante: type = '', SubTotal, Descuento } = root.attributes;
  const information = nodesAt(root, 'cfdi:InformacionGlobal');
  const [receiver] = nodesAt(root, 'cfdi:Receptor');
  const isGlobal = type === 'I' && receiver?.attributes.Nombre === 'PUBLICO EN GENERAL';
  return {
    CFDI40104: isAbsent(FormaPago) || FORMS.has(FormaPago ?? ''),
    CFDI40105: MetodoPago !== 'PPD' || FormaPago === '99',
    CFDI40107: hasCents(SubTotal),
    CFDI40110: isAbsent(Descuento) || micros(Descuento) <= micros(SubTotal),
    CFDI40112: hasCents(Descuento),
    CFDI40130: isGlobal === (information.length === 1),
  };
}

const PUBLIC = 'XAXX010101000';

function receiverRules(root: Node): Rules {
  const [issuer] = nodesAt(root, 'cfdi:Emisor');
  const [receiver] = nodesAt(root, 'cfdi:Receptor');
  const { Rfc = '', Nombre, DomicilioFiscalReceptor, RegimenFiscalReceptor: regime = '' } = receiver?.attributes ?? {};
  const use = receiver?.attributes.UsoCFDI ?? '';
  const letter = Rfc.length === 13 ? 'F' : 'M';
  const isPayment = root.attributes.TipoDeComprobante === 'P';
  const isOf = (letters: string | undefined): boolean => letters?.includes(letter) ?? false;
  const regimes = REGIMES_OF_USES.find(([uses]) => uses.split(' ').includes(use))?.[1].split(' ');
  return {
    CFDI40140: REGIMES.has(issuer?.attributes.RegimenFiscal ?? ''),
    CFDI40146: Nombre !== 'PUBLICO EN GENERAL' || Rfc === PUBLIC,
    CFDI40149: Rfc !== PUBLIC || DomicilioFiscalReceptor === root.attributes.LugarExpedicion,
    CFDI40157: REGIMES.has(regime),
    CFDI40158: isOf(REGIMES.get(regime)?.[0]),
    CFDI40159: Rfc !== PUBLIC || regime === '616',
    CFDI40160: USES.has(use) || use === 'CP01',
    CFDI40161: isPayment ? use === 'CP01' : isOf(USES.get(use)?.[0]) && !!regimes?.includes(regime),
  };
}

const TRANSFERS = ['cfdi:Impuestos', 'cfdi:Traslados', 'cfdi:Traslado'] as const;

function sumRules(root: Node): Rules {
  const { TipoDeComprobante, SubTotal, Descuento, Total } = root.attributes;
  const concepts = nodesAt(root, 'cfdi:Conceptos', 'cfdi:Concepto').map(({ attributes }) => attributes);
  const discounts = concepts.filter((concept) => !isAbsent(concept.Descuento)).map((one) => micros(one.Descuento));
  const taxes = nodesAt(root, ...TRANSFERS).map(({ attributes }) => micros(attributes.Importe));
  const discount = isAbsent(Descuento) ? 0n : micros(Descuento);
  if (TipoDeComprobante === 'P') return {};
  return {
    CFDI40108: micros(SubTotal) === toTheCent(sum(concepts.map(({ Importe }) => micros(Importe)))),
    CFDI40111: isAbsent(Descuento) === (discounts.length === 0) && discount === toTheCent(sum(discounts)),
    CFDI40119: micros(Total) === micros(SubTotal) - discount + sum(taxes),
  };
}

const RATES = ['0.000000', '0.080000', '0.160000'];

function conceptRules({ attributes, children }: Node, root: Node): Rules {
  const { Cantidad = '', ValorUnitario = '', Importe = '', Descuento } = attributes;
  const isSale = root.attributes.TipoDeComprobante !== 'P';
  const taxes = children.flatMap((child) => nodesAt(child, 'cfdi:Traslados', 'cfdi:Traslado'));
  return {
    CFDI40166: !isSale || micros(ValorUnitario) > 0n,
    CFDI40167: isWithinLimits(Importe, Cantidad, { written: ValorUnitario, isExact: false }),
    CFDI40168: isAbsent(Descuento) || decimalsOf(Descuento) <= decimalsOf(Importe),
    CFDI40169: isAbsent(Descuento) || micros(Descuento) <= micros(Importe),
    CFDI40174: taxes.every((tax) => micros(tax.attributes.Base) > 0n),
    CFDI40179: taxes.every((tax) => RATES.includes(tax.attributes.TasaOCuota ?? '')),
    CFDI40180: taxes.every(({ attributes: { Base = '', TasaOCuota = '', ...tax } }) =>
      isWithinLimits(tax.Importe ?? '', Base, { written: TasaOCuota, isExact: true }),
    ),
  };
}

function summaryRules(root: Node): Rules {
  const [summary] = nodesAt(root, 'cfdi:Impuestos');
  if (root.attributes.TipoDeComprobante === 'P') return { CFDI40201: summary === undefined };
  const groups = nodesAt(root, ...TRANSFERS).map(({ attributes }) => attributes);
  const taxes = nodesAt(root, 'cfdi:Conceptos', 'cfdi:Concepto', ...TRANSFERS).map(({ attributes }) => attributes);
  const ofRate = (rate: string | undefined) => taxes.filter(({ TasaOCuota }) => TasaOCuota === rate);
  const total = summary?.attributes.TotalImpuestosTrasladados;
  const rates = groups.map(({ TasaOCuota }) => TasaOCuota);
  return {
    CFDI40204: hasCents(total),
    CFDI40205: micros(total) === sum(groups.map(({ Importe }) => micros(Importe))),
    CFDI40214: groups.every(({ Base }) => hasCents(Base)),
    CFDI40215: groups.every(
      ({ Base, TasaOCuota }) => micros(Base) === toTheCent(sum(ofRate(TasaOCuota).map((tax) => micros(tax.Base)))),
    ),
    CFDI40218: new Set(rates).size === rates.length,
    CFDI40219:
      rates.every((rate) => RATES.includes(rate ?? '')) && taxes.every((tax) => rates.includes(tax.TasaOCuota)),
    CFDI40220: groups.every(({ Importe }) => hasCents(Importe)),
    CFDI40221: groups.every(
      ({ Importe, TasaOCuota }) =>
        micros(Importe) === toTheCent(sum(ofRate(TasaOCuota).map((tax) => micros(tax.Importe)))),
    ),
  };
}

// SAT's names of the sums by rate, and the codes of their rules.
const SUMS = [
  { rate: '0.160000', name: 'IVA16', codes: ['CRP20204', 'CRP20205'] },
  { rate: '0.080000', name: 'IVA8', codes: ['CRP20206', 'CRP20207'] },
  { rate: '0.000000', name: 'IVA0', codes: ['CRP20208', 'CRP20209'] },
] as const;

/** The rules of a payment complement in pesos with one paid document (matrix of Pagos 2.0, revision B). */
function paymentMatrixRules(root: Node): Rules {
  const [payments] = nodesAt(root, 'cfdi:Complemento', 'pago20:Pagos');
  const [payment] = payments ? nodesAt(payments, 'pago20:Pago') : [];
  const [paid] = payment ? nodesAt(payment, 'pago20:DoctoRelacionado') : [];
  const [totals] = payments ? nodesAt(payments, 'pago20:Totales') : [];
  if (!payment || !paid || !totals) return { CRP20999: false };
  return { ...paymentRules(payment, paid), ...paidRules(paid), ...totalRules(totals, payment, paid) };
}

const paymentRules = ({ attributes }: Node, paid: Node): Rules => ({
  CRP20212: attributes.FormaDePagoP !== '99',
  CRP20217: micros(paid.attributes.ImpPagado) <= micros(attributes.Monto),
  CRP20218: micros(attributes.Monto) > 0n,
  CRP20219: decimalsOf(attributes.Monto) <= 2,
});

const PAID_TAXES = ['pago20:ImpuestosDR', 'pago20:TrasladosDR', 'pago20:TrasladoDR'] as const;

function paidRules(paid: Node): Rules {
  const { ImpSaldoAnt, ImpPagado, ImpSaldoInsoluto } = paid.attributes;
  const taxes = nodesAt(paid, ...PAID_TAXES).map(({ attributes }) => attributes);
  return {
    CRP20239: micros(ImpSaldoAnt) > 0n,
    CRP20240: decimalsOf(ImpSaldoAnt) <= 2,
    CRP20241: micros(ImpPagado) > 0n,
    CRP20242: decimalsOf(ImpPagado) <= 2,
    CRP20243: decimalsOf(ImpSaldoInsoluto) <= 2,
    CRP20244: micros(ImpSaldoInsoluto) >= 0n && micros(ImpSaldoInsoluto) === micros(ImpSaldoAnt) - micros(ImpPagado),
    CRP20255: taxes.every(({ BaseDR }) => micros(BaseDR) > 0n),
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
    CRP20271: new Set(rates).size === rates.length,
    CRP20272: rates.every((rate) => RATES.includes(rate ?? '')),
    CRP20274: taxes.every(({ ImporteP, TasaOCuotaP }) => micros(ImporteP) === sumOf(TasaOCuotaP, 'ImporteDR')),
  };
}

const DIGITS = 6;

/** Parses a decimal of at most six places into millionths; -1 for anything else, which no rule accepts. */
function micros(written: string | undefined): bigint {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(written ?? '') ?? [];
  return whole === undefined ? -1n : BigInt(whole + fraction.padEnd(DIGITS, '0'));
}

const decimalsOf = (written = ''): number => written.split('.')[1]?.length ?? 0;

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** Rounds millionths half up to the cent. */
const toTheCent = (amount: bigint): bigint => ((amount + 5_000n) / 10_000n) * 10_000n;

const pow10 = (exponent: number): bigint => 10n ** BigInt(exponent);

/**
 * True if a product lies within SAT's limits: each factor may be half a unit of its last decimal off, the lower limit is
 * cut and the upper one rounded up to the decimals of the product (guide of Anexo 20, appendix 7; CFDI40167, CFDI40180). A
 * factor that is exact, such as a rate, has no limits.
 */
function isWithinLimits(product: string, factor: string, other: { written: string; isExact: boolean }): boolean {
  const [a, halfA] = doubled(factor);
  const [b, halfB] = other.isExact ? [doubled(other.written)[0], 0n] : doubled(other.written);
  const unit = 4n * pow10(2 * DIGITS - decimalsOf(product));
  const written = micros(product) / pow10(DIGITS - decimalsOf(product));
  const lowest = ((a - halfA) * (b - halfB)) / unit;
  const highest = ((a + halfA) * (b + halfB) - 1n + unit - 1n) / unit;
  return lowest <= written && written <= (highest < lowest ? lowest : highest);
}

/** Twice the millionths of a decimal, and twice the half of its last place. */
const doubled = (written: string): [bigint, bigint] => [2n * micros(written), pow10(DIGITS - decimalsOf(written))];
