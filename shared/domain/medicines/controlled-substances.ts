import { matchesWord } from './active-ingredients.ts';

/**
 * Words of the narcotics of art. 234 and the psychotropics of art. 245 II to IV of the Ley General de Salud that
 * medicines contain, folded; last reform DOF 15 January 2026. Some have a second spelling that packages use.
 */
const NAMES: readonly RegExp[] = [
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

/** True when a text such as `Clorhidrato de tramadol y paracetamol` names a narcotic or a psychotropic. */
export function namesControlledSubstance(activeIngredient: string): boolean {
  return matchesWord(activeIngredient, NAMES);
}
