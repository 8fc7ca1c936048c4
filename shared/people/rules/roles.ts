import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

export const ROLES = ['patient', 'doctor', 'insurance_employee'] as const;
export type Role = (typeof ROLES)[number];

/** True if the addresses and receivers that a user sends become records of the patient; a doctor's stay with the order. */
export const keepsRecords = ({ role }: { readonly role: Role }): boolean => role !== 'doctor';

/** `+525512345678`, its country code `52` and national number `5512345678`. */
export type Phone = { e164: string; countryCode: string; nationalNumber: string };

const WRITTEN = /^\+\d[\d .()-]*\d$/;
const SEPARATORS = /[ .()-]/g;

// Mexico dropped the 1 before mobile numbers in August 2019 (IFT, plan of numbering); people still write it, and
// libphonenumber neither accepts nor rewrites it.
const OLD_MEXICAN_MOBILE = /^\+521(\d{10})$/;

/**
 * Parses a phone number `+<country code><number>` (rule of the interface); blanks, hyphens, dots and parentheses between digits
 * are ignored, so that all spellings give the same `e164`. Undefined for other text and for lengths that the country's plan
 * lacks. The number need not be in use: `+15551234567` is accepted.
 */
export function parsePhone(text: string): Phone | undefined {
  if (!WRITTEN.test(text)) return undefined;
  const digits = text.replace(SEPARATORS, '').replace(OLD_MEXICAN_MOBILE, '+52$1');
  const phone = parsePhoneNumberFromString(digits);
  if (!phone?.isPossible()) return undefined;
  return { e164: phone.number, countryCode: phone.countryCallingCode, nationalNumber: phone.nationalNumber };
}

// People write ten digits, perhaps with the country code; an unescaped `+` in a query has become a blank.
const MEXICAN_DIGITS = /^(?:52)?(\d{10})$/;

/** Parses a phone number to search for: also accepts the 10 digits of a Mexican number, or 12 with its 52. */
export function parseSoughtPhone(text: string): Phone | undefined {
  const [, national] = MEXICAN_DIGITS.exec(text.replace(SEPARATORS, '')) ?? [];
  return parsePhone(national === undefined ? text : `+52${national}`);
}
