import { C_FORMA_PAGO, C_REGIMEN_FISCAL, C_USO_CFDI, REGIMES_OF_USES } from './catalogs.ts';
import { type Node, nodesAt, parseCfdi } from './tree.ts';

type Rules = Readonly<Record<string, boolean>>;

/** Returns the words after each code of a catalog. */
const toWords = (catalog: readonly string[]): ReadonlyMap<string, readonly string[]> =>
  new Map(catalog.map((line) => line.split(' ')).map(([code = '', ...words]) => [code, words]));

const FORMS = toWords(C_FORMA_PAGO);
const REGIMES = toWords(C_REGIMEN_FISCAL);
const USES = toWords(C_USO_CFDI);
// The units of the tests' documents.
const UNITS = ['H87', 'E48', 'ACT'];

/**
 * Returns the codes of SAT's error matrices that a CFDI breaks: Matriz de errores CFDI 4.0 of 2024-12-13 and of Pagos 2.0,
 * revision B. Rules that need SAT's registers (40138, 40139, 40143 to 40145, 40147, 40148) or a certificate (40102, 40106)
 * and those of what the sandbox never writes are left out.
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
  const { FormaPago, MetodoPago, TipoDeComprobante: type = '', Moneda, SubTotal, Descuento } = root.attributes;
  const isSale = type !== 'P';
  const [information] = nodesAt(root, 'cfdi:InformacionGlobal');
  const { Periodicidad = '', Meses = '', Año } = information?.attributes ?? {};
  const [receiver] = nodesAt(root, 'cfdi:Receptor');
  const isGlobal = type === 'I' && receiver?.attributes.Nombre === 'PUBLICO EN GENERAL';
  const issuedYear = Number(root.attributes.Fecha?.slice(0, 4));
  return {
    CFDI40103: isSale || isAbsent(FormaPago),
    CFDI40104: isAbsent(FormaPago) || FORMS.has(FormaPago ?? ''),
    CFDI40105: MetodoPago !== 'PPD' || FormaPago === '99',
    CFDI40107: hasCents(SubTotal),
    CFDI40109: isSale || micros(SubTotal) === 0n,
    CFDI40110: isAbsent(Descuento) || micros(Descuento) <= micros(SubTotal),
    CFDI40112: hasCents(Descuento),
    CFDI40113: Moneda === 'MXN' || Moneda === 'XXX',
    CFDI40121: ['I', 'E', 'P'].includes(type),
    CFDI40125: isSale || isAbsent(MetodoPago),
    CFDI40126: /^\d{5}$/.test(root.attributes.LugarExpedicion ?? ''),
    CFDI40130: isGlobal === (information !== undefined),
    CFDI40131: !information || ['01', '02', '03', '04'].includes(Periodicidad),
    CFDI40134: !information || /^(0[1-9]|1[0-2])$/.test(Meses),
    CFDI40136: !information || (Number(Año) <= issuedYear && Number(Año) >= issuedYear - 5),
    CFDI40137: nodesAt(root, 'cfdi:CfdiRelacionados').every(({ attributes }) =>
      ['01', '04'].includes(attributes.TipoRelacion ?? ''),
    ),
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
  const { ClaveProdServ = '', ClaveUnidad = '', Cantidad = '', ValorUnitario = '', ObjetoImp, Descuento } = attributes;
  const { Importe = '' } = attributes;
  const isSale = root.attributes.TipoDeComprobante !== 'P';
  const taxes = children.flatMap((child) => nodesAt(child, 'cfdi:Traslados', 'cfdi:Traslado'));
  return {
    CFDI40162: /^\d{8}$/.test(ClaveProdServ),
    CFDI40165: UNITS.includes(ClaveUnidad),
    CFDI40166: !isSale || micros(ValorUnitario) > 0n,
    CFDI40167: isWithinLimits(Importe, Cantidad, { written: ValorUnitario, isExact: false }),
    CFDI40168: isAbsent(Descuento) || decimalsOf(Descuento) <= decimalsOf(Importe),
    CFDI40169: isAbsent(Descuento) || micros(Descuento) <= micros(Importe),
    CFDI40170: ['01', '02'].includes(ObjetoImp ?? ''),
    CFDI40171: ObjetoImp !== '02' || children.length === 1,
    CFDI40172: ObjetoImp !== '01' || children.length === 0,
    CFDI40173: children.length === 0 || taxes.length > 0,
    CFDI40174: taxes.every((tax) => micros(tax.attributes.Base) > 0n),
    CFDI40175: taxes.every((tax) => tax.attributes.Impuesto === '002'),
    CFDI40176: taxes.every((tax) => tax.attributes.TipoFactor === 'Tasa'),
    CFDI40178: taxes.every((tax) => !isAbsent(tax.attributes.TasaOCuota) && !isAbsent(tax.attributes.Importe)),
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
    CFDI40212: !isAbsent(total),
    CFDI40214: groups.every(({ Base }) => hasCents(Base)),
    CFDI40215: groups.every(
      ({ Base, TasaOCuota }) => micros(Base) === toTheCent(sum(ofRate(TasaOCuota).map((tax) => micros(tax.Base)))),
    ),
    CFDI40217: groups.every(({ Impuesto }) => Impuesto === '002'),
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
  return {
    ...baseRules(root),
    ...paymentRules(payment, paid),
    ...paidRules(paid),
    ...totalRules(totals, payment, paid),
  };
}

function baseRules(root: Node): Rules {
  const { attributes } = root;
  const concepts = nodesAt(root, 'cfdi:Conceptos', 'cfdi:Concepto');
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
