import { hash } from 'node:crypto';
import type { FiscalDocument } from '../rules/build/cfdi.ts';

/** The issuer as SAT has it registered. */
export type Issuer = {
  readonly legalName: string;
  readonly rfc: string;
  readonly fiscalRegime: string;
  readonly zipcode: string;
};

/** An issued document with everything that its XML and its PDF show. */
export type SandboxDocument = {
  /** The UUID, as SAT would stamp it. */
  readonly uuid: string;
  readonly folio: string;
  /** The local time of the place of issue, `2026-11-21T17:00:00`, and its time zone. */
  readonly issuedAt: string;
  readonly timeZone: string;
  readonly issuer: Issuer;
  readonly content: FiscalDocument;
};

export const NO_VALIDITY = 'SIN VALIDEZ FISCAL';

const FOLDER = 'sandbox-invoices/';
const INVOICE_ID_DIGITS = 24;

/** Returns an id in Facturapi's format; the same key always gets the same id, by which its invoice is found. */
export const makeSandboxId = (key: string): string => hash('sha256', key).slice(0, INVOICE_ID_DIGITS);

/** Returns a UUID in SAT's format; the same key always gets the same one. */
export function makeSandboxUuid(key: string): string {
  const digits = hash('sha256', `uuid ${key}`).toUpperCase();
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`];
  return [...parts, digits.slice(20, 32)].join('-');
}

/** Returns the name of the object that holds an invoice with its files. */
export const sandboxObject = (id: string): string => `${FOLDER}${id}`;
