import type { Cents } from '../../domain/money.ts';

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
