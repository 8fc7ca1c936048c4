import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { CatalogBucket } from '../../bucket.ts';
import type { ComparedKind } from '../../file/records.ts';
import { hasCurrentFormat, type Pointer, readCatalogFile } from '../../file/snapshot.ts';
import type { ComparedFiles, Danger } from '../publish.ts';
import { downloadSnapshot, listPublishedVersions, withTempDir } from '../versions.ts';
import {
  type Comparison,
  compareFiles,
  type Difference,
  findLost,
  isChangedBeyond,
  type RecordKey,
} from './compare.ts';

const UNDONE = 'Products that `catalog update` or `shortage` has changed are changed again';
const SOLD_MORE_FREELY = 'Products go to another base, to a milder sanitary fraction, or need no prescription any more';
const LOST = 'Products that orders may hold are neither published nor withdrawn in that version';

/** Returns why one goes from a version to another with `--accept` only; `paymentMethods` are those of all clients. */
export const findVersionDangers = (
  { forgotten, ...comparison }: ComparedVersions,
  paymentMethods: ReadonlySet<number>,
): Danger[] => [
  ...findDangers(comparison, paymentMethods),
  ...dangerTo(forgotten, 'products_lost', LOST, ' Such orders show the copies that they keep.'),
];

/** Names the products that updates have changed since the last folder, with the fields that a new folder changes again. */
export async function findUndoneUpdates(
  { difference }: Comparison,
  { before, after }: ComparedFiles,
  bucket: CatalogBucket,
): Promise<Danger[]> {
  const { added, removed, changed } = difference.kinds.products;
  if (added.length + removed.length + changed.length === 0) return [];
  const updates = await findUpdates(bucket);
  // Reading all of 50,000 products that differ takes seconds.
  const products = updates.length === 0 ? [] : listProductChanges(before, after, difference);
  const changes = new Map(products.map((change) => [change.id, change]));
  const undone = updates.flatMap((update) => describeUndone(update, changes.get(update.id)));
  return dangerTo(undone, 'updates_undone', UNDONE);
}

function describeUndone({ id, name, ...update }: ProductChange, again: ProductChange | undefined): string[] {
  if (!again) return [];
  const isUndone = (field: string) => update.change !== 'changed' || update.fields.includes(field);
  const undone = again.change === 'changed' ? again.fields.filter(isUndone) : [again.change];
  return undone.length === 0 ? [] : [`${id} (${[name, ...undone].join(', ')})`];
}

/** Returns the products that updates have changed since a folder was published. */
async function findUpdates(bucket: CatalogBucket): Promise<readonly ProductChange[]> {
  const { current, versions } = await listPublishedVersions(bucket);
  const find = (version: string | undefined) => versions.find((record) => record.version === version);
  let folder = find(current);
  while (folder?.is_update && folder.difference) folder = find(folder.difference.from);
  if (current === undefined || folder === undefined || folder.version === current) return [];
  return (await compareVersions({ from: folder, to: find(current) }, bucket))?.products ?? [];
}

/**
 * Returns why a difference looks like an accident, such as a file that was cut off, or is a matter of law;
 * `paymentMethods` are those of all clients.
 */
export const findDangers = (
  { difference, offered, unrated, lessRestricted }: Comparison,
  paymentMethods: ReadonlySet<number>,
): Danger[] => [
  ...findRemovedRecords(difference, offered.holidays),
  ...findPriceJumps(difference),
  ...findRemovedIds(difference, { ...offered, payment_methods: paymentMethods }),
  ...dangerTo(unrated, 'id_in_use_removed', 'Shipping methods lose all of their rates'),
  ...dangerTo(lessRestricted, 'sold_more_freely', SOLD_MORE_FREELY),
];

const NAMED = 5;
// Somebody looks one by one at the changes of updates that a folder would undo.
const NAMED_UNDONE = 50;

function dangerTo(names: readonly (string | number)[], code: Danger['code'], what: string, then = ''): Danger[] {
  if (names.length === 0) return [];
  const most = code === 'updates_undone' ? NAMED_UNDONE : NAMED;
  const rest = names.length > most ? `, and ${names.length - most} more` : '';
  return [{ code, message: `${what}: ${names.slice(0, most).join(', ')}${rest}.${then}` }];
}

// Stores, coupons and methods are judged by their ids in use, and no product can lack another record that it names.
function findRemovedRecords({ kinds }: Difference, comingHolidays: ReadonlySet<string>): Danger[] {
  const { products, shipping_rates: rates, holidays } = kinds;
  const coming = holidays.removed.filter((date) => comingHolidays.has(String(date)));
  const removed = { removed: coming, before: comingHolidays.size };
  return [
    ...describeRemoved('products_removed', 'products', products),
    ...(isEdit(rates, rates) ? [] : describeRemoved('shipping_rates_removed', 'shipping rates', rates)),
    ...(isEdit(removed, holidays) ? [] : describeRemoved('holidays_removed', 'holidays to come', removed)),
  ];
}

type Removed = { readonly removed: readonly RecordKey[]; readonly before: number };

const FEW_REMOVED = 2;

/** True if so few are removed that a person did it, though it may be 5 % of a small table; an empty one is an accident. */
const isEdit = ({ removed }: Removed, all: Difference['kinds'][ComparedKind]): boolean =>
  removed.length <= FEW_REMOVED && all.before + all.added.length > all.removed.length;

const REMOVED_PERCENT = 5;

function describeRemoved(code: Danger['code'], name: string, { removed, before }: Removed): Danger[] {
  if (removed.length * 100 <= before * REMOVED_PERCENT) return [];
  const what = `${removed.length} of ${before} ${name} are removed, which is more than ${REMOVED_PERCENT} %`;
  return dangerTo(removed, code, what);
}

const PRICE_PERCENT = 300;

function findPriceJumps({ prices }: Difference): Danger[] {
  const jumps = prices
    .filter((change) => isChangedBeyond(change, PRICE_PERCENT))
    .map(({ kind, id, before, after }) => `${kind} ${id} (${before} to ${after})`);
  const what = `Prices that change more than ${PRICE_PERCENT / 100} times: ${jumps.length}`;
  return dangerTo(jumps, 'prices_changed', what);
}

const USES = {
  payment_methods: 'Payment methods are removed that a client has',
  shipping_methods: 'Shipping methods are removed that have rates or are for pickup',
  stores: 'Stores are removed',
  coupons: 'Coupons are removed that are still valid',
} as const;
type UsedKind = keyof typeof USES;

const findRemovedIds = ({ kinds }: Difference, inUse: Readonly<Record<UsedKind, ReadonlySet<number>>>): Danger[] =>
  (Object.keys(USES) as UsedKind[]).flatMap((kind) => {
    const used = kinds[kind].removed.filter((id) => inUse[kind].has(Number(id)));
    return dangerTo(used, 'id_in_use_removed', USES[kind]);
  });

const CHANGES = ['added', 'removed', 'changed'] as const;

/** A product that differs between two versions. */
type ProductChange = {
  readonly id: RecordKey;
  /** The name and presentation, as the later version that has it says. */
  readonly name: string;
  readonly change: (typeof CHANGES)[number];
  /** The fields that differ, in the order of the alphabet; none of a product that was added or removed. */
  readonly fields: readonly string[];
};

/** Throws what `openCatalogFile` throws. */
function listProductChanges(before: string, after: string, { kinds }: Difference): ProductChange[] {
  const ids = CHANGES.flatMap((change) => kinds.products[change]);
  const [former, latter] = [readProducts(before, ids), readProducts(after, ids)];
  return CHANGES.flatMap((change) =>
    kinds.products[change].map((id) => {
      const [one, other] = [former.get(id), latter.get(id)];
      return { id, name: (other ?? one)?.name ?? '', change, fields: listChangedFields(one, other) };
    }),
  );
}

type NamedProduct = { readonly name: string; readonly fields: Readonly<Record<string, unknown>> };

function listChangedFields(before: NamedProduct | undefined, after: NamedProduct | undefined): string[] {
  if (!before || !after) return [];
  const names = Object.keys({ ...before.fields, ...after.fields });
  return names.filter((name) => !isDeepStrictEqual(before.fields[name], after.fields[name])).sort();
}

const readProducts = (file: string, ids: readonly RecordKey[]): Map<RecordKey, NamedProduct> =>
  readCatalogFile(file, (database) => {
    const query = `SELECT products.id, products.content, detail, bases.content ->> 'name' AS base
      FROM products JOIN bases ON bases.id = products.base WHERE products.id IN (SELECT value FROM json_each(?))`;
    return new Map(
      Array.from(database.prepare(query).iterate(JSON.stringify(ids)), ({ id, content, detail, base }) => {
        const fields = { ...JSON.parse(String(content), withoutTimes), ...JSON.parse(String(detail)) };
        return [Number(id), { name: `${base}, ${fields.presentation}`, fields }];
      }),
    );
  });

const TIMES: ReadonlySet<string> = new Set(['created_at', 'updated_at']);
const withoutTimes = (field: string, value: unknown): unknown => (TIMES.has(field) ? undefined : value);

type ComparedVersions = Comparison & {
  readonly products: readonly ProductChange[];
  /** The products that the later one does not know. */
  readonly forgotten: readonly number[];
};

type Versions = { readonly from: Pointer | undefined; readonly to: Pointer | undefined };

/** Compares two published versions; returns undefined if one of them is missing, damaged, or of an older format. */
export const compareVersions = ({ from, to }: Versions, bucket: CatalogBucket): Promise<ComparedVersions | undefined> =>
  withTempDir(async (temp) => {
    const before = await download(bucket, from, join(temp, 'before.sqlite'));
    const after = before && (await download(bucket, to, join(temp, 'after.sqlite')));
    const comparison = before && after && compareFiles(before, after, new Date());
    if (!comparison) return undefined;
    const products = listProductChanges(before, after, comparison.difference);
    return { ...comparison, products, forgotten: findLost(before, after) };
  });

async function download(bucket: CatalogBucket, pointer: Pointer | undefined, file: string) {
  const snapshot = pointer && (await downloadSnapshot(bucket, pointer, file));
  return snapshot && hasCurrentFormat(snapshot) ? snapshot : undefined;
}
