import {
  type Comparison,
  type Difference,
  isChangedBeyond,
  type PriceChange,
} from '../../../shared/catalog/compare/compare.ts';
import type { ComparedKind, Offered, RecordKey } from '../../../shared/catalog/compare/content.ts';
import type { ComparedFiles, Danger, Judge } from '../../../shared/catalog/publish/publish.ts';
import { type CatalogBucket, listPublishedVersions } from '../../../shared/catalog/publish/versions.ts';
import { listClients } from '../../../shared/store/access/clients.ts';
import type { Context } from '../context.ts';
import { untilInterrupted } from '../prompt.ts';
import { type ComparedVersions, compareVersions, listRecordChanges, type RecordChange } from './compare-versions.ts';

/** Returns why a difference is published with `--accept` only. */
export async function judgeDifference(
  { difference, offered, unrated, freed, lost = [] }: Comparison,
  context: Pick<Context, 'table'>,
): Promise<Danger[]> {
  // The table is asked only if it matters, as a catalog can be compared without one.
  const isAsked = difference.kinds.payment_methods.removed.length > 0;
  const clients = isAsked ? await listClients(context.table) : [];
  const payment_methods = new Set(clients.flatMap(({ paymentMethods }) => paymentMethods));
  return [
    ...findDangers(difference, { ...offered, payment_methods }),
    ...findUnratedMethods(unrated),
    // Which is a matter of law.
    ...dangerTo(freed, 'sold_more_freely', SOLD_MORE_FREELY),
    // Only a file can do that which was built beside the current version.
    ...dangerTo(lost, 'products_lost', `${LOST} the file`, ' `catalog build --onto-current` keeps them.'),
  ];
}

const SOLD_MORE_FREELY = 'Products go to another base, to a milder sanitary fraction, or need no prescription any more';

/** Returns a judge of folders and built files, which take the place of the whole current catalog. */
export const createFolderJudge =
  (bucket: CatalogBucket, context: Pick<Context, 'table'>): Judge =>
  async (comparison, files) => [
    ...(await judgeDifference(comparison, context)),
    ...(await findUndoneUpdates(comparison, files, bucket)),
  ];

/**
 * Returns what updates have changed since the last folder, and publishing this one would change again: the same fields, or the
 * whole product.
 */
async function findUndoneUpdates(
  { difference }: Comparison,
  { before, after }: ComparedFiles,
  bucket: CatalogBucket,
): Promise<Danger[]> {
  const { added, removed, changed } = difference.kinds.products;
  if (added.length + removed.length + changed.length === 0) return [];
  const updates = (await findUpdates(bucket)).filter(({ kind }) => kind === 'products');
  if (updates.length === 0) return [];
  const again = listRecordChanges(before, after, difference).filter(({ kind }) => kind === 'products');
  const changes = new Map(again.map((one) => [one.key, one]));
  const undone = updates.flatMap((update) => describeUndone(update, changes.get(update.key)));
  return dangerTo(undone, 'updates_undone', UNDONE);
}

const UNDONE = 'Products that `catalog update` or `shortage` has changed are changed again';

/** Names the product and its fields that a folder changes after an update did. */
function describeUndone(update: RecordChange, again: RecordChange | undefined): string[] {
  if (!again) return [];
  const isWhole = update.change !== 'changed' || again.change !== 'changed';
  const fields = again.change === 'changed' ? again.fields : [again.change];
  const undone = isWhole ? fields : fields.filter((field) => update.fields.includes(field));
  return undone.length === 0 ? [] : [`${update.key} (${[update.name, ...undone].join(', ')})`];
}

/** Returns what updates have changed since a folder was published. */
async function findUpdates(bucket: CatalogBucket): Promise<readonly RecordChange[]> {
  const { current, versions } = await listPublishedVersions(bucket);
  const records = new Map(versions.map((record) => [record.version, record]));
  let from = current;
  for (let record = records.get(from ?? ''); record?.is_update && record.difference; record = records.get(from ?? ''))
    from = record.difference.from;
  if (current === undefined || from === current) return [];
  const compared = await untilInterrupted((signal) =>
    compareVersions({ from, to: current, bucket, now: new Date(), signal }),
  );
  return compared.outcome === 'compared' ? compared.records : [];
}

/** Returns why one goes from a version to another with `--accept` only. */
export const judgeVersions = async (
  { forgotten, ...comparison }: ComparedVersions,
  context: Pick<Context, 'table'>,
): Promise<Danger[]> => [
  ...(await judgeDifference(comparison, context)),
  // It was published before them, and orders have copies.
  ...dangerTo(forgotten, 'products_lost', `${LOST} that version`, ' Such orders show the copies that they keep.'),
];

export const dangersText = (dangers: readonly Danger[]): string =>
  dangers.map(({ message }) => `- ${message}\n`).join('');

export type InUse = Offered & {
  /** Those of all clients. */
  readonly payment_methods: ReadonlySet<number>;
};

/** Returns why a difference looks like an accident, such as a file that was cut off; nothing if it does not. */
export function findDangers(difference: Difference, inUse: InUse): Danger[] {
  return [
    ...findRemovedRecords(difference, inUse),
    ...findPriceJumps(difference),
    ...findRemovedIds(difference, inUse),
  ];
}

const NAMED = 5;
// Somebody looks one by one at the changes of updates that a folder would undo.
const NAMED_UNDONE = 50;

/** Returns a danger to those that are named; nothing if none are. */
function dangerTo(names: readonly (string | number)[], code: Danger['code'], what: string, then = ''): Danger[] {
  if (names.length === 0) return [];
  const most = code === 'updates_undone' ? NAMED_UNDONE : NAMED;
  const rest = names.length > most ? `, and ${names.length - most} more` : '';
  return [{ code, message: `${what}: ${names.slice(0, most).join(', ')}${rest}.${then}` }];
}

const LOST = 'Products that orders may hold are neither published nor withdrawn in';

/** Returns that methods of delivery have no rate any more, so that they deliver nowhere. */
export const findUnratedMethods = (unrated: readonly number[]): Danger[] =>
  dangerTo(unrated, 'id_in_use_removed', 'Shipping methods lose all of their rates');

// Stores, coupons and methods are judged by their ids in use, and no product can lack another record that it names.
function findRemovedRecords({ kinds }: Difference, inUse: InUse): Danger[] {
  const { products, shipping_rates: rates, holidays } = kinds;
  const coming = holidays.removed.filter((date) => inUse.holidays.has(String(date)));
  const removed = { removed: coming, before: inUse.holidays.size };
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
  const jumps = prices.filter((change) => isChangedBeyond(change, PRICE_PERCENT));
  const what = `Prices that change more than ${PRICE_PERCENT / 100} times: ${jumps.length}`;
  return dangerTo(jumps.map(describePriceChange), 'prices_changed', what);
}

const describePriceChange = ({ kind, id, before, after }: PriceChange): string =>
  `${kind} ${id} (${before} to ${after})`;

const USES = {
  payment_methods: 'Payment methods are removed that a client has',
  shipping_methods: 'Shipping methods are removed that have rates or are for pickup',
  stores: 'Stores are removed',
  coupons: 'Coupons are removed that are still valid',
} as const satisfies { readonly [Kind in Exclude<keyof InUse, 'holidays'>]: string };

function findRemovedIds({ kinds }: Difference, inUse: InUse): Danger[] {
  return (Object.keys(USES) as (keyof typeof USES)[]).flatMap((kind) => {
    const used = kinds[kind].removed.filter((id) => inUse[kind].has(Number(id)));
    return dangerTo(used, 'id_in_use_removed', USES[kind]);
  });
}
