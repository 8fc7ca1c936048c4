import type { FiscalDocument } from '../../../../shared/invoices/rules/build/cfdi.ts';
import type { CancellationResult } from '../../../../shared/invoices/rules/issued-document.ts';
import type { Cancellation, Stamp } from '../../../../shared/invoices/rules/tax-document.ts';
import { writeCfdi } from '../../../../shared/invoices/sandbox/cfdi.ts';
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

/*
 * Reads the sums of a CFDI out of its XML, in millionths of a peso, without any code of the service: a proof compares them
 * with those of the orders.
 */

type Attributes = Readonly<Record<string, string>>;

/** Base and IVA by rate (`0.160000`) in millionths. */
export type Rates = ReadonlyMap<string, { readonly base: bigint; readonly iva: bigint }>;

type Concept = {
  readonly key: string;
  readonly folio: string;
  readonly amount: bigint;
  readonly discount: bigint;
  readonly rates: Rates;
};

export type Cfdi = {
  readonly type: 'I' | 'E' | 'P';
  readonly method: string;
  readonly form: string;
  readonly expeditionZipcode: string;
  readonly subtotal: bigint;
  readonly discount: bigint;
  readonly total: bigint;
  readonly iva: bigint;
  /** TipoRelacion and the UUID, or null. */
  readonly relation: { readonly type: string; readonly uuid: string } | null;
  readonly concepts: readonly Concept[];
  /** The summary by rate. */
  readonly rates: Rates;
  /** The payment of a complement; null for other types. */
  readonly payment: Payment | null;
  /** c_Meses and the year of a global invoice; null for other documents. */
  readonly period: string | null;
};

type Payment = {
  readonly uuid: string;
  readonly form: string;
  readonly paid: bigint;
  readonly paidOfInvoice: bigint;
  readonly before: bigint;
  readonly after: bigint;
  readonly rates: Rates;
};

const ELEMENT = /<(\/?)([\w:]+)((?:\s+[\p{L}\w:]+="[^"]*")*)\s*(\/?)>/gu;
const ATTRIBUTE = /([\p{L}\w:]+)="([^"]*)"/gu;

/** Returns the elements with the names of those around them: `Comprobante Conceptos Concepto`. */
function readElements(xml: string): { readonly path: string; readonly attributes: Attributes }[] {
  const elements: { path: string; attributes: Attributes }[] = [];
  const around: string[] = [];
  for (const [, close, prefixed = '', written = '', empty] of xml.matchAll(ELEMENT)) {
    if (close) {
      around.pop();
      continue;
    }
    const name = prefixed.split(':').at(-1) ?? '';
    const pairs = [...written.matchAll(ATTRIBUTE)].map(([, key = '', value = '']) => [key, value]);
    elements.push({ path: [...around, name].join(' '), attributes: Object.fromEntries(pairs) });
    if (!empty) around.push(name);
  }
  return elements;
}

/** Returns the millionths of a decimal; 0 for an attribute that is not there. */
function read(written = '0'): bigint {
  const [whole = '', fraction = ''] = written.split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
}

function addRate(rates: Map<string, { base: bigint; iva: bigint }>, rate = '', base = 0n, iva = 0n): void {
  const known = rates.get(rate) ?? { base: 0n, iva: 0n };
  rates.set(rate, { base: known.base + base, iva: known.iva + iva });
}

const ROOT = 'Comprobante';
const CONCEPT = `${ROOT} Conceptos Concepto`;
const PAYMENT = `${ROOT} Complemento Pagos Pago`;

/** Returns the sums of a CFDI. */
function readCfdi(xml: string): Cfdi {
  const elements = readElements(xml);
  const first = (path: string): Attributes => elements.find((one) => one.path === path)?.attributes ?? {};
  const root = first(ROOT);
  const summary = new Map<string, { base: bigint; iva: bigint }>();
  const paid = new Map<string, { base: bigint; iva: bigint }>();
  const concepts: (Concept & { readonly rates: Map<string, { base: bigint; iva: bigint }> })[] = [];
  for (const { path, attributes: a } of elements) {
    if (path === CONCEPT) {
      const [amount, discount] = [read(a.Importe), read(a.Descuento)];
      concepts.push({
        key: a.ClaveProdServ ?? '',
        folio: a.NoIdentificacion ?? '',
        amount,
        discount,
        rates: new Map(),
      });
    }
    const [base, iva] = [read(a.Base), read(a.Importe)];
    if (path === `${CONCEPT} Impuestos Traslados Traslado`)
      addRate(concepts.at(-1)?.rates ?? new Map(), a.TasaOCuota, base, iva);
    if (path === `${ROOT} Impuestos Traslados Traslado`) addRate(summary, a.TasaOCuota, base, iva);
    if (path === `${PAYMENT} ImpuestosP TrasladosP TrasladoP`)
      addRate(paid, a.TasaOCuotaP, read(a.BaseP), read(a.ImporteP));
  }
  const relation = first(`${ROOT} CfdiRelacionados`).TipoRelacion;
  const global = first(`${ROOT} InformacionGlobal`);
  const related = first(`${PAYMENT} DoctoRelacionado`);
  return {
    type: (root.TipoDeComprobante ?? '') as Cfdi['type'],
    method: root.MetodoPago ?? '',
    form: root.FormaPago ?? '',
    expeditionZipcode: root.LugarExpedicion ?? '',
    subtotal: read(root.SubTotal),
    discount: read(root.Descuento),
    total: read(root.Total),
    iva: read(first(`${ROOT} Impuestos`).TotalImpuestosTrasladados),
    relation: relation ? { type: relation, uuid: first(`${ROOT} CfdiRelacionados CfdiRelacionado`).UUID ?? '' } : null,
    concepts,
    rates: summary,
    payment: related.IdDocumento
      ? {
          uuid: related.IdDocumento,
          form: first(PAYMENT).FormaDePagoP ?? '',
          paid: read(first(PAYMENT).Monto),
          paidOfInvoice: read(related.ImpPagado),
          before: read(related.ImpSaldoAnt),
          after: read(related.ImpSaldoInsoluto),
          rates: paid,
        }
      : null,
    period: global.Meses ? `${global.Año}-${global.Meses}` : null,
  };
}
