import { foldText } from '../../domain/text.ts';

const MEXICO: ReadonlySet<string> = new Set(
  'mexico mejico mx mex eum estadosunidosmexicanos republicamexicana unitedmexicanstates'.split(' '),
);

type State = readonly [from: number, to: number, name: string, others: string];

// The states by the first two digits of their zip codes (SEPOMEX; 17 to 19 are unused), with their usual abbreviations (INEGI,
// Correos) and ISO 3166-2 codes in the form of `toKey`.
const STATES: readonly State[] = [
  [0, 16, 'Ciudad de México', 'cdmx cmx df dif distritofederal mexicodf mexicocity cddemexico cdmexico mexico'],
  [20, 20, 'Aguascalientes', 'ags agu'],
  [21, 22, 'Baja California', 'bc bcn bajacalif bajacalifornianorte'],
  [23, 23, 'Baja California Sur', 'bcs bajacalifsur'],
  [24, 24, 'Campeche', 'cam camp'],
  [25, 27, 'Coahuila', 'coa coah coahuiladezaragoza'],
  [28, 28, 'Colima', 'col'],
  [29, 30, 'Chiapas', 'chp chis'],
  [31, 33, 'Chihuahua', 'chh chih'],
  [34, 35, 'Durango', 'dgo dur'],
  [36, 38, 'Guanajuato', 'gto gua'],
  [39, 41, 'Guerrero', 'gro'],
  [42, 43, 'Hidalgo', 'hgo hid'],
  [44, 49, 'Jalisco', 'jal'],
  [50, 57, 'Estado de México', 'mex edomex edomexico edodemex edodemexico estadomexico mexico'],
  [58, 61, 'Michoacán', 'mic mich michoacandeocampo'],
  [62, 62, 'Morelos', 'mor'],
  [63, 63, 'Nayarit', 'nay'],
  [64, 67, 'Nuevo León', 'nl nle nvoleon'],
  [68, 71, 'Oaxaca', 'oax'],
  [72, 75, 'Puebla', 'pue'],
  [76, 76, 'Querétaro', 'qro que queretarodearteaga queretaroarteaga'],
  [77, 77, 'Quintana Roo', 'qroo qr roo'],
  [78, 79, 'San Luis Potosí', 'slp sanluispot'],
  [80, 82, 'Sinaloa', 'sin'],
  [83, 85, 'Sonora', 'son'],
  [86, 86, 'Tabasco', 'tab'],
  [87, 89, 'Tamaulipas', 'tam tamps'],
  [90, 90, 'Tlaxcala', 'tla tlax'],
  [91, 96, 'Veracruz', 'ver veracruzdeignaciodelallave veracruzllave'],
  [97, 97, 'Yucatán', 'yuc'],
  [98, 99, 'Zacatecas', 'zac'],
];

// Folds and keeps only letters and digits: `Edo. Méx.` is `edomex`.
const toKey = (text: string): string => foldText(text).replace(/[^\p{L}\p{N}]/gu, '');

/** Accepts Mexico's usual names and codes, whatever case and accents. */
export const isMexico = (country: string): boolean => MEXICO.has(toKey(country));

/**
 * Returns the name of a zip code's state if the address names another state; undefined if it agrees, or if the name or the zip
 * code is unknown. `México` is both the state and the capital.
 */
export function findStateOfZipcode(address: { readonly state: string; readonly zipcode: string }): string | undefined {
  const own = findState(address.zipcode);
  const named = findNamed(address.state);
  return own && named.length > 0 && !named.includes(own) ? own[2] : undefined;
}

function findState(zipcode: string): State | undefined {
  const prefix = Number(zipcode.slice(0, 2));
  return STATES.find(([from, to]) => from <= prefix && prefix <= to);
}

export const nameState = (zipcode: string): string | undefined => findState(zipcode)?.[2];

/** Returns the states that a text may name; accepts `MX-JAL`, `Estado de Jalisco` and `Jalisco, México`. */
function findNamed(text: string): readonly State[] {
  const folded = foldText(text).replace(/^mx[- ]/, '');
  const alone = folded
    .replace(/^(?:estado|edo\.?) (?:libre y soberano )?de /, '')
    .replace(/, ?(?:mexico|mex\.?|mx)$/, '');
  const matches = [folded, alone].map((name) => STATES.filter((state) => isNamed(state, toKey(name))));
  return matches.find(({ length }) => length > 0) ?? [];
}

const isNamed = ([, , name, others]: State, key: string): boolean =>
  toKey(name) === key || others.split(' ').includes(key);
