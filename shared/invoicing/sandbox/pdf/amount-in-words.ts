const UNITS = [
  ...['', 'UN', 'DOS', 'TRES', 'CUATRO', 'CINCO', 'SEIS', 'SIETE', 'OCHO', 'NUEVE', 'DIEZ'],
  ...['ONCE', 'DOCE', 'TRECE', 'CATORCE', 'QUINCE', 'DIECISÉIS', 'DIECISIETE', 'DIECIOCHO', 'DIECINUEVE', 'VEINTE'],
  ...['VEINTIÚN', 'VEINTIDÓS', 'VEINTITRÉS', 'VEINTICUATRO', 'VEINTICINCO', 'VEINTISÉIS', 'VEINTISIETE'],
  ...['VEINTIOCHO', 'VEINTINUEVE'],
];
const TENS = ['', '', '', 'TREINTA', 'CUARENTA', 'CINCUENTA', 'SESENTA', 'SETENTA', 'OCHENTA', 'NOVENTA'];
const HUNDREDS = [
  ...['', 'CIENTO', 'DOSCIENTOS', 'TRESCIENTOS', 'CUATROCIENTOS', 'QUINIENTOS'],
  ...['SEISCIENTOS', 'SETECIENTOS', 'OCHOCIENTOS', 'NOVECIENTOS'],
];

/**
 * Writes an amount as Mexican invoices do: 81984 is `OCHOCIENTOS DIECINUEVE PESOS 84/100 M.N.`, a million pesos is
 * `UN MILLÓN DE PESOS 00/100 M.N.`. Numbers have the form before a noun (`VEINTIÚN PESOS`). Below 10^12 pesos.
 */
export function writeAmountInWords(cents: number): string {
  const pesos = Math.floor(cents / 100);
  const fraction = String(cents % 100).padStart(2, '0');
  return `${writeNumber(pesos) || 'CERO'} ${pickNoun(pesos)} ${fraction}/100 M.N.`;
}

function pickNoun(pesos: number): string {
  if (pesos === 1) return 'PESO';
  return pesos > 0 && pesos % 1_000_000 === 0 ? 'DE PESOS' : 'PESOS';
}

function writeNumber(number: number): string {
  const millions = Math.floor(number / 1_000_000);
  const below = writeBelowMillion(number % 1_000_000);
  if (millions === 0) return below;
  return joinWords(millions === 1 ? 'UN MILLÓN' : `${writeBelowMillion(millions)} MILLONES`, below);
}

function writeBelowMillion(number: number): string {
  const thousands = Math.floor(number / 1_000);
  const below = writeBelowThousand(number % 1_000);
  if (thousands === 0) return below;
  return joinWords(thousands === 1 ? 'MIL' : `${writeBelowThousand(thousands)} MIL`, below);
}

function writeBelowThousand(number: number): string {
  if (number === 100) return 'CIEN';
  return joinWords(HUNDREDS[Math.floor(number / 100)], writeBelowHundred(number % 100));
}

function writeBelowHundred(number: number): string {
  const small = UNITS[number];
  if (small !== undefined) return small;
  const unit = UNITS[number % 10];
  return `${TENS[Math.floor(number / 10)]}${unit ? ` Y ${unit}` : ''}`;
}

const joinWords = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(' ');
