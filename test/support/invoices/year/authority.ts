import type { FiscalDocument } from '../../../../shared/invoices/rules/build/cfdi.ts';
import type { CancellationResult } from '../../../../shared/invoices/rules/document-life.ts';
import type { Cancellation, Stamp } from '../../../../shared/invoices/rules/tax-document.ts';
import { writeCfdi } from '../../../../shared/invoices/sandbox/cfdi.ts';
import { elementsOf } from '../xml-elements.ts';
import type { Consent } from './plans.ts';

/** A stamped document as SAT has it. */
export type StampedCfdi = {
  readonly key: string;
  readonly stamp: Stamp;
  readonly cfdi: Cfdi;
  readonly orderId: number | null;
  /** `pending`: valid, while the receiver is asked. */
  status: 'valid' | 'pending' | 'cancelled';
  /** The document that was named as its substitute. */
  substitution: string | null;
};

const ISSUER = { legalName: 'BOTICA DEMO', rfc: 'EKU9003173C9', fiscalRegime: '601', zipcode: '06700' };

/** SAT and the provider of the simulated year: they hold what was stamped, as the sandbox writes it. */
export class Authority {
  readonly documents = new Map<string, StampedCfdi>();

  stamp(
    content: FiscalDocument,
    { key, orderId, folio, now }: { key: string; orderId: number | null; folio: string; now: Date },
  ): StampedCfdi {
    const known = this.documents.get(key);
    if (known) throw new Error(`the key ${key} was used twice`);
    const issuedAt = now.toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
    const number = String(this.documents.size + 1);
    const uuid = `00000000-0000-4000-8000-${number.padStart(12, '0')}`;
    const document = { uuid, folio, issuedAt, timeZone: 'America/Mexico_City', issuer: ISSUER, content };
    const stamp = { uuid, series: 'F', folio: number, at: now.toISOString() };
    const stamped: StampedCfdi = {
      ...{ key, stamp, orderId, cfdi: readCfdi(writeCfdi(document)) },
      ...{ status: 'valid', substitution: null },
    };
    this.documents.set(key, stamped);
    return stamped;
  }

  /** Cancels a document, or asks the receiver; SAT cancels none to which a valid one relates, except by its substitute. */
  cancel(key: string, { substitution }: Cancellation, consent: Consent): CancellationResult {
    const document = this.documents.get(key);
    if (!document) throw new Error('only a stamped document is cancelled');
    if (document.status === 'cancelled') return 'accepted';
    if (this.#isRelated(document.stamp.uuid)) return 'not_cancelable';
    // A substitute has to be valid; the provider refuses the call, and a job tries again.
    if (substitution !== null && !this.#isValid(substitution)) return 'none';
    document.substitution = substitution;
    if (consent === 'accepted') document.status = 'cancelled';
    if (consent === 'pending') document.status = 'pending';
    return consent;
  }

  /** The receiver answers. */
  answer(key: string, consent: Consent): CancellationResult {
    const document = this.documents.get(key);
    if (document?.status !== 'pending') return document?.status === 'cancelled' ? 'accepted' : 'none';
    if (consent === 'accepted') document.status = 'cancelled';
    if (consent === 'rejected' || consent === 'expired') document.status = 'valid';
    return consent;
  }

  #isValid(uuid: string): boolean {
    return this.documents.values().some(({ stamp, status }) => stamp.uuid === uuid && status === 'valid');
  }

  #isRelated(uuid: string): boolean {
    return this.documents.values().some(({ cfdi, status }) => {
      const isSame = cfdi.payment?.uuid === uuid || (cfdi.relation?.type === '01' && cfdi.relation.uuid === uuid);
      return isSame && status !== 'cancelled';
    });
  }
}

/** Base and IVA by rate (`0.160000`) in millionths. */
export type Rates = ReadonlyMap<string, { readonly base: bigint; readonly iva: bigint }>;

/** The sums of a CFDI in millionths of a peso, read without any code of the service. */
export type Cfdi = ReturnType<typeof readCfdi>;

/** Returns the millionths of a decimal; 0 for an attribute that is not there. */
function read(written = '0'): bigint {
  const [whole = '', fraction = ''] = written.split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
}

const TRANSFERS = ['cfdi:Impuestos', 'cfdi:Traslados', 'cfdi:Traslado'] as const;

/** `ending`: that of the names of the attributes, `P` in a payment. */
function readRates(node: Node, path: readonly string[], ending = ''): Rates {
  const taxes = nodesAt(node, ...path).map(({ attributes }) => attributes);
  return new Map(
    taxes.map((tax) => [
      tax[`TasaOCuota${ending}`] ?? '',
      { base: read(tax[`Base${ending}`]), iva: read(tax[`Importe${ending}`]) },
    ]),
  );
}

function readCfdi(xml: string) {
  const root = parseCfdi(xml);
  const first = (...path: readonly string[]): Node['attributes'] => nodesAt(root, ...path)[0]?.attributes ?? {};
  const { attributes } = root;
  const { TipoRelacion } = first('cfdi:CfdiRelacionados');
  const { Año, Meses } = first('cfdi:InformacionGlobal');
  const [payment] = nodesAt(root, 'cfdi:Complemento', 'pago20:Pagos', 'pago20:Pago');
  return {
    type: attributes.TipoDeComprobante,
    method: attributes.MetodoPago,
    form: attributes.FormaPago,
    expeditionZipcode: attributes.LugarExpedicion,
    subtotal: read(attributes.SubTotal),
    discount: read(attributes.Descuento),
    total: read(attributes.Total),
    iva: read(first('cfdi:Impuestos').TotalImpuestosTrasladados),
    /** TipoRelacion and the UUID, or null. */
    relation: TipoRelacion
      ? { type: TipoRelacion, uuid: first('cfdi:CfdiRelacionados', 'cfdi:CfdiRelacionado').UUID }
      : null,
    concepts: nodesAt(root, 'cfdi:Conceptos', 'cfdi:Concepto').map((concept) => ({
      key: concept.attributes.ClaveProdServ,
      folio: concept.attributes.NoIdentificacion ?? '',
      amount: read(concept.attributes.Importe),
      discount: read(concept.attributes.Descuento),
      rates: readRates(concept, TRANSFERS),
    })),
    /** The summary by rate. */
    rates: readRates(root, TRANSFERS),
    payment: payment ? readPayment(payment) : null,
    /** c_Meses and the year of a global invoice; null for other documents. */
    period: Meses ? `${Año}-${Meses}` : null,
  };
}

function readPayment(payment: Node) {
  const [related] = nodesAt(payment, 'pago20:DoctoRelacionado');
  return {
    uuid: related?.attributes.IdDocumento,
    form: payment.attributes.FormaDePagoP,
    paid: read(payment.attributes.Monto),
    paidOfInvoice: read(related?.attributes.ImpPagado),
    before: read(related?.attributes.ImpSaldoAnt),
    after: read(related?.attributes.ImpSaldoInsoluto),
    rates: readRates(payment, ['pago20:ImpuestosP', 'pago20:TrasladosP', 'pago20:TrasladoP'], 'P'),
  };
}

/** An element of a CFDI with its children. */
type Node = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Node[];
};

/** Parses a CFDI. Throws if it is not well formed. */
function parseCfdi(xml: string): Node {
  const open: { node: Node; children: Node[] }[] = [];
  let root: Node | undefined;
  for (const { name, path, attributes } of elementsOf(xml)) {
    const children: Node[] = [];
    const node = { name, attributes, children };
    const depth = path.split(' > ').length - 1;
    open.length = depth;
    if (depth === 0) root = node;
    else open[depth - 1]?.children.push(node);
    open.push({ node, children });
  }
  if (!root) throw new Error('no element');
  return root;
}

/** Returns the elements at a path of names below a node, through all of their parents. */
const nodesAt = (node: Node, ...[name, ...rest]: readonly string[]): readonly Node[] =>
  name === undefined
    ? [node]
    : node.children.filter((child) => child.name === name).flatMap((child) => nodesAt(child, ...rest));
