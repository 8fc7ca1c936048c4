const LENGTHS: readonly number[] = [8, 12, 13, 14];
const LONGEST = 14;

// The blanks and hyphens printed between a barcode's digits.
const PRINTED = /(?<=\d)[\s\p{Pd}]+(?=\d)/gu;

const joinPrinted = (barcode: string): string => barcode.replace(PRINTED, '');

/** Converts a barcode of any length to GTIN-14: `7 509999 000013` becomes `07509999000013`. */
export const toGtin14 = (barcode: string): string =>
  joinPrinted(barcode)
    .replace(/^0+(?=\d)/, '')
    .padStart(LONGEST, '0');

// The lookarounds skip decimals and thousands.
const PRINTED_BARCODE = /(?<![\p{L}\d.,])\d+(?:[\s\p{Pd}]+\d+)+(?![\p{L}\d]|[.,]\d)/gu;

/** Removes the blanks and hyphens printed between the digits of barcodes in a text. */
export const joinPrintedBarcodes = (text: string): string =>
  text.replace(PRINTED_BARCODE, (printed) => {
    const digits = joinPrinted(printed);
    return describeBarcodeFault(digits) === undefined ? digits : printed;
  });

// GS1 General Specifications, 7.9: from the right, the digits weigh 1, 3, 1, 3 …, and their sum ends in 0.
function hasRightCheckDigit(digits: string): boolean {
  const sum = [...digits]
    .reverse()
    .reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0;
}

const AS_TEXT = 'format the column as text before it is filled';
// A spreadsheet's damage to a barcode, with its remedy.
const LEFTOVERS: readonly (readonly [leftover: RegExp, message: string])[] = [
  [/^['’]/, 'It begins with the apostrophe by which a spreadsheet keeps zeros: write the digits alone'],
  [/^=/, 'It is a formula of a spreadsheet: write the digits alone, without = and quotation marks'],
  [/^[+-]?\d(?:[.,]\d+)?E[+-]?\d+$/i, `A spreadsheet has shortened it and lost digits: ${AS_TEXT}`],
  [/^\d+[.,]0+$/, `A spreadsheet has made a number with decimals of it: ${AS_TEXT}`],
  [/^\d{1,3}(?:[,. ]\d{3})+$/, `A spreadsheet has separated its thousands: ${AS_TEXT}`],
  [/^(?!\d+$)/, 'It must be digits alone, without blanks and other signs'],
  [/^0*$/, 'It must not be zeros alone'],
];

/** Returns a barcode's error and its remedy; undefined for a GTIN-8, -12, -13 or -14 with a correct check digit. */
export function describeBarcodeFault(barcode: string): string | undefined {
  const leftover = LEFTOVERS.find(([pattern]) => pattern.test(barcode));
  if (leftover) return leftover[1];
  const isRight = hasRightCheckDigit(barcode);
  if (LENGTHS.includes(barcode.length)) return isRight ? undefined : describeWrongDigit(barcode);
  const whole = LENGTHS.find((length) => length > barcode.length);
  const lacking = whole && isRight ? `, and lacks zeros in front: ${barcode.padStart(whole, '0')}` : '';
  return `It must have 8, 12, 13 or 14 digits: it has ${barcode.length}${lacking}`;
}

function describeWrongDigit(barcode: string): string {
  if (/0{5}$/.test(barcode)) return `A spreadsheet has put zeros for its last digits: ${AS_TEXT}`;
  const right = withCheckDigit(barcode.slice(0, -1)).at(-1);
  return `Its check digit is wrong: after ${barcode.slice(0, -1)} it is ${right}, unless another digit is wrong`;
}

const withCheckDigit = (digits: string): string =>
  digits + [...'0123456789'].find((digit) => hasRightCheckDigit(digits + digit));

const UPC = /^\d{9,11}$/;
const UPC_LENGTH = 12;

/** Restores the zeros before a GTIN-12, which a spreadsheet drops: `12345678905` becomes `012345678905`. */
export const restoreZeros = (digits: string): string =>
  UPC.test(digits) && hasRightCheckDigit(digits) ? digits.padStart(UPC_LENGTH, '0') : digits;

// GS1 General Specifications, 2.1.13: the prefixes 200 to 299 are for numbers within a company.
const OWN_PREFIX = '2';
const OWN_DIGITS = 11;

/** Returns the GTIN-13 of a product without a barcode of its maker, by its id below 100,000,000,000. */
export const toOwnBarcode = (id: number): string => withCheckDigit(OWN_PREFIX + String(id).padStart(OWN_DIGITS, '0'));
