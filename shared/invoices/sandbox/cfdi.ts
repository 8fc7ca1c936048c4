import type { Micros } from '../../domain/money.ts';
import { fiscalText } from '../../domain/text.ts';
import { toLocalTime } from '../../domain/working-day.ts';
import {
  type ConceptAmounts,
  type ConceptNames,
  computeConcept,
  computeSalesTotals,
  computeTotals,
  GLOBAL_SALE,
  type GlobalSale,
  type InvoiceConcept,
  type InvoiceReceiver,
  type InvoiceTotals,
  type IvaOfRate,
  type PaymentComplement,
  toPublicReceiver,
} from '../rules/build/cfdi.ts';
import { toUnitName } from '../rules/sat-tables.ts';
import type { Cancellation } from '../rules/tax-document.ts';
import {
  type Attributes,
  element,
  type Issuer,
  NO_VALIDITY,
  type SandboxDocument,
  writeCents,
  writeDecimal,
  writeExactly,
} from './document.ts';

type CfdiParts = {
  readonly root: Attributes;
  /** InformacionGlobal and CfdiRelacionados. */
  readonly before: readonly string[];
  readonly receiver: InvoiceReceiver;
  readonly concepts: readonly string[];
  /** Impuestos and Complemento. */
  readonly after: readonly string[];
};

/** Writes a document as a CFDI 4.0 (SAT, Anexo 20), but without seal, certificate and TimbreFiscalDigital: it is not valid. */
export function writeCfdi(document: SandboxDocument): string {
  const { issuer } = document;
  const { root, before, receiver, concepts, after } = toParts(document);
  const children = [
    ...before,
    element('cfdi:Emisor', { Rfc: issuer.rfc, Nombre: issuer.legalName, RegimenFiscal: issuer.fiscalRegime }),
    element('cfdi:Receptor', {
      Rfc: receiver.rfc,
      Nombre: receiver.legalName,
      DomicilioFiscalReceptor: receiver.zipcode,
      RegimenFiscalReceptor: receiver.fiscalRegime,
      UsoCFDI: receiver.cfdiUse,
    }),
    element('cfdi:Conceptos', {}, concepts),
    ...after,
  ];
  const comprobante = element('cfdi:Comprobante', rootAttributes(document, root), children);
  return writeXml('documento de demostración, sin sello digital ni timbre del SAT', comprobante);
}

const writeXml = (notice: string, root: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<!-- ${NO_VALIDITY}: ${notice} -->\n${root}\n`;

function toParts({ content, timeZone }: SandboxDocument): CfdiParts {
  const { kind } = content;
  if (kind === 'payment') {
    const paidAt = toLocalTime(new Date(content.paidAt), timeZone);
    return {
      root: { SubTotal: '0', Moneda: 'XXX', Total: '0', TipoDeComprobante: 'P' },
      before: [],
      receiver: { ...content.receiver, cfdiUse: 'CP01' },
      concepts: [PAYMENT_CONCEPT],
      after: [element('cfdi:Complemento', {}, [paymentsElement(content, paidAt)])],
    };
  }
  const { paymentForm } = content;
  if (kind === 'global') {
    const { sales, period } = content;
    return toSaleParts(computeSalesTotals(sales), {
      ...{ type: 'I', paymentForm, paymentMethod: 'PUE' },
      // c_Periodicidad 04: a month.
      before: [
        element('cfdi:InformacionGlobal', { Periodicidad: '04', Meses: period.month, Año: String(period.year) }),
      ],
      receiver: toPublicReceiver(content),
      concepts: sales.map(saleElement),
    });
  }
  const { receiver, concepts } = content;
  return toSaleParts(computeTotals(concepts), {
    ...(kind === 'invoice'
      ? { type: 'I', paymentMethod: content.paymentMethod, before: relate('04', content.replacesUuid) }
      : { type: 'E', paymentMethod: 'PUE', before: relate('01', content.creditsUuid) }),
    ...{ paymentForm, receiver, concepts: concepts.map(conceptElement) },
  });
}

const relate = (relation: '01' | '04', uuid: string | null): string[] =>
  uuid === null
    ? []
    : [element('cfdi:CfdiRelacionados', { TipoRelacion: relation }, [element('cfdi:CfdiRelacionado', { UUID: uuid })])];

type Sale = Omit<CfdiParts, 'root' | 'after'> & {
  readonly type: 'I' | 'E';
  readonly paymentMethod: 'PUE' | 'PPD';
  readonly paymentForm: string;
};

const toSaleParts = (totals: InvoiceTotals, { type, paymentMethod, paymentForm, ...parts }: Sale): CfdiParts => ({
  ...parts,
  root: {
    FormaPago: paymentForm,
    SubTotal: writeCents(totals.subtotalCents),
    // Only where a concept has one (CFDI40111).
    Descuento: totals.discountCents > 0 ? writeCents(totals.discountCents) : undefined,
    Moneda: 'MXN',
    Total: writeCents(totals.totalCents),
    TipoDeComprobante: type,
    MetodoPago: paymentMethod,
  },
  after: [summaryElement(totals)],
});

const rootAttributes = ({ folio, issuedAt, issuer, content }: SandboxDocument, root: Attributes): Attributes => ({
  ...namespaces(content.kind === 'payment' ? [CFDI, PAYMENTS] : [CFDI]),
  Version: '4.0',
  Folio: fiscalText(folio, 40),
  Fecha: issuedAt,
  Sello: '',
  NoCertificado: '0'.repeat(20),
  Certificado: '',
  ...root,
  Exportacion: '01',
  LugarExpedicion: content.expeditionZipcode ?? issuer.zipcode,
});

const SAT = 'http://www.sat.gob.mx';
const CFDI = { prefix: 'cfdi', name: `${SAT}/cfd/4`, schema: `${SAT}/sitio_internet/cfd/4/cfdv40.xsd` };
const PAYMENTS = { prefix: 'pago20', name: `${SAT}/Pagos20`, schema: `${SAT}/sitio_internet/cfd/Pagos/Pagos20.xsd` };

const namespaces = (used: readonly (typeof CFDI)[]): Attributes => ({
  ...Object.fromEntries(used.map(({ prefix, name }) => [`xmlns:${prefix}`, name])),
  'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
  'xsi:schemaLocation': used.map(({ name, schema }) => `${name} ${schema}`).join(' '),
});

function conceptElement(concept: InvoiceConcept): string {
  const amounts = computeConcept(concept);
  const taxes = [{ ...amounts, rateMicros: concept.ivaRateMicros }];
  const unitPriceMicros = BigInt(concept.unitPriceMicros);
  return lineElement({ ...concept, ...amounts, unitPriceMicros, unitName: toUnitName(concept.unitKey), taxes });
}

/** Writes a sale of a global invoice, which has no `Unidad` (guide of the global CFDI, page 16). */
const saleElement = ({ folio: sku, amountMicros, taxes }: GlobalSale): string =>
  lineElement({
    ...{ ...GLOBAL_SALE, sku, quantity: 1, unitPriceMicros: amountMicros, amountMicros, discountMicros: 0n },
    ...{ unitName: undefined, taxes },
  });

type Line = ConceptNames &
  Pick<ConceptAmounts, 'amountMicros' | 'discountMicros'> & {
    readonly quantity: number;
    readonly unitName: string | undefined;
    readonly unitPriceMicros: bigint;
    readonly taxes: GlobalSale['taxes'];
  };

function lineElement({ taxes, ...line }: Line): string {
  const attributes = {
    ClaveProdServ: line.productKey,
    NoIdentificacion: line.sku || undefined,
    Cantidad: String(line.quantity),
    ClaveUnidad: line.unitKey,
    Unidad: line.unitName,
    Descripcion: line.description,
    ValorUnitario: writeExactly(line.unitPriceMicros),
    Importe: writeExactly(line.amountMicros),
    Descuento: line.discountMicros > 0n ? writeExactly(line.discountMicros) : undefined,
    // c_ObjetoImp 02: a rate of 0 is not an exemption.
    ObjetoImp: '02',
  };
  const elements = taxes.map(({ rateMicros, baseMicros, ivaMicros }) =>
    ivaElement(rateMicros, writeExactly(baseMicros), writeExactly(ivaMicros)),
  );
  return element('cfdi:Concepto', attributes, [taxesElement({}, elements)]);
}

function summaryElement({ ivaGroups, ivaCents }: InvoiceTotals): string {
  const groups = ivaGroups.map(({ rateMicros, baseCents, ivaCents: cents }) =>
    ivaElement(rateMicros, writeCents(baseCents), writeCents(cents)),
  );
  return taxesElement({ TotalImpuestosTrasladados: writeCents(ivaCents) }, groups);
}

const taxesElement = (attributes: Attributes, taxes: readonly string[]): string =>
  element('cfdi:Impuestos', attributes, [element('cfdi:Traslados', {}, taxes)]);

/** The names of the taxes of a paid document end in `DR`, and those of its payment in `P`. */
type Ending = '' | 'DR' | 'P';

// c_Impuesto 002 is IVA.
const ivaElement = (rateMicros: Micros, base: string, iva: string, ending: Ending = ''): string =>
  element(`${ending === '' ? 'cfdi' : 'pago20'}:Traslado${ending}`, {
    [`Base${ending}`]: base,
    [`Impuesto${ending}`]: '002',
    [`TipoFactor${ending}`]: 'Tasa',
    [`TasaOCuota${ending}`]: writeDecimal(BigInt(rateMicros)),
    [`Importe${ending}`]: iva,
  });

type ReceiptOfCancellation = {
  /** Local to the place of issue, `2026-11-21T17:00:00`. */
  readonly cancelledAt: string;
  readonly issuer: Issuer;
  readonly uuid: string;
  readonly cancellation: Cancellation;
};

// SAT's EstatusUUID of an accepted request.
const ACCEPTED = '201';

/** Writes a cancellation receipt like SAT's Acuse, without its signature. */
export function writeReceiptXml({ cancelledAt, issuer, uuid, cancellation }: ReceiptOfCancellation): string {
  const { motive, substitution } = cancellation;
  const folios = element('Folios', { Motivo: motive, FolioSustitucion: substitution ?? undefined }, [
    `<UUID>${uuid}</UUID>`,
    `<EstatusUUID>${ACCEPTED}</EstatusUUID>`,
  ]);
  const root = element('Acuse', { Fecha: cancelledAt, RfcEmisor: issuer.rfc }, [folios]);
  return writeXml('acuse de demostración, sin firma del SAT', root);
}

/** The concept's values are fixed (CRP20101 to CRP20123). */
const PAYMENT_CONCEPT = element('cfdi:Concepto', {
  ClaveProdServ: '84111506',
  Cantidad: '1',
  ClaveUnidad: 'ACT',
  Descripcion: 'Pago',
  ValorUnitario: '0',
  Importe: '0',
  ObjetoImp: '01',
});

/** SAT, Pagos 2.0, revision B. `paidAt` is a local time. */
function paymentsElement(payment: PaymentComplement, paidAt: string): string {
  const { amountCents, paymentForm, taxes } = payment;
  const attributes = {
    FechaPago: paidAt,
    FormaDePagoP: paymentForm,
    MonedaP: 'MXN',
    TipoCambioP: '1',
    Monto: writeCents(amountCents),
  };
  const paymentElement = element('pago20:Pago', attributes, [
    paidDocumentElement(payment),
    paymentTaxesElement('P', taxes),
  ]);
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
  return element('pago20:DoctoRelacionado', attributes, [paymentTaxesElement('DR', taxes)]);
}

function paymentTaxesElement(ending: Ending, taxes: readonly IvaOfRate[]): string {
  const elements = taxes.map(({ rateMicros, baseCents, ivaCents }) =>
    ivaElement(rateMicros, writeCents(baseCents), writeCents(ivaCents), ending),
  );
  return element(`pago20:Impuestos${ending}`, {}, [element(`pago20:Traslados${ending}`, {}, elements)]);
}
