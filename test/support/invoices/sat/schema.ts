import { type Node, parseCfdi } from './tree.ts';

/**
 * The elements of a CFDI 4.0 that the sandbox writes, with their attributes, patterns and children, as SAT's schemas have
 * them: cfdv40.xsd, tdCFDI.xsd and Pagos20.xsd (revision B), read on 2026-11-22 in formasdigitales/documentacionSAT. The
 * files themselves are not part of this repository. What the sandbox never writes is refused.
 */
type Rule = {
  /** Attributes by name; a name that ends with `?` may be missing. */
  readonly attributes: Readonly<Record<string, RegExp>>;
  /** Children in their order, with `?` at most once, `*` any number, `+` at least once, otherwise exactly once. */
  readonly children?: readonly string[];
};

const text = (length: number) => new RegExp(`^(?! )[^|\\n\\t]{1,${length}}(?<! )$`, 'u');
const AMOUNT = /^\d{1,18}(\.\d{1,6})?$/;
const PESOS = /^\d{1,18}(\.\d{1,2})?$/;
const BASE = /^(?!0+(\.0+)?$)\d{1,18}(\.\d{1,6})?$/;
const RATE = /^\d+(\.\d{1,6})?$/;
const RFC = /^[A-Z&Ñ]{3,4}\d{2}(0[1-9]|1[012])(0[1-9]|[12]\d|3[01])[A-Z0-9]{2}[0-9A]$/;
const UUID = /^[a-f\dA-F]{8}(-[a-f\dA-F]{4}){3}-[a-f\dA-F]{12}$/;
const TIME = /^20[1-9]\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;
const ZIPCODE = /^\d{5}$/;
const CODE = /^\d{2}$/;
const IVA = /^00[1-3]$/;
const FACTOR = /^(Tasa|Cuota|Exento)$/;
const CURRENCY = /^(MXN|XXX)$/;
const NAMESPACE = /^http:\/\/www\.(sat\.gob\.mx|w3\.org)\/\S+$/;

const TAX = { Impuesto: IVA, TipoFactor: FACTOR, 'TasaOCuota?': RATE, 'Importe?': AMOUNT };
const TAXES_OF_PAYMENT = (ending: string, base: RegExp) => ({
  [`Base${ending}`]: base,
  [`Impuesto${ending}`]: IVA,
  [`TipoFactor${ending}`]: FACTOR,
  [`TasaOCuota${ending}?`]: RATE,
  [`Importe${ending}?`]: AMOUNT,
});

const RULES: Readonly<Record<string, Rule>> = {
  'cfdi:Comprobante': {
    attributes: {
      'xmlns:cfdi': NAMESPACE,
      'xmlns:xsi': NAMESPACE,
      'xmlns:pago20?': NAMESPACE,
      'xsi:schemaLocation': /^\S+ \S+( \S+ \S+)?$/,
      Version: /^4\.0$/,
      'Serie?': text(25),
      'Folio?': text(40),
      Fecha: TIME,
      Sello: /^[\w+/=]*$/,
      'FormaPago?': CODE,
      NoCertificado: /^\d{20}$/,
      Certificado: /^[\w+/=]*$/,
      SubTotal: AMOUNT,
      'Descuento?': AMOUNT,
      Moneda: CURRENCY,
      Total: AMOUNT,
      TipoDeComprobante: /^[IEP]$/,
      Exportacion: /^01$/,
      'MetodoPago?': /^(PUE|PPD)$/,
      LugarExpedicion: ZIPCODE,
    },
    children: [
      ...['cfdi:InformacionGlobal?', 'cfdi:CfdiRelacionados*', 'cfdi:Emisor', 'cfdi:Receptor', 'cfdi:Conceptos'],
      ...['cfdi:Impuestos?', 'cfdi:Complemento?'],
    ],
  },
  'cfdi:InformacionGlobal': {
    attributes: { Periodicidad: /^0[1-5]$/, Meses: /^(0[1-9]|1[0-8])$/, Año: /^20(19|[2-9]\d)$/ },
  },
  'cfdi:CfdiRelacionados': { attributes: { TipoRelacion: /^0[1-7]$/ }, children: ['cfdi:CfdiRelacionado+'] },
  'cfdi:CfdiRelacionado': { attributes: { UUID } },
  'cfdi:Emisor': { attributes: { Rfc: RFC, Nombre: text(300), RegimenFiscal: /^6\d{2}$/ } },
  'cfdi:Receptor': {
    attributes: {
      Rfc: RFC,
      Nombre: text(300),
      DomicilioFiscalReceptor: ZIPCODE,
      RegimenFiscalReceptor: /^6\d{2}$/,
      UsoCFDI: /^(G0[123]|I0[1-8]|D0[1-9]|D10|S01|CP01)$/,
    },
  },
  'cfdi:Conceptos': { attributes: {}, children: ['cfdi:Concepto+'] },
  'cfdi:Concepto': {
    attributes: {
      ClaveProdServ: /^\d{8}$/,
      'NoIdentificacion?': text(100),
      Cantidad: BASE,
      ClaveUnidad: /^[0-9A-Z]{1,3}$/,
      'Unidad?': text(20),
      Descripcion: text(1_000),
      ValorUnitario: AMOUNT,
      Importe: AMOUNT,
      'Descuento?': AMOUNT,
      ObjetoImp: /^0[1-8]$/,
    },
    children: ['cfdi:Impuestos?'],
  },
  'cfdi:Concepto > cfdi:Impuestos': { attributes: {}, children: ['cfdi:Traslados?'] },
  'cfdi:Comprobante > cfdi:Impuestos': {
    attributes: { 'TotalImpuestosTrasladados?': AMOUNT },
    children: ['cfdi:Traslados?'],
  },
  'cfdi:Traslados': { attributes: {}, children: ['cfdi:Traslado+'] },
  'cfdi:Traslado': { attributes: { Base: AMOUNT, ...TAX } },
  'cfdi:Complemento': { attributes: {}, children: ['pago20:Pagos?'] },
  'pago20:Pagos': { attributes: { Version: /^2\.0$/ }, children: ['pago20:Totales', 'pago20:Pago+'] },
  'pago20:Totales': {
    attributes: {
      'TotalTrasladosBaseIVA16?': PESOS,
      'TotalTrasladosImpuestoIVA16?': PESOS,
      'TotalTrasladosBaseIVA8?': PESOS,
      'TotalTrasladosImpuestoIVA8?': PESOS,
      'TotalTrasladosBaseIVA0?': PESOS,
      'TotalTrasladosImpuestoIVA0?': PESOS,
      MontoTotalPagos: PESOS,
    },
  },
  'pago20:Pago': {
    attributes: { FechaPago: TIME, FormaDePagoP: CODE, MonedaP: CURRENCY, 'TipoCambioP?': BASE, Monto: AMOUNT },
    children: ['pago20:DoctoRelacionado+', 'pago20:ImpuestosP?'],
  },
  'pago20:DoctoRelacionado': {
    attributes: {
      IdDocumento: UUID,
      'Serie?': text(25),
      'Folio?': text(40),
      MonedaDR: CURRENCY,
      'EquivalenciaDR?': BASE,
      NumParcialidad: /^[1-9]\d{0,2}$/,
      ImpSaldoAnt: AMOUNT,
      ImpPagado: AMOUNT,
      ImpSaldoInsoluto: AMOUNT,
      ObjetoImpDR: /^0[1-8]$/,
    },
    children: ['pago20:ImpuestosDR?'],
  },
  'pago20:ImpuestosDR': { attributes: {}, children: ['pago20:TrasladosDR?'] },
  'pago20:TrasladosDR': { attributes: {}, children: ['pago20:TrasladoDR+'] },
  'pago20:TrasladoDR': { attributes: TAXES_OF_PAYMENT('DR', BASE) },
  'pago20:ImpuestosP': { attributes: {}, children: ['pago20:TrasladosP?'] },
  'pago20:TrasladosP': { attributes: {}, children: ['pago20:TrasladoP+'] },
  'pago20:TrasladoP': { attributes: TAXES_OF_PAYMENT('P', AMOUNT) },
};

/** Returns what the schemas refuse in a CFDI, as `element: fault`; empty if it is valid. */
export function schemaFaults(xml: string): string[] {
  const root = parseCfdi(xml);
  return root.name === 'cfdi:Comprobante' ? faultsOf(root, '') : [`${root.name}: not a CFDI`];
}

function faultsOf(node: Node, parent: string): string[] {
  const rule = RULES[`${parent} > ${node.name}`] ?? RULES[node.name];
  if (!rule) return [`${node.name}: unknown`];
  const faults = [...attributeFaults(node, rule), ...childFaults(node, rule)];
  const below = node.children.flatMap((child) => faultsOf(child, node.name));
  return [...faults.map((fault) => `${node.name}: ${fault}`), ...below];
}

function attributeFaults({ attributes }: Node, rule: Rule): string[] {
  const known = new Map(Object.entries(rule.attributes).map(([key, pattern]) => [key.replace('?', ''), pattern]));
  const missing = Object.keys(rule.attributes).filter((key) => !key.endsWith('?') && attributes[key] === undefined);
  const wrong = Object.entries(attributes).filter(([name, value]) => !known.get(name)?.test(value));
  return [...missing.map((name) => `${name} is missing`), ...wrong.map(([name]) => `${name} is not allowed`)];
}

function childFaults({ children }: Node, rule: Rule): string[] {
  const order = rule.children ?? [];
  const pattern = order.map((child) => {
    const [, name, count = ''] = /^(.*?)([?*+]?)$/.exec(child) ?? [];
    return `(?:${name} )${count}`;
  });
  const written = children.map(({ name }) => `${name} `).join('');
  return new RegExp(`^${pattern.join('')}$`).test(written) ? [] : ['other children, or in another order'];
}
