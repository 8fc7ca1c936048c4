import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** The role of a user with its client; each user has exactly one. */
export const ROLES = ['patient', 'doctor', 'insurance_employee'] as const;
export type Role = (typeof ROLES)[number];

/** True if the address or receiver that this user sends becomes a record of the patient; a doctor's stays with its order. */
export const keepsRecords = ({ role }: { readonly role: Role }): boolean => role !== 'doctor';

/** A phone number: `+525512345678`, its country code `52` and its national number `5512345678`. */
export type Phone = { e164: string; countryCode: string; nationalNumber: string };

const WRITTEN = /^\+\d[\d .()-]*\d$/;
const SEPARATORS = /[ .()-]/g;

// Mexico dropped the 1 before mobile numbers in August 2019 (IFT, plan of numbering); people still write it, and
// libphonenumber neither accepts nor rewrites it.
const OLD_MEXICAN_MOBILE = /^\+521(\d{10})$/;

/**
 * Parses a phone number of the form `+<country code><number>` (rule of the interface), with blanks, hyphens, dots and
 * parentheses tolerated between the digits. Two ways of writing one number give the same `e164`. Undefined for any
 * other text, and for a number of a length that its country's plan does not have. Whether anybody can be called at it is
 * not asked: `+15551234567` is a number that no one has.
 */
export function parsePhone(text: string): Phone | undefined {
  if (!WRITTEN.test(text)) return undefined;
  const digits = text.replace(SEPARATORS, '').replace(OLD_MEXICAN_MOBILE, '+52$1');
  const phone = parsePhoneNumberFromString(digits);
  if (!phone?.isPossible()) return undefined;
  return { e164: phone.number, countryCode: phone.countryCallingCode, nationalNumber: phone.nationalNumber };
}

// People write ten digits, or these after the country's code; a `+` that was not escaped in a query has become a blank.
const MEXICAN_DIGITS = /^(?:52)?(\d{10})$/;

/** Parses a phone number that somebody looks for: as `parsePhone`, and the 10 digits of a Mexican number, or 12 with its 52. */
export function parseSoughtPhone(text: string): Phone | undefined {
  const [, national] = MEXICAN_DIGITS.exec(text.replace(SEPARATORS, '')) ?? [];
  return parsePhone(national === undefined ? text : `+52${national}`);
}
