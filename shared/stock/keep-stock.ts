import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { refusedToOperator } from '../domain/operator-refusal.ts';
import { retry, sideBySide } from '../runtime/async.ts';
import { keyName, STOCK_CHANGE_START, stockChangeKey, stockKey, stockPartition } from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import { ABSENT, batches, type Table, type Write } from '../store/table.ts';
import { toUpdate } from '../store/update.ts';
import type { Level } from './rules/reservation.ts';
import { changeWrite, parseLevel, readLevels } from './stock.ts';

type Place = { readonly store: number; readonly product: number };
/** `quantity`: the pieces on the shelf, those that orders have reserved included. */
export type Count = Place & { readonly quantity: number };
type Operation = { readonly operator: string; readonly now: Date };

const storedChange = z.object({
  at: z.string(),
  by: z.string(),
  store: z.number(),
  change: z.number(),
  /** The counted pieces; absent for an adjustment. */
  counted: z.number().exactOptional(),
  reason: z.string().exactOptional(),
});
/** A change by an operator. What orders take is told by their own history. */
export type StockChangeRecord = Readonly<z.infer<typeof storedChange>>;

const BATCHES_AT_ONCE = 10;
// Each row writes a level and its change, in a transaction of 100 parts at most.
const ROWS_PER_WRITE = 25;
// Orders may change the levels of a batch between read and write.
const PATIENCE = { tries: 20, longestPauseMs: 100 };

/** Returns the rows of which more is reserved than was counted. */
export async function findOverReserved<Row extends Count>(counts: readonly Row[], table: Table) {
  const levels = await readCounted(counts, table);
  return counts.flatMap((count) => {
    const reserved = levels.get(placeName(count))?.reserved ?? 0;
    return count.quantity < reserved ? [{ ...count, reserved }] : [];
  });
}

/** Sets what was counted, and returns the number of changed levels. Rows of which more was reserved meanwhile are left out. */
export async function setStock(counts: readonly Count[], operation: Operation, table: Table): Promise<number> {
  const parts = [...batches(counts, ROWS_PER_WRITE)];
  const changed = await sideBySide(parts, { atOnce: BATCHES_AT_ONCE }, (part) =>
    retry(PATIENCE, () => setPart(part, operation, table)),
  );
  if (changed.includes(undefined)) throw refusedToOperator('stock_changes', {});
  return changed.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

async function setPart(counts: readonly Count[], operation: Operation, table: Table): Promise<number | undefined> {
  const levels = await readCounted(counts, table);
  const writes = counts.map((count) => setWrites(count, levels.get(placeName(count)), operation)).filter(hasSome);
  if (writes.length === 0) return 0;
  return (await table.tryTransact(writes.flat())) ? writes.length : undefined;
}

const hasSome = ({ length }: readonly Write[]): boolean => length > 0;

/** The condition fails if the level has changed since it was read. */
function setWrites({ quantity, ...place }: Count, level: Level | undefined, operation: Operation): Write[] {
  const { available, reserved } = level ?? { available: 0, reserved: 0 };
  const change = quantity - available - reserved;
  if ((level && change === 0) || quantity < reserved) return [];
  const set = { available: quantity - reserved, reserved };
  const isUnchanged = { where: 'available = :before AND reserved = :reserved', values: { ':before': available } };
  const condition = level ? isUnchanged : { where: ABSENT };
  return [
    { Update: toUpdate(stockKey(place.product, place.store), { set, ...condition }) },
    recordWrite(place, { change, counted: quantity }, operation),
  ];
}

function recordWrite(
  { store, product }: Place,
  change: Pick<StockChangeRecord, 'change' | 'counted' | 'reason'>,
  { operator: by, now }: Operation,
): Write {
  const at = now.toISOString();
  const record: StockChangeRecord = { at, by, store, ...change };
  return { Put: { Item: toItem(stockChangeKey(product, at, store, randomUUID().slice(0, 8)), record) } };
}

type Adjustment = Place & { readonly by: number; readonly reason: string };

/** Adds to what can be sold, and returns the level. Throws `out_of_stock` or `not_found`. */
export async function adjustStock({ by, reason, ...place }: Adjustment, operation: Operation, table: Table) {
  const writes = [
    changeWrite({ ...place, available: by, reserved: 0 }),
    recordWrite(place, { change: by, reason }, operation),
  ];
  const isWritten = await table.tryTransact(writes);
  const level = (await readLevels(table, place.store, [place.product])).get(place.product);
  if (!level) throw refusedToOperator('stock_not_tracked', place);
  if (!isWritten) throw refusedToOperator('stock_below_zero', { ...place, left: level.available });
  return level;
}

/** Returns the levels of products at stores where they are tracked. */
export async function listLevels(products: readonly number[], stores: readonly number[], table: Table) {
  const places = products.flatMap((product) => stores.map((store) => ({ product, store })));
  const levels = await readCounted(places, table);
  return places.flatMap((place) => {
    const level = levels.get(placeName(place));
    return level ? [{ ...place, ...level }] : [];
  });
}

/** Returns an operator's changes of a product, the newest first. */
export async function listStockChanges(table: Table, product: number, limit: number): Promise<StockChangeRecord[]> {
  const where = { where: 'begins_with(sk, :start)', values: { ':start': STOCK_CHANGE_START }, isDescending: true };
  const items = await table.first({ pk: stockPartition(product), ...where }, limit);
  return items.map((item) => parseItem(storedChange, item, 'change of stock'));
}

const placeName = ({ product, store }: Place): string => keyName(stockKey(product, store));

async function readCounted(places: readonly Place[], table: Table): Promise<ReadonlyMap<string, Level>> {
  const keys = places.map(({ product, store }) => stockKey(product, store));
  const parts = await sideBySide([...batches(keys)], { atOnce: BATCHES_AT_ONCE }, (part) => table.getAll(part));
  return new Map(parts.flat().flatMap((item) => (item ? [[keyName(item), parseLevel(item)] as const] : [])));
}
