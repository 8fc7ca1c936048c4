import { foldText } from './text.ts';

/** The fractions of art. 226 of the Ley General de Salud, which regulate a medicine's sale to the public. */
export const SANITARY_FRACTIONS = ['I', 'II', 'III', 'IV', 'V', 'VI'] as const;
export type SanitaryFraction = (typeof SANITARY_FRACTIONS)[number];

// Art. 226, I to III: narcotics and psychotropics, whose prescription the pharmacy keeps or records in its control books.
const CONTROLLED: readonly SanitaryFraction[] = ['I', 'II', 'III'];

/** I to VI as 1 to 6. */
export const toGroupNumber = (fraction: SanitaryFraction): number => SANITARY_FRACTIONS.indexOf(fraction) + 1;

/** Null for any other number than those of `toGroupNumber`. */
export const toSanitaryFraction = (groupNumber: number): SanitaryFraction | null =>
  SANITARY_FRACTIONS[groupNumber - 1] ?? null;

/** True for narcotics and psychotropics, which are never sold online. */
export const isControlled = (fraction: SanitaryFraction | null): boolean =>
  fraction !== null && CONTROLLED.includes(fraction);

/** Art. 226: fractions I to IV are sold on a prescription, V and VI without one. */
export const needsPrescription = (fraction: SanitaryFraction): boolean => fraction !== 'V' && fraction !== 'VI';

function matchesWord(text: string, names: readonly RegExp[], others: readonly RegExp[] = []): boolean {
  const words = foldText(text).split(/[^a-z]+/);
  return words.some((word) => names.some((name) => name.test(word)) && !others.some((other) => other.test(word)));
}

// `e` replaces `y` before the sound of i, so that the E of `Vitamina E y zinc` is no separator.
const SEPARATORS = /[,;+/&]| (?:y|con) | e (?=h?i)/;
const NO_INGREDIENTS = /^(n\/?a|no aplica|ningun[oa]?|sin principio activo)$/;

/** Splits `Losartán + hidroclorotiazida` into its distinct ingredients, folded and sorted. */
export function splitIngredients(text: string): string[] {
  const folded = foldText(text);
  if (NO_INGREDIENTS.test(folded)) return [];
  const ingredients = folded.split(SEPARATORS).map((ingredient) => ingredient.trim());
  return [...new Set(ingredients)].filter((ingredient) => /\p{L}/u.test(ingredient)).sort();
}

/**
 * Words of generic names of antibiotics in Spanish, folded, mostly stems of the international nonproprietary names: the WHO's
 * list (AWaRe classification, WHO-MHP-HPS-EML-2023.04), and the antibiotics of skin, eyes and ears that it leaves out.
 */
const ANTIBIOTICS: readonly RegExp[] = [
  // Penicillins, other beta-lactams, and the inhibitors that are combined with them.
  /cilina$|cilinam$|^cef|penem$|onam$|oxef$|carbef$|bactam$|^clavulan/,
  // Aminoglycosides, macrolides, lincosamides and others from cultures; tetracyclines; rifamycins.
  /micina$|kacina$|ciclina$|^rifa/,
  // Quinolones, among them the older acids.
  /oxacin[oa]?$|^flumequina$|^(nalidixico|oxolinico|pipemidico|piromidico)$/,
  // Sulfonamides and trimethoprim; sulfates and sulfasalazine begin alike.
  /^sulfa(?!to|salazina)|^sulfisoxazol$|[eo]prima?$|^iclaprim$/,
  // Nitroimidazoles of the WHO's list, and nitrofurans.
  /^(metro|ti|sec|or)nidazol$|^(nitrofur|nifur|furazidina|furazolidona)/,
  /fenicol$|zolida?$|planina$|vancina$|pristina$|mulina$/,
  /^(colistina|colistimetato|polimixina|fusidic[oa]|fusidato|mupirocina|bacitracina|tirotricina|gramicidina|clofoctol)$/,
];

// These end in -micina and are cytostatics, an immunosuppressant and an antimycotic.
const NO_ANTIBIOTICS: readonly RegExp[] = [/^(bleo|mito|dactino|plica|peplo|ozoga|rapa|nata)micina$/];

/** True if a text names an antibiotic, which a pharmacy must register (agreement of the Secretaría de Salud, DOF 27 May 2010). */
export const namesAntibiotic = (activeIngredient: string): boolean =>
  matchesWord(activeIngredient, ANTIBIOTICS, NO_ANTIBIOTICS);

/**
 * Words of the narcotics of art. 234 and the psychotropics of art. 245 II to IV of the Ley General de Salud in medicines,
 * folded; last reform DOF 15 January 2026. Some have a second spelling that packages use.
 */
const CONTROLLED_SUBSTANCES: readonly RegExp[] = [
  /^(morfina|codeina|dihidrocodeina|etilmorfina|folcodina|oxicodona|hidrocodona|hidromorfona|oximorfona|metadona)$/,
  /fentanilo?$|^(petidina|meperidina|pentazocina|buprenorfina|dextropropoxifeno|metilfenidato|tilidina|piritramida)$/,
  /^(difenoxilato|difenoxina|levorfanol|opio|cannabis|cocaina|tetrahidrocannabinol)$/,
  // Group II of art. 245.
  /anfetamina$|barbital$|^(butorfanol|nalbufina|catina|norpseudoefedrina|pseudoefedrina|dihidroergocristina|nicergolina)$/,
  // Group III.
  /zepam$|zolam$|zopiclona$|^(clobazam|clora[cz]epato|clordiazepoxido|loflacepato|amoxapina|clozapina|risperidona|pemolina)$/,
  /^(efedrina|ergometrina|ergonovina|ergotamina|fenilpropanolamina|pimozid[ae]|zipeprol|anfepramona|bupropion)$/,
  /^(carisoprodol|clobenzorex|fendimetrazina|fenproporex|fentermina|cloral|ketamina|mefenorex|meprobamato|trihexifenidilo)$/,
  /^(anfebutamona|tramadol)$/,
  // Group IV.
  /^(amitriptilina|biperideno|buspirona|clori?mipramina|clomipramina|cloro?promazina|desipramina|fenel[cz]ina)$/,
  /^(fenfluramina|flufenazina|flumazenil|haloperidol|hidroxi[cz]ina|imipramina|isocarboxazida|litio|maprotilina|mazindol)$/,
  /^(naloxona|nortriptilina|penfluridol|perfenazina|promazina|sulpirid[ae]|tetrabenazina|tiopental|tioridazina)$/,
  /^(trazodon[ae]|trifluoperazina|gabob)$/,
];

export const namesControlledSubstance = (activeIngredient: string): boolean =>
  matchesWord(activeIngredient, CONTROLLED_SUBSTANCES);

// The first that stands in the text names the form, so that a powder for suspension is a suspension.
const FORMS: readonly (readonly [form: string, words: RegExp])[] = [
  ['injection', /inyect|ampolleta|ampula|jeringa prellenada|pluma|\bvial/],
  ['inhaler', /inhala|aerosol|nebuliza/],
  ['suspension', /suspension/],
  ['syrup', /jarabe/],
  ['elixir', /elixir/],
  ['emulsion', /emulsion/],
  ['drops', /gotas|gotero|colirio/],
  ['spray', /spray|atomiza|rocio/],
  ['suppository', /supositorio/],
  ['ovule', /ovulo/],
  ['cream', /crema/],
  ['ointment', /unguento|pomada/],
  ['gel', /\bgel\b/],
  ['lotion', /locion/],
  ['shampoo', /shampoo|champu/],
  ['patch', /parche/],
  ['solution', /solucion/],
  ['granules', /granulado/],
  ['powder', /polvo|\bsobres?\b/],
  ['lozenge', /pastilla|trocisco/],
  ['capsule', /capsula|\bcaps?\b|perla/],
  ['tablet', /tableta|\btabs?\b|comprimido|gragea/],
];
// Words for the route, the form and the speed of release.
const MODIFIERS =
  /oftalmic|otic[ao]|nasal|vaginal|rectal|topic|efervescente|masticable|sublingual|dispersable|prolongada|retardada|enteric/g;
// A package without a word for its form that has these is a liquid, a semi-solid or doses.
const MEASURES: ReadonlySet<string> = new Set(['ml', 'l', 'g', 'kg', 'dosis']);

/** Reads a pharmaceutical form from name and presentation: two products of one form have the same text; undefined if unknown. */
export function readForm(name: string, presentation: string): string | undefined {
  const text = foldText(`${presentation} ${name}`);
  const kind = readPackageUnits(presentation)?.kind ?? '';
  const form = FORMS.find(([, words]) => words.test(text))?.[0] ?? (MEASURES.has(kind) ? kind : undefined);
  if (form === undefined) return undefined;
  return [form, ...new Set(text.match(MODIFIERS)?.toSorted())].join(' ');
}

/** The units in a package: 20 of `tableta` for `Caja con 20 cápsulas`, 5 of `ampolleta de 2 ml` for `5 ampolletas de 2 mL`. */
type PackageUnits = { readonly count: number; readonly kind: string };

const COUNT = String.raw`(\d+(?:\.\d+)?)`;
const UNITS = new RegExp(String.raw`(?:^|[ /])${COUNT} ?(\p{L}+)(?: de ${COUNT} ?(\p{L}+))?`, 'gu');
const TABLET = 'tableta';
// Swallowed alike, so counted alike.
const TABLETS = ['tab', 'comprimido', 'capsula', 'cap', 'gragea', 'perla', 'pastilla'];
const ONE_NAME: ReadonlyMap<string, string> = new Map([...TABLETS.map((name) => [name, TABLET] as const), ['gr', 'g']]);
// A strength (500 mg) or a multiplication (2x10) is no count.
const NO_PIECES: ReadonlySet<string> = new Set(['mg', 'mcg', 'µg', 'μg', 'ug', 'ui', 'iu', 'meq', 'x']);

/** Reads a package's units from its presentation; undefined without a count, with several, and for a strength. */
export function readPackageUnits(presentation: string): PackageUnits | undefined {
  const text = foldText(presentation);
  const [match] = text.matchAll(UNITS);
  if (!match || /\d/.test(text.replace(match[0], ''))) return undefined;
  const [, count, unit = '', content, measure] = match;
  if (NO_PIECES.has(unit)) return undefined;
  const piece = unit.replace(/(?<=d)es$|s$/, '');
  const kind = ONE_NAME.get(piece) ?? piece;
  if (Number(count) === 0) return undefined;
  return { count: Number(count), kind: content && kind !== TABLET ? `${kind} de ${content} ${measure}` : kind };
}
