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
 * An amount in pesos as Mexican invoices write it out: 81984 is `OCHOCIENTOS DIECINUEVE PESOS 84/100 M.N.`, a million
 * is `UN MILLÓN DE PESOS 00/100 M.N.`. Numbers are in the form before a noun (`VEINTIÚN PESOS`). Below 10^12 pesos.
 */
export function amountInWords(cents: number): string {
  const pesos = Math.floor(cents / 100);
  const fraction = String(cents % 100).padStart(2, '0');
  return `${words(pesos) || 'CERO'} ${nounOf(pesos)} ${fraction}/100 M.N.`;
}

function nounOf(pesos: number): string {
  if (pesos === 1) return 'PESO';
  return pesos > 0 && pesos % 1_000_000 === 0 ? 'DE PESOS' : 'PESOS';
}

function words(number: number): string {
  const millions = Math.floor(number / 1_000_000);
  const below = belowMillion(number % 1_000_000);
  if (millions === 0) return below;
  return joined(millions === 1 ? 'UN MILLÓN' : `${belowMillion(millions)} MILLONES`, below);
}

function belowMillion(number: number): string {
  const thousands = Math.floor(number / 1_000);
  const below = belowThousand(number % 1_000);
  if (thousands === 0) return below;
  return joined(thousands === 1 ? 'MIL' : `${belowThousand(thousands)} MIL`, below);
}

function belowThousand(number: number): string {
  if (number === 100) return 'CIEN';
  return joined(HUNDREDS[Math.floor(number / 100)], belowHundred(number % 100));
}

function belowHundred(number: number): string {
  const small = UNITS[number];
  if (small !== undefined) return small;
  const unit = UNITS[number % 10];
  return `${TENS[Math.floor(number / 10)]}${unit ? ` Y ${unit}` : ''}`;
}

const joined = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(' ');
