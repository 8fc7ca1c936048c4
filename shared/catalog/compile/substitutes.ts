import { splitIngredients } from '../../domain/medicines.ts';
import { toRanks } from '../file/columns.ts';
import type { ProductOfBase } from './product-columns.ts';

// It ranks before any other key, so that products without substitutes are in group 0.
const NO_GROUP = '';

/** Returns the group of each product: medicines with the same active ingredients and the same need of a prescription. */
export function toSubstituteGroups(rows: readonly ProductOfBase[]): Uint32Array {
  return toRanks([NO_GROUP, ...rows.map(toGroup)]).slice(1);
}

function toGroup({ base }: ProductOfBase): string {
  const medical = base.is_medicine ? base.medical_information : null;
  const ingredients = splitIngredients(medical?.active_ingredient ?? '');
  if (ingredients.length === 0) return NO_GROUP;
  return JSON.stringify([medical?.requires_prescription, ...ingredients]);
}
