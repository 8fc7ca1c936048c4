import type { FiscalDocument } from '../../domain/invoices/content/cfdi.ts';

/** The issuer as SAT has it registered. */
export type Issuer = {
  readonly legalName: string;
  readonly rfc: string;
  readonly fiscalRegime: string;
  readonly zipcode: string;
};

/** An issued document with everything that its XML and its PDF show. */
export type SandboxDocument<Content extends FiscalDocument = FiscalDocument> = {
  /** The UUID, as SAT would stamp it. */
  readonly uuid: string;
  readonly folio: string;
  /** The local time of the issuer, `2026-11-21T17:00:00`. */
  readonly issuedAt: string;
  readonly timeZone: string;
  readonly issuer: Issuer;
  readonly content: Content;
};

export const NO_VALIDITY = 'SIN VALIDEZ FISCAL';
