import type { Cents, Micros } from '../../domain/money.ts';
import {
  computeConcept,
  GLOBAL_SALE,
  type GlobalSale,
  type InvoiceConcept,
  type InvoiceReceiver,
  type InvoiceTotals,
} from '../rules/build/cfdi.ts';
import { toUnitName } from '../rules/sat-tables.ts';

/** The parts of a CFDI that differ by its kind. */
export type CfdiParts = {
  /** Attributes of the root, in the order of Anexo 20. */
  readonly root: Attributes;
  /** InformacionGlobal and CfdiRelacionados. */
  readonly before: readonly string[];
  readonly receiver: InvoiceReceiver;
  readonly concepts: readonly string[];
  /** Impuestos and Complemento. */
  readonly after: readonly string[];
};

export function conceptElement(concept: InvoiceConcept): string {
  const { amountMicros, discountMicros, baseMicros, ivaMicros } = computeConcept(concept);
  const unitName = toUnitName(concept.unitKey);
  const attributes = {
    ClaveProdServ: concept.productKey,
    ...(concept.sku !== '' && { NoIdentificacion: concept.sku }),
    Cantidad: String(concept.quantity),
    ClaveUnidad: concept.unitKey,
    ...(unitName !== undefined && { Unidad: unitName }),
    Descripcion: concept.description,
    ValorUnitario: writeExactly(BigInt(concept.unitPriceMicros)),
    Importe: writeExactly(amountMicros),
    ...(discountMicros > 0n && { Descuento: writeExactly(discountMicros) }),
    ObjetoImp: SUBJECT_TO_TAX,
  };
  return taxedElement(attributes, [{ rateMicros: concept.ivaRateMicros, baseMicros, ivaMicros }]);
}

/** Writes a sale of a global invoice, which has no `Unidad` (guide of the global CFDI, page 16). */
export function saleElement({ folio, amountMicros, taxes }: GlobalSale): string {
  const attributes = {
    ClaveProdServ: GLOBAL_SALE.productKey,
    NoIdentificacion: folio,
    Cantidad: '1',
    ClaveUnidad: GLOBAL_SALE.unitKey,
    Descripcion: GLOBAL_SALE.description,
    ValorUnitario: writeExactly(amountMicros),
    Importe: writeExactly(amountMicros),
    ObjetoImp: SUBJECT_TO_TAX,
  };
  return taxedElement(attributes, taxes);
}

// c_ObjetoImp 02: a rate of 0 is not an exemption.
export const SUBJECT_TO_TAX = '02';

type Taxes = GlobalSale['taxes'];

function taxedElement(attributes: Readonly<Record<string, string>>, taxes: Taxes): string {
  const written = taxes.map(({ rateMicros, baseMicros, ivaMicros }) =>
    ivaElement(rateMicros, writeExactly(baseMicros), writeExactly(ivaMicros)),
  );
  const impuestos = element('cfdi:Impuestos', {}, [element('cfdi:Traslados', {}, written)]);
  return element('cfdi:Concepto', attributes, [impuestos]);
}

/** Writes the IVA of all concepts by rate. */
export function summaryElement({ ivaGroups, ivaCents }: InvoiceTotals): string {
  const groups = ivaGroups.map(({ rateMicros, baseCents, ivaCents: cents }) =>
    ivaElement(rateMicros, writeCents(baseCents), writeCents(cents)),
  );
  const attributes = { TotalImpuestosTrasladados: writeCents(ivaCents) };
  return element('cfdi:Impuestos', attributes, [element('cfdi:Traslados', {}, groups)]);
}

/** SAT's c_Impuesto of IVA. */
export const IVA = '002';

export const writeRate = (rateMicros: Micros): string => writeDecimal(BigInt(rateMicros));

const ivaElement = (rateMicros: Micros, base: string, iva: string): string =>
  element('cfdi:Traslado', {
    Base: base,
    Impuesto: IVA,
    TipoFactor: 'Tasa',
    TasaOCuota: writeRate(rateMicros),
    Importe: iva,
  });

export type Attributes = Readonly<Record<string, string>>;

/** Writes an XML element. */
export function element(name: string, attributes: Attributes, children: readonly string[] = []): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  const start = `<${name}${written.join('')}`;
  return children.length === 0 ? `${start}/>` : `${start}>${children.join('')}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escapeXml = (value: string): string => value.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);

const DIGITS = 6;

/** Writes millionths with six decimals: `43.105100`. */
function writeDecimal(micros: bigint): string {
  const digits = String(micros).padStart(DIGITS + 1, '0');
  return `${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`;
}

/** Writes millionths with as many decimals as they need, two to six: `85.50`, `43.1051`. */
export const writeExactly = (micros: bigint): string => writeDecimal(micros).replace(/0{1,4}$/, '');

export const centsToMicros = (cents: Cents): bigint => BigInt(cents) * 10_000n;

/** Writes cents with two decimals: `85.50`. */
export const writeCents = (cents: Cents): string => writeExactly(centsToMicros(cents));
