import { toInstant } from '../working-day.ts';
import type { TaxDocument } from './tax-document.ts';

/** The store where an order is collected. `time_zone` is its published IANA zone; null for that of its zip code. */
export type IssuingStore = {
  readonly zipcode: string;
  readonly is_sat_branch: boolean;
  readonly time_zone: string | null;
};

/** The place where a document is issued (LugarExpedicion) and its IANA time zone; both null for the issuer's own. */
export type PlaceOfIssue = { readonly expeditionZipcode: string | null; readonly timeZone: string | null };

const ISSUERS_PLACE: PlaceOfIssue = { expeditionZipcode: null, timeZone: null };

/**
 * Returns where the documents of an order are issued: a sale in a branch has the branch's zip code, wherever the invoicing
 * system is (CFF 29-A I and III; guide of Anexo 20, page 12, LugarExpedicion), and `Fecha` is the local time there.
 */
export function getPlaceOfIssue({ store }: { readonly store: IssuingStore | null }): PlaceOfIssue {
  if (!store?.is_sat_branch) return ISSUERS_PLACE;
  return { expeditionZipcode: store.zipcode, timeZone: store.time_zone ?? findTimeZone(store.zipcode) };
}

/**
 * Returns the time zone in which a document of an order is dated; `businessZone` is that of the issuer, who also issues the
 * credit notes of global invoices.
 */
export const getIssueTimeZone = (
  order: { readonly store: IssuingStore | null },
  { globalZipcode }: Pick<TaxDocument, 'globalZipcode'>,
  businessZone: string,
): string => (globalZipcode === undefined ? getPlaceOfIssue(order).timeZone : null) ?? businessZone;

// The zones of Mexico by zip codes, which go by states (SEPOMEX); the first range that holds one counts. The Ley de los Husos
// Horarios (DOF, 28 October 2022) leaves daylight saving to municipalities on the border. A published zone of the store wins.
const ZONES: readonly (readonly [from: string, to: string, timeZone: string])[] = [
  ['21000', '22999', 'America/Tijuana'],
  ['23000', '23999', 'America/Mazatlan'],
  ['26000', '26099', 'America/Matamoros'],
  ['26200', '26299', 'America/Matamoros'],
  ['32000', '32699', 'America/Ciudad_Juarez'],
  ['32880', '32899', 'America/Ojinaga'],
  ['31000', '33999', 'America/Chihuahua'],
  ['63732', '63735', 'America/Bahia_Banderas'],
  ['63000', '63999', 'America/Mazatlan'],
  ['77000', '77999', 'America/Cancun'],
  ['80000', '82999', 'America/Mazatlan'],
  ['83000', '85999', 'America/Hermosillo'],
  ['87300', '87599', 'America/Matamoros'],
  ['88000', '88299', 'America/Matamoros'],
  ['88500', '88799', 'America/Matamoros'],
];
// That of all other states, of which Monterrey and Mérida have the same time under names of their own.
const CENTRAL = 'America/Mexico_City';

const findTimeZone = (zipcode: string): string =>
  ZONES.find(([from, to]) => from <= zipcode && zipcode <= to)?.[2] ?? CENTRAL;

/** A time as providers write it: date, time to the second, and an offset or none. */
export const ISSUE_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?$/;

/**
 * Returns the instant (`2026-11-21T23:00:00.000Z`) of a time as a provider writes it: with an offset, or else in the local
 * time of the place of issue, whatever the zone of the machine that reads it is. RangeError for anything else.
 */
export function toIssueInstant(written: string, timeZone: string): string {
  const [, date, time, offset] = ISSUE_TIME.exec(written) ?? [];
  if (!date || !time) throw new RangeError('a stamp has a date and a time');
  return (offset ? new Date(written) : toInstant(date, time, timeZone)).toISOString();
}
