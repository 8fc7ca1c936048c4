import type { OrderingTerm, Position } from '../../api/lists.ts';
import { findPlace } from '../file/binary-search.ts';

/** Rows in the order of their ids, with the values that order them and the ranks of these values. */
export type OrderedRows<Field extends string> = {
  readonly size: number;
  readonly ranks: Readonly<Record<Field, Uint32Array>>;
  idOf(row: number): number;
  /** Returns the values as their ranks compare them: folded texts by code unit, amounts in cents. */
  sortValues(row: number): Readonly<Record<Field, string | number>>;
};
type Ordered<Field extends string> = {
  readonly rows: OrderedRows<Field>;
  readonly ordering: readonly OrderingTerm<Field>[];
};

/** Returns the position of a row, which is valid in other published versions too. */
export function positionOf<Field extends string>(row: number, { rows, ordering }: Ordered<Field>): Position {
  const values = rows.sortValues(row);
  return [...ordering.map(({ field }) => values[field]), rows.idOf(row)];
}

/** Returns the place in `order` of the first row behind a position, whose own row may have moved or be gone. */
export function placeBehind<Field extends string>(
  position: Position,
  order: Uint32Array,
  ordered: Ordered<Field>,
): number {
  if (position.length === 0) return 0;
  const own = findPlace(ordered.rows.size, (row) => ordered.rows.idOf(row) >= Number(position.at(-1)));
  const isThere = own < ordered.rows.size && differsAt(positionOf(own, ordered), position) === -1;
  // The values of 16 of 50,000 rows are read from the file in 0.4 ms, their ranks from memory in 0.002 ms.
  const isBehind = isThere ? isBehindRow(own, ordered) : isBehindValues(position, ordered);
  return findPlace(order.length, (at) => isBehind(order[at] ?? 0));
}

type RowTest = (row: number) => boolean;

function isBehindRow<Field extends string>(own: number, { rows, ordering }: Ordered<Field>): RowTest {
  return (row) => {
    const term = ordering.find(({ field }) => rows.ranks[field][row] !== rows.ranks[field][own]);
    const ranks = term && rows.ranks[term.field];
    const isLess = ranks ? (ranks[row] ?? 0) < (ranks[own] ?? 0) : row < own;
    return row !== own && isLess === (term ?? ordering[0])?.descending;
  };
}

// No row has these values and this id at once, or the position would be its own.
function isBehindValues<Field extends string>(position: Position, ordered: Ordered<Field>): RowTest {
  return (row) => {
    const values = positionOf(row, ordered);
    const at = differsAt(values, position);
    // Rows that are equal in every field are ordered by id, in the direction of the first field.
    const term = ordered.ordering[at] ?? ordered.ordering[0];
    return (values[at] ?? '') < (position[at] ?? '') === term?.descending;
  };
}

const differsAt = (one: Position, other: Position): number => one.findIndex((value, index) => value !== other[index]);
