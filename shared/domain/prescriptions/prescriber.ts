/**
 * The author of a prescription, as the register of antibiotics asks (agreement of DOF 27 May 2010, in El Economista 2010-09-05:
 * name, cédula profesional and address). `licence` is the number of the cédula, which has 7 or 8 digits.
 */
export type Prescriber = { readonly name: string; readonly licence: string | null; readonly address: string | null };

// infocedula.com/cedula-profesional/numeros-cedula-profesional: 7 or 8 digits, neither letters nor signs.
const LICENCE = /^\d{7,8}$/;

/** True for the number of a cédula profesional, which SEP gives to whoever may practise a profession. */
export const isLicence = (written: string): boolean => LICENCE.test(written);
