import type { Invoice } from '../../domain/invoices/cfdi.ts';

/** Who issues, as SAT has them. */
export type Issuer = {
  readonly legalName: string;
  readonly rfc: string;
  readonly fiscalRegime: string;
  readonly zipcode: string;
};

/** An invoice of the sandbox with all that its XML and its PDF show. */
export type SandboxDocument = {
  readonly id: string;
  readonly folio: string;
  /** Local time where it is issued, `2026-11-21T17:00:00`. */
  readonly issuedAt: string;
  readonly issuer: Issuer;
  readonly invoice: Invoice;
};

export const NO_VALIDITY = 'SIN VALIDEZ FISCAL';
