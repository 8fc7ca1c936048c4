import { type Facet, type FacetValue, MAX_FACET_VALUES } from '../../api/catalog/facets.ts';
import type { Named } from '../../api/catalog/named.ts';
import { foldText } from '../../domain/text.ts';
import { once } from '../../runtime/async.ts';
import { getById } from '../file/checked.ts';
import { type Columns, toRanks } from '../file/columns.ts';
import type { References } from './product-shapes.ts';

/** Adds each row of the mask to the counts of its values. */
type Count = (mask: Uint8Array, counts: Uint32Array) => void;

/** A function for each facet that counts its values among the rows of a mask. */
export type FacetCounters = { readonly [Name in Facet]: (mask: Uint8Array) => FacetValue[] };

/** Creates the counters of facets. Each reads the names of its values once, when it is first asked for. */
export function createFacetCounters(columns: Columns, references: () => References): FacetCounters {
  const { categoryIds, categoryRanks, companyIds, companyRanks, diseaseIds, diseaseStarts, diseaseRanks } = columns;
  const category = once(() => createCounter(categoryIds, references().categories, countOwners(categoryRanks)));
  const company = once(() => createCounter(companyIds, references().companies, countOwners(companyRanks)));
  const diseases = once(() =>
    createCounter(diseaseIds, references().diseases, countMembers(diseaseStarts, diseaseRanks)),
  );
  return {
    base__category: (mask) => category()(mask),
    base__pharmaceutical_company: (mask) => company()(mask),
    base__diseases: (mask) => diseases()(mask),
  };
}

/** Orders values by count, descending, then by name regardless of case and accents, then by id. */
function createCounter(ids: Float64Array, names: ReadonlyMap<number, Named>, count: Count) {
  const values = Array.from(ids, (id, rank) => ({ id, name: getById(names, id).name, rank }));
  const nameRanks = toRanks(values.map(({ name }) => foldText(name)));
  const byName = values.toSorted((a, b) => (nameRanks[a.rank] ?? 0) - (nameRanks[b.rank] ?? 0));
  return (mask: Uint8Array): FacetValue[] => {
    const counts = new Uint32Array(values.length);
    count(mask, counts);
    const counted = byName.map(({ id, name, rank }) => ({ id, name, count: counts[rank] ?? 0 }));
    const found = counted.filter(({ count }) => count > 0);
    return found.sort((a, b) => b.count - a.count).slice(0, MAX_FACET_VALUES);
  };
}

// Loops without branches take 0.07 ms for 50,000 rows, with them 0.25 ms.
function countOwners(ranks: Uint32Array): Count {
  return (mask, counts) => {
    for (let row = 0; row < mask.length; row++) add(counts, ranks[row] ?? 0, mask[row] ?? 0);
  };
}

function countMembers(starts: Uint32Array, ranks: Uint32Array): Count {
  const rows = toRows(starts, ranks.length);
  return (mask, counts) => {
    for (let at = 0; at < ranks.length; at++) add(counts, ranks[at] ?? 0, mask[rows[at] ?? 0] ?? 0);
  };
}

/** Returns the row that each entry belongs to. */
function toRows(starts: Uint32Array, size: number): Uint32Array {
  const rows = new Uint32Array(size);
  for (let row = 0; row + 1 < starts.length; row++) rows.fill(row, starts[row], starts[row + 1]);
  return rows;
}

function add(counts: Uint32Array, rank: number, more: number): void {
  counts[rank] = (counts[rank] ?? 0) + more;
}
