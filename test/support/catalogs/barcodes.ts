/** Returns a GTIN-13 of Mexico with a right check digit, another for each number below 1,000,000,000. */
export function toBarcode(number: number): string {
  const digits = `750${String(number).padStart(9, '0')}`;
  const sum = [...digits].reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 1 : 3), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
