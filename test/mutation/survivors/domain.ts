import type { Survivors } from '../parts.ts';

export const DOMAIN: Survivors = {
  'shared/domain/prescriptions/image-structure.ts': {
    'if (false) return false;': 'equal: where no picture ends, none begins either; the types need it',
    'else if (at + 4 >= bytes.length) return undefined;': 'equal: a segment at the very end of a file ends no picture',
    'while (at > 0) {': 'equal: no scan begins at 0',
  },
  'shared/domain/invoices/invoice.ts': {
    'let low = Math.min(1, nearMicros - MICROS_PER_CENT);':
      'only speed: no base below 1 comes to the total of an order with a fee',
  },
  'shared/domain/invoices/invoice-status.ts': {
    "if (status === 'issued' && (mail.status === 'due' || mail?.status === 'sending')) return 'mail_due';":
      'equal: what is issued has a mail; the types do not know',
    "if (status === 'issued' && (mail?.status === 'due' || mail.status === 'sending')) return 'mail_due';":
      'equal: what is issued has a mail; the types do not know',
  },
  'shared/domain/money.ts': {
    'const [, whole, fraction = \'\'] = DECIMAL.exec(text) ?? ["Stryker was here"];': 'equal: the first is not read',
    'if (false || fraction.length > decimals) return undefined;': 'equal: no digits are no number; the types need it',
  },
  'shared/domain/order.ts': {
    'delivered: ["Stryker was here"],': 'equal: no status is called so',
    'cancelled: ["Stryker was here"],': 'equal: no status is called so',
    'paid: ["Stryker was here"],': 'equal: no status is called so',
  },
  'shared/domain/phone.ts': {
    'const OLD_MEXICAN_MOBILE = /\\+521(\\d{10})$/;': 'equal: by then the only plus is the first character',
    'const OLD_MEXICAN_MOBILE = /^\\+521(\\d{10})/;': 'equal: with more digits it is too long, with the 1 and without',
  },
  'shared/domain/prescriptions/prescription.ts': {
    'if (false) return errors;': 'equal: null is before no day; the types need it',
    'const characters = [...cleaned];': 'only memory, of names that are far too long',
  },
  'shared/domain/invoices/tax-id.ts': {
    'const [, initials, year, month, day] = RFC.exec(normalizeRfc(rfc)) ?? ["Stryker was here"];':
      'equal: the first is not read',
    'if (false || !isDate(Number(year), Number(month), Number(day))) return undefined;':
      'equal: what is no RFC has no date; the types need it',
    'new Date(Date.UTC(2000 - year, month - 1, day)).getUTCMonth() === month - 1;':
      'equal: leap years are the same distances before and after 2000',
  },
  'shared/domain/working-day.ts': {
    'return time <= cutoff && isWorkingDay(date, holidays) ? date : nextWorkingDay(date, holidays);':
      'equal: a time with its seconds is never the text of a cut-off',
    'const [year, month, day, hour, minute, second] = getClock(timeZone).format(instant).match(/\\d+/g) ?? ["Stryker was here"];':
      'equal: a clock always shows digits; the types do not know',
    'true && offsetMs(early, timeZone) !== offsetBefore && offsetMs(late, timeZone) === offsetAfter;':
      'only speed: where both are one instant, it has not two offsets',
    'if (false) return known;': 'only speed',
    'without clocks.set(timeZone, clock);': 'only speed',
  },
};
