import { isDeepStrictEqual } from 'node:util';
import { unavailable } from '../../domain/refusal.ts';
import {
  creationKey,
  entryPartition,
  FIRST_CREATION,
  LAST_CREATION,
  nextCreation,
  parseCreationKey,
  type Viewer,
  viewPartition,
} from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { getOrder, listViewers } from '../orders/orders.ts';
import type { Item, Table } from '../table.ts';
import type { View } from './order-recount.ts';
import { type ListItems, listItems } from './order-rows.ts';
import { ordersByIds } from './order-search.ts';

/** A row or an entry of a view that is not what the order would write: not there, not like it, or of no order of the view. */
export type ListDifference = {
  readonly viewer: Viewer;
  readonly orderId: number;
  readonly part: keyof ListItems;
  readonly fault: 'missing' | 'different' | 'stray';
};

/** Some orders of a view, and what is wrong about them there. */
export type CheckedPart = { readonly orders: readonly Order[]; readonly faults: readonly ListDifference[] };

/**
 * Holds the rows and entries of a view against the orders themselves, part by part in the order of creation. `members` are
 * the places (by creationKey) of orders that are known to be in the view, so that what is missing altogether is found too.
 * Orders may be placed and changed meanwhile. Throws Refusal `unavailable` if one is changed without a pause.
 */
export async function* checkLists(table: Table, view: View, members: Iterable<string>): AsyncGenerator<CheckedPart> {
  const expected = new Set(members);
  const seen = new Set<string>();
  for await (const listed of listedParts(table, view)) {
    const orders = await ordersByIds(table, view.clientId, [...new Set([...listed.keys()].map(parsePlace))]);
    for (const order of orders) expected.add(toPlace(order));
    const byId = new Map(orders.map((order) => [order.id, order]));
    const suspects = [...listed].filter(([place, stored]) => {
      seen.add(place);
      return findDifferences(place, { view, stored, order: byId.get(parsePlace(place)) }).length > 0;
    });
    yield {
      orders,
      faults: await confirmed(
        table,
        view,
        suspects.map(([place]) => place),
      ),
    };
  }
  const unseen = [...expected].filter((place) => !seen.has(place));
  yield { orders: [], faults: await confirmed(table, view, unseen) };
}

/** Returns the position of an order in its views. */
export const toPlace = (order: Order): string => creationKey(order.createdAt, order.id);
const parsePlace = (place: string): number => parseCreationKey(place).order;
const isIn = (order: Order, { viewer }: View): boolean => listViewers(order).includes(viewer);

/** The items of a view at one position. */
type Stored = { row?: Item; entry?: Item };

// One read fetches the orders of this many rows.
const ROWS_PER_PART = 100;

async function* listedParts(table: Table, { clientId, viewer }: View): AsyncGenerator<Map<string, Stored>> {
  const pk = entryPartition(clientId, viewer);
  const between = (from: string, to: string) =>
    table.all({ pk, where: 'sk BETWEEN :from AND :to', values: { ':from': from, ':to': to } });
  const pages = table.pages({ pk: viewPartition(clientId, viewer), pageSize: ROWS_PER_PART });
  let from = FIRST_CREATION;
  for await (const rows of pages) {
    const last = rows.at(-1);
    if (!last) continue;
    yield groupByPlace(rows, await between(from, String(last.sk)));
    from = nextCreation(String(last.sk));
  }
  yield groupByPlace([], await between(from, LAST_CREATION));
}

function groupByPlace(rows: readonly Item[], entries: readonly Item[]): Map<string, Stored> {
  const places = new Map<string, Stored>(rows.map((row) => [String(row.sk), { row }]));
  for (const entry of entries) places.set(String(entry.sk), { ...places.get(String(entry.sk)), entry });
  return places;
}

type Place = { readonly view: View; readonly stored: Stored; readonly order: Order | undefined };

function findDifferences(place: string, { view, stored, order }: Place): ListDifference[] {
  const isPlaceOfOrder = order !== undefined && isIn(order, view) && toPlace(order) === place;
  const right: Stored = isPlaceOfOrder ? listItems(order, view.viewer) : {};
  return (['row', 'entry'] as const).flatMap((part) => {
    const fault = compareItems(stored[part], right[part]);
    return fault ? [{ viewer: view.viewer, orderId: parsePlace(place), part, fault }] : [];
  });
}

function compareItems(stored: Item | undefined, right: Item | undefined): ListDifference['fault'] | undefined {
  if (isDeepStrictEqual(stored, right)) return undefined;
  if (!right) return 'stray';
  return stored ? 'different' : 'missing';
}

const TRIES = 10;

/** Rechecks each difference while its order stays at one version: the order may just have been changed. */
async function confirmed(table: Table, view: View, places: readonly string[]): Promise<ListDifference[]> {
  const faults: ListDifference[] = [];
  for (const place of places) faults.push(...(await recheckPlace(table, view, place)));
  return faults;
}

async function recheckPlace(table: Table, view: View, place: string): Promise<ListDifference[]> {
  const { clientId, viewer } = view;
  const partitions = [viewPartition(clientId, viewer), entryPartition(clientId, viewer)];
  const asked = { clientId, id: parsePlace(place) };
  for (let tries = 0; tries < TRIES; tries++) {
    const order = await getOrder(table, asked);
    const [row, entry] = await table.getAll(partitions.map((pk) => ({ pk, sk: place })));
    const again = await getOrder(table, asked);
    if (order?.version !== again?.version) continue;
    return findDifferences(place, { view, stored: { ...(row && { row }), ...(entry && { entry }) }, order });
  }
  throw unavailable();
}
