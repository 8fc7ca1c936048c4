import { matchesWord } from './active-ingredients.ts';

/**
 * Words of the generic names of antibiotics in Spanish, folded. They cover the list of the WHO (AWaRe classification,
 * WHO-MHP-HPS-EML-2023.04), mostly by the stems of the international nonproprietary names, and the antibiotics of skin,
 * eyes and ears, which that list leaves out.
 */
const NAMES: readonly RegExp[] = [
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
const OTHERS: readonly RegExp[] = [/^(bleo|mito|dactino|plica|peplo|ozoga|rapa|nata)micina$/];

/**
 * True when a text such as `Amoxicilina y ácido clavulánico` or `Clorhidrato de ciprofloxacino` names an antibiotic, of
 * which a pharmacy keeps a register (agreement of the Secretaría de Salud, DOF 27 May 2010).
 */
export function namesAntibiotic(activeIngredient: string): boolean {
  return matchesWord(activeIngredient, NAMES, OTHERS);
}
