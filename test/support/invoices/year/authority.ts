import type { FiscalDocument } from '../../../../shared/domain/invoices/content/cfdi.ts';
import type { CancellationResult } from '../../../../shared/domain/invoices/issued-document.ts';
import type { Cancellation, Stamp } from '../../../../shared/domain/invoices/tax-document.ts';
import { writeCfdi } from '../../../../shared/invoicing/sandbox/cfdi.ts';
import { type Cfdi, readCfdi } from './cfdi-sums.ts';
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
