import { SANITARY_FRACTIONS, type SanitaryFraction } from '../../../domain/medicines.ts';
import { type Cents, divideHalfUp, MICROS_PER_CENT, MICROS_PER_UNIT, parseMicros } from '../../../domain/money.ts';
import { foldText } from '../../../domain/text.ts';
import type { Cell } from './sheet.ts';

// Values as people write them into spreadsheets.

const YES = 'si s yes y true verdadero v 1 x con requiere receta conreceta rx gravado grava'.split(' ');
const NO = 'no n false falso f 0 sin ninguno sinreceta libre libreventa ventalibre otc noaplica na norequiere'.split(
  ' ',
);
const BOOLEANS = new Map([...YES.map((word) => [word, true] as const), ...NO.map((word) => [word, false] as const)]);

const toWord = (cell: Cell): string => foldText(String(cell)).replace(/[^a-z0-9]/g, '');

/** Undefined for what is neither yes nor no. */
export const readBoolean = (cell: Cell): boolean | undefined =>
  /^[✓✔☑]$/u.test(String(cell)) || BOOLEANS.get(toWord(cell));

const GENERAL_RATE = /^(?:16(?:[.,]0+)?|0?[.,]160*)$/;
const NO_RATE = /^(?:0(?:[.,]0+)?|exent[oa]s?|cero|e)$/;

/** True for the general rate of 16 %, false for 0 % and exempt; undefined for anything else, such as the border's 8 %. */
export function readIva(cell: Cell): boolean | undefined {
  const rate = foldText(String(cell)).replace(/iva|tasa|%|\s/g, '');
  return GENERAL_RATE.test(rate) || (NO_RATE.test(rate) ? false : readBoolean(cell));
}

const FRACTION = /^(?:fraccion|fracc|grupo|gpo|fr|f)?[\s.:-]*(iii|ii|iv|vi|v|i|[1-6])$/;
const NO_FRACTION = /^(?:na|noaplica|ninguna|no|0|)$/;

/** Null for what has none ("No aplica"); undefined for what is no fraction. */
export function readFraction(cell: Cell): SanitaryFraction | null | undefined {
  const match = FRACTION.exec(foldText(String(cell)))?.[1]?.toUpperCase();
  if (match) return SANITARY_FRACTIONS.find((fraction, at) => fraction === match || String(at + 1) === match);
  return NO_FRACTION.test(toWord(cell)) ? null : undefined;
}

export type DecimalSign = 'point' | 'comma';

const CURRENCY = /mxn|m\.?n\.?|pesos|[$\s']/gi;
const FORMS = {
  point: /^-?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)?(?:\.\d*)?$/,
  comma: /^-?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)?(?:,\d*)?$/,
};
const NUMBER_DECIMALS = 6;

/** Returns a decimal number with the point for each sign that the amount may have. */
function readBothWays(cell: Cell): { readonly [Sign in DecimalSign]: string | undefined } {
  // Products of formulas such as 31.999999999999996 are meant as they are shown.
  const number = typeof cell === 'number' ? String(Number(cell.toFixed(NUMBER_DECIMALS))) : undefined;
  if (typeof cell === 'number') return { point: number, comma: number };
  const text = cell.replace(CURRENCY, '');
  const isNumber = /\d/.test(text);
  return {
    point: isNumber && FORMS.point.test(text) ? tidy(text.replaceAll(',', '')) : undefined,
    comma: isNumber && FORMS.comma.test(text) ? tidy(text.replaceAll('.', '').replace(',', '.')) : undefined,
  };
}

/** `.5` is `0.5`, `0012.` is `12`. */
const tidy = (number: string): string =>
  number
    .replace(/^(-?)0*(?=\d)/, '$1')
    .replace(/^(-?)\./, '$10.')
    .replace(/\.$/, '');

/** Returns the decimal sign of a column, if all amounts that have but one reading agree. */
export function judgeSign(cells: readonly Cell[]): DecimalSign | undefined {
  const signs = cells.flatMap((cell): DecimalSign[] => {
    const { point, comma } = readBothWays(cell);
    if (point === comma || (point && comma)) return [];
    return [point === undefined ? 'comma' : 'point'];
  });
  return signs.every((sign) => sign === signs[0]) ? signs[0] : undefined;
}

/**
 * Returns a decimal number with the point, '' for what is no amount, and undefined for `1.234` and `1,234`, which have a
 * thousands separator or three decimals, without a sign of their column.
 */
export function readAmount(cell: Cell, sign: DecimalSign | undefined): string | undefined {
  const readings = readBothWays(cell);
  const { point = readings.comma, comma = point } = readings;
  return point === comma ? (point ?? '') : sign && { point, comma }[sign];
}

/** Rounds to cents, half up; undefined for a negative number and for one that is too large. */
export function toCents(number: string): Cents | undefined {
  const [whole = '', decimals = ''] = number.split('.');
  const micros = parseMicros(decimals === '' ? whole : `${whole}.${decimals.slice(0, NUMBER_DECIMALS)}`);
  return micros === undefined ? undefined : Math.floor((micros + MICROS_PER_CENT / 2) / MICROS_PER_CENT);
}

const UNIT = BigInt(MICROS_PER_UNIT);
const GENERAL_RATE_MICROS = 160_000n;

/** Returns what a piece costs at the till: the price with IVA of 16 %, half up. */
export const addIva = (net: Cents): Cents => net + Number(divideHalfUp(BigInt(net) * GENERAL_RATE_MICROS, UNIT));

/**
 * Returns the price before IVA of which `addIva` makes the price on the shelf. Every seventh price or so has none: then the
 * nearest below, so that nobody pays more than the shelf says.
 */
export function removeIva(shelf: Cents): Cents {
  const net = Number(divideHalfUp(BigInt(shelf) * UNIT, UNIT + GENERAL_RATE_MICROS));
  return [net + 1, net, net - 1].find((candidate) => addIva(candidate) <= shelf) ?? net;
}
