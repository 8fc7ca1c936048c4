import type { Survivors } from '../parts.ts';

export const DOMAIN: Survivors = {
  'shared/domain/pricing.ts': {
    'const [from = "Stryker was here!", to = from, ...more] = text.split(\'-\');':
      'equal: a split text always has a first part; the types allow none',
    'if (false || !isZipcode(zipcode)) return generalMicros;': 'equal: null is no zip code; the types need the check',
  },
  'shared/invoices/rules/build/invoice.ts': {
    'let low = Math.min(1, nearMicros - MICROS_PER_CENT);':
      'only speed: no base below 1 reaches the total of an order with a fee',
  },
  'shared/domain/money.ts': {
    'const [, whole, fraction = \'\'] = DECIMAL.exec(text) ?? ["Stryker was here"];':
      'equal: the first element is not read',
    'if (false || fraction.length > decimals) return undefined;':
      'equal: a text without digits is not a number; the types need the check',
  },
  'shared/order/rules/status.ts': {
    'delivered: ["Stryker was here"],': 'equal: no status has this name',
    'cancelled: ["Stryker was here"],': 'equal: no status has this name',
    'paid: ["Stryker was here"],': 'equal: no status has this name',
  },
  'shared/people/rules/roles.ts': {
    'const OLD_MEXICAN_MOBILE = /\\+521(\\d{10})$/;': 'equal: the only remaining plus is the first character',
    'const OLD_MEXICAN_MOBILE = /^\\+521(\\d{10})/;':
      'equal: a number with more digits is too long, with the 1 and without',
  },
  'shared/prescriptions/rules/prescription.ts': {
    'if (false) return errors;': 'equal: null is before no day; the types need the check',
  },
  'shared/prescriptions/rules/document.ts': {
    'const characters = [...cleaned];': 'only memory: names that are far too long',
  },
  'shared/invoices/rules/tax-id.ts': {
    'const [, initials, year, month, day] = RFC.exec(normalizeRfc(rfc)) ?? ["Stryker was here"];':
      'equal: the first element is not read',
    'if (false || !isDate(Number(year), Number(month), Number(day))) return undefined;':
      'equal: an invalid RFC has no date; the types need the check',
    'new Date(Date.UTC(2000 - year, month - 1, day)).getUTCMonth() === month - 1;':
      'equal: leap years are symmetric around 2000',
  },
  'shared/domain/working-day.ts': {
    'return time <= cutoff && isWorkingDay(date, holidays) ? date : nextWorkingDay(date, holidays);':
      'equal: a time with seconds never equals a cut-off',
    'const [year, month, day, hour, minute, second] = getClock(timeZone).format(instant).match(/\\d+/g) ?? ["Stryker was here"];':
      'equal: a formatted time always has digits; the types allow none',
    'true && offsetMs(early, timeZone) !== offsetBefore && offsetMs(late, timeZone) === offsetAfter;':
      'only speed: if both are the same instant, their offsets are equal',
    'if (false) return known;': 'only speed',
    'without clocks.set(timeZone, clock);': 'only speed',
  },
};
