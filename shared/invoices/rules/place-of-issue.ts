import { toInstant } from '../../domain/working-day.ts';
import type { TaxDocument } from './tax-document.ts';

/** The store where an order is collected. `time_zone` is its published IANA zone; null for that of its zip code. */
export type IssuingStore = {
  readonly zipcode: string;
  readonly is_sat_branch: boolean;
  readonly time_zone: string | null;
};

/** LugarExpedicion and its IANA time zone; both null for the issuer's own. */
export type PlaceOfIssue = { readonly expeditionZipcode: string | null; readonly timeZone: string | null };

const ISSUERS_PLACE: PlaceOfIssue = { expeditionZipcode: null, timeZone: null };

/** A branch's sale is issued at its zip code and local time (CFF 29-A I and III; guide of Anexo 20, page 12). */
export function getPlaceOfIssue({ store }: { readonly store: IssuingStore | null }): PlaceOfIssue {
  if (!store?.is_sat_branch) return ISSUERS_PLACE;
  return { expeditionZipcode: store.zipcode, timeZone: store.time_zone ?? findTimeZone(store.zipcode) };
}

/** The issuer, in `businessZone`, also issues the credit notes of global invoices. */
export const getIssueTimeZone = (
  order: { readonly store: IssuingStore | null },
  { globalZipcode }: Pick<TaxDocument, 'globalZipcode'>,
  businessZone: string,
): string => (globalZipcode === undefined ? getPlaceOfIssue(order).timeZone : null) ?? businessZone;

// The zones of Mexico by zip codes (SEPOMEX), the first range that holds one. The Ley de los Husos Horarios en los Estados
// Unidos Mexicanos (DOF, 28 October 2022) leaves daylight saving to Baja California and to the municipalities of the northern
// border; the decree of 29 November 2022 gave those of Chihuahua the hours of El Paso and of Presidio. A store's published
// zone wins.
const ZONES: readonly (readonly [from: string, to: string, timeZone: string])[] = [
  ['21000', '22999', 'America/Tijuana'],
  ['23000', '23999', 'America/Mazatlan'],
  // Coahuila: Piedras Negras, Nava, Acuña.
  ['26000', '26339', 'America/Matamoros'],
  // Jiménez, Zaragoza, Morelos, Allende, Villa Unión, Guerrero, Hidalgo.
  ['26400', '26699', 'America/Matamoros'],
  // Ocampo.
  ['27500', '27549', 'America/Matamoros'],
  // Chihuahua: Ascensión, Janos.
  ['31820', '31849', 'America/Ciudad_Juarez'],
  // Juárez, Guadalupe, Práxedis G. Guerrero.
  ['32000', '32799', 'America/Ciudad_Juarez'],
  // Coyame del Sotol, Ojinaga.
  ['32850', '32899', 'America/Ojinaga'],
  // Manuel Benavides.
  ['32980', '32999', 'America/Ojinaga'],
  ['31000', '33999', 'America/Chihuahua'],
  ['63726', '63739', 'America/Bahia_Banderas'],
  ['63000', '63999', 'America/Mazatlan'],
  // Nuevo León: Anáhuac.
  ['65000', '65069', 'America/Matamoros'],
  ['77000', '77999', 'America/Cancun'],
  ['80000', '82999', 'America/Mazatlan'],
  ['83000', '85999', 'America/Hermosillo'],
  // Tamaulipas: Matamoros, Valle Hermoso.
  ['87300', '87599', 'America/Matamoros'],
  // Nuevo Laredo, Miguel Alemán, Guerrero, Mier, Gustavo Díaz Ordaz, Camargo, Reynosa, Río Bravo; the rest of Río Bravo.
  ['88000', '88879', 'America/Matamoros'],
  ['88900', '88999', 'America/Matamoros'],
];
// All other states; Monterrey and Mérida have the same time under names of their own.
const CENTRAL = 'America/Mexico_City';

const findTimeZone = (zipcode: string): string =>
  ZONES.find(([from, to]) => from <= zipcode && zipcode <= to)?.[2] ?? CENTRAL;

/** A provider's time: date, time to the second, and an offset or none. */
export const ISSUE_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?$/;

/** Parses a provider's time; without an offset it is local to the place of issue. Throws RangeError for anything else. */
export function toIssueInstant(written: string, timeZone: string): string {
  const [, date, time, offset] = ISSUE_TIME.exec(written) ?? [];
  if (!date || !time) throw new RangeError('a stamp has a date and a time');
  return (offset ? new Date(written) : toInstant(date, time, timeZone)).toISOString();
}
