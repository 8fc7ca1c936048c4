import { UNIT_NAMES } from '../domain/invoices/content/unit-names.ts';
import { fiscalText } from '../domain/text.ts';

/** The length of `Unidad` in a CFDI (cfdv40.xsd). */
const UNIT_NAME_LENGTH = 20;

/** Returns the name of a unit as a CFDI takes it, cut where it is too long; undefined for a key that is not in the table. */
export function toUnitName(unitKey: string): string | undefined {
  const name = UNIT_NAMES[unitKey];
  return name === undefined ? undefined : fiscalText(name, UNIT_NAME_LENGTH);
}
