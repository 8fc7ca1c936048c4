import { viewPartition } from './keys.ts';
import { firstItems, rowOfItem } from './order-entries.ts';
import type { OrderEntry } from './order-rows.ts';
import type { OrderPage, OrderSelection } from './order-selection.ts';
import type { Item, Table } from './table.ts';

/** What the walk brings of an order: its key, and what it was selected and is ordered by. */
type Match = { readonly sk: string } & Pick<OrderEntry, 'id' | 'createdAt'> & Partial<OrderEntry>;

/**
 * A page of any selection, by going through the whole view in its short form. An order keeps its place in it, so each
 * that is there at the start is met once; and each is shown with the values by which it was selected, whatever
 * becomes of it meanwhile.
 */
export async function walkedPage(table: Table, selection: OrderSelection, deadline: number): Promise<OrderPage> {
  const pk = viewPartition(selection.clientId, selection.viewer);
  const pages = table.pages(walkOf(pk, selection));
  const matches = (await firstItems(Number.POSITIVE_INFINITY, { pages, deadline })) as Match[];
  matches.sort(comparison(selection.ordering));
  const shown = matches.slice(selection.offset, selection.offset + selection.limit);
  const rows = await table.getAll(shown.map(({ sk }) => ({ pk, sk })));
  return { count: matches.length, rows: shown.map((match, index) => rowOfItem({ ...rows[index], ...match })) };
}

function walkOf(pk: string, selection: OrderSelection) {
  const { conditions, fields, values } = filterOf(selection);
  return {
    IndexName: 'byCreation',
    // The newest first: what is placed during the walk comes before its start, and is left out as a whole.
    ScanIndexForward: false,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ...values, ':pk': pk },
    ProjectionExpression: [...new Set(['sk', 'id', 'createdAt', ...fields])].join(', '),
    ...(conditions.length > 0 && { FilterExpression: conditions.join(' AND ') }),
  };
}

/** The conditions of a selection, the fields that they and the ordering look at, and the values they name. */
function filterOf(selection: OrderSelection) {
  const values: Item = {};
  const named = (value: unknown): string => {
    const name = `:${Object.keys(values).length}`;
    values[name] = value;
    return name;
  };
  const oneOf = (field: keyof OrderEntry, wanted: readonly unknown[] | undefined) =>
    wanted ? [{ field, condition: `${field} IN (${wanted.map(named).join(', ')})` }] : [];
  const terms = [
    ...oneOf('patientId', selection.patientId === undefined ? undefined : [selection.patientId]),
    ...oneOf('orderStatus', selection.orderStatuses),
    ...oneOf('paymentStatus', selection.paymentStatuses),
    ...selection.nameWords.map((word) => ({
      field: 'searchName',
      condition: `contains(searchName, ${named(word)})`,
    })),
    ...selection.dateBounds.map(({ field, comparison: sign, instant }) => ({
      field,
      condition: `${field} ${sign} ${named(instant)}`,
    })),
  ];
  return {
    conditions: terms.map(({ condition }) => condition),
    fields: [...terms, ...selection.ordering].map(({ field }) => field),
    values,
  };
}

// After every digit.
const LATEST = '~';

function comparison(ordering: OrderSelection['ordering']): (a: Match, b: Match) => number {
  const byId = ordering[0]?.isDescending ? -1 : 1;
  return (a, b) => {
    for (const { field, isDescending } of ordering) {
      const [x, y] = [a[field] ?? LATEST, b[field] ?? LATEST];
      if (x !== y) return x < y === isDescending ? 1 : -1;
    }
    return byId * (a.id - b.id);
  };
}
