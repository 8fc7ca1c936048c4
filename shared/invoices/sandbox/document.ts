import { hash } from 'node:crypto';
import type { Cents } from '../../domain/money.ts';
import type { FiscalDocument } from '../rules/build/cfdi.ts';

export type Issuer = {
  readonly legalName: string;
  readonly rfc: string;
  readonly fiscalRegime: string;
  readonly zipcode: string;
};

export type SandboxDocument = {
  readonly uuid: string;
  readonly folio: string;
  /** Local to the place of issue, `2026-11-21T17:00:00`. */
  readonly issuedAt: string;
  readonly timeZone: string;
  readonly issuer: Issuer;
  readonly content: FiscalDocument;
};

export const NO_VALIDITY = 'SIN VALIDEZ FISCAL';

const FOLDER = 'sandbox-invoices/';
const INVOICE_ID_DIGITS = 24;

/** Returns an id in Facturapi's format, the same for the same key, by which the invoice is found. */
export const makeSandboxId = (key: string): string => hash('sha256', key).slice(0, INVOICE_ID_DIGITS);

/** Returns a UUID in SAT's format, the same for the same key. */
export function makeSandboxUuid(key: string): string {
  const digits = hash('sha256', `uuid ${key}`).toUpperCase();
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`];
  return [...parts, digits.slice(20, 32)].join('-');
}

export const sandboxObject = (id: string): string => `${FOLDER}${id}`;

/** In the order of Anexo 20; undefined ones are left out. */
export type Attributes = Readonly<Record<string, string | undefined>>;

export function element(name: string, attributes: Attributes, children: readonly string[] = []): string {
  const pairs = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? '' : ` ${key}="${escapeXml(value)}"`,
  );
  const start = `<${name}${pairs.join('')}`;
  return children.length === 0 ? `${start}/>` : `${start}>${children.join('')}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escapeXml = (value: string): string => value.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);

const DIGITS = 6;

/** Six decimals: `43.105100`. */
export function writeDecimal(micros: bigint): string {
  const digits = String(micros).padStart(DIGITS + 1, '0');
  return `${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`;
}

/** Two to six decimals as needed: `85.50`, `43.1051`. */
export const writeExactly = (micros: bigint): string => writeDecimal(micros).replace(/0{1,4}$/, '');

export const centsToMicros = (cents: Cents): bigint => BigInt(cents) * 10_000n;

/** Two decimals: `85.50`. */
export const writeCents = (cents: Cents): string => writeExactly(centsToMicros(cents));
