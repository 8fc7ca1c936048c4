import type { DatabaseSync } from 'node:sqlite';
import type { Product } from '../../../api/catalog/products.ts';
import { toGtin14 } from '../../../domain/gtin.ts';
import { toGroupNumber } from '../../../domain/medicines.ts';
import type { Cents } from '../../../domain/money.ts';
import {
  COMPARED_KINDS,
  type ComparedKind,
  createRecordReader,
  type PublishedBase,
  readCents,
} from '../../file/records.ts';
import { hasCurrentFormat, readCatalogFile } from '../../file/snapshot.ts';

export type Comparison = {
  readonly difference: Difference;
  readonly offered: Offered;
  /** Shipping methods of both that the later one no longer offers, for lack of a rate. */
  readonly unrated: readonly number[];
  /** Products of both with another base, a milder sanitary fraction, or no prescription any more. */
  readonly lessRestricted: readonly number[];
};

export type Difference = {
  readonly kinds: { readonly [Kind in ComparedKind]: KindDifference };
  /** The largest change first. */
  readonly prices: readonly PriceChange[];
};

export type RecordKey = number | string;

/** The keys that differ, ascending; `before` counts the records of the earlier version. */
type KindDifference = {
  readonly before: number;
  readonly added: readonly RecordKey[];
  readonly removed: readonly RecordKey[];
  readonly changed: readonly RecordKey[];
};

export type PriceChange = {
  readonly kind: ComparedKind;
  readonly id: RecordKey;
  readonly before: string;
  readonly after: string;
};

/** Returns null without an earlier file, or if it has an older format. */
export function compareFiles(before: string | null, after: string, now: Date): Comparison | null {
  if (before === null || !hasCurrentFormat(before)) return null;
  const difference = readDifference(before, after);
  const offered = readOffered(before, now);
  const unrated = findUnrated(offered, readOffered(after, now), difference);
  return { difference, offered, unrated, lessRestricted: findLessRestricted(before, after) };
}

function findUnrated(before: Offered, after: Offered, { kinds }: Difference): number[] {
  const others = new Set([...after.shipping_methods, ...kinds.shipping_methods.removed]);
  return [...before.shipping_methods].filter((id) => !others.has(id));
}

/** Reads the later file, in which the tables of the earlier one have the prefix `earlier`. */
const readBoth = <Result>(before: string, after: string, read: (database: DatabaseSync) => Result): Result =>
  readCatalogFile(after, (database) => {
    database.prepare('ATTACH ? AS earlier').run(before);
    return read(database);
  });

/** Returns published and withdrawn products of the earlier file that the later one neither publishes nor keeps for orders. */
export const findLost = (before: string, after: string): number[] =>
  readBoth(before, after, (database) =>
    listKeys(
      database,
      `SELECT id AS key FROM earlier.products UNION SELECT id FROM earlier.withdrawn
        EXCEPT SELECT id FROM main.products EXCEPT SELECT id FROM main.withdrawn ORDER BY key`,
    ).map(Number),
  );

/** Returns what a version adds, removes and changes, apart from the times of records. */
export const readDifference = (before: string, after: string): Difference =>
  readBoth(before, after, (database) => {
    database.function('without_times', { deterministic: true }, (text) => String(text).replace(WRITTEN_TIMES, ''));
    const kinds = COMPARED_KINDS.map((kind) => [kind, readKindDifference(database, kind)]);
    const prices = COMPARED_KINDS.flatMap((kind) => readPriceChanges(database, kind));
    return {
      kinds: Object.fromEntries(kinds) as Difference['kinds'],
      prices: prices.toSorted((a, b) => compareSizes(changeSize(b), changeSize(a))),
    };
  });

// A record without times of its own has those of its build, which are no difference.
const WRITTEN_TIMES = /"(?:created_at|updated_at)":"[^"]*",?/g;

type FileName = 'earlier' | 'main';

/** A query of all records of a kind. A coupon is the same by its id, though its row has its code as the key. */
function selectRecords(kind: ComparedKind, file: FileName = 'main'): string {
  if (kind === 'products') return `SELECT id AS key, content, detail FROM ${file}.products`;
  if (kind === 'bases') return `SELECT id AS key, content, '' AS detail FROM ${file}.bases`;
  return `SELECT coalesce(content ->> 'id', key) AS key, content, '' AS detail FROM ${file}.records WHERE kind = '${kind}'`;
}

const listKeys = (database: DatabaseSync, query: string): RecordKey[] =>
  database
    .prepare(query)
    .all()
    .map(({ key }) => key as RecordKey);

function readKindDifference(database: DatabaseSync, kind: ComparedKind): KindDifference {
  const [before, after] = [selectRecords(kind, 'earlier'), selectRecords(kind)];
  const listMissing = (records: string, others: string) =>
    listKeys(database, `SELECT key FROM (${records}) EXCEPT SELECT key FROM (${others}) ORDER BY key`);
  return {
    before: Number(database.prepare(`SELECT count(*) AS count FROM (${before})`).get()?.count),
    added: listMissing(after, before),
    removed: listMissing(before, after),
    changed: listKeys(
      database,
      `SELECT key FROM (${before}) AS old JOIN (${after}) AS new USING (key)
        WHERE old.detail <> new.detail
          OR (old.content <> new.content AND without_times(old.content) <> without_times(new.content))
        ORDER BY key`,
    ),
  };
}

function readPriceChanges(database: DatabaseSync, kind: ComparedKind): PriceChange[] {
  const query = `SELECT key, old.content ->> 'price' AS before, new.content ->> 'price' AS after
    FROM (${selectRecords(kind, 'earlier')}) AS old JOIN (${selectRecords(kind)}) AS new USING (key)
    WHERE old.content <> new.content AND before <> after ORDER BY key`;
  const rows = database.prepare(query).all();
  return rows.map(({ key, before, after }) => {
    return { kind, id: key as RecordKey, before: String(before), after: String(after) };
  });
}

// The lower price may be 0, so that their ratio may be infinite.
type Size = { readonly low: Cents; readonly high: Cents };

function changeSize({ before, after }: PriceChange): Size {
  const prices = [readCents(before), readCents(after)];
  return { low: Math.min(...prices), high: Math.max(...prices) };
}

const compareSizes = (a: Size, b: Size): number => a.high * b.low - b.high * a.low || a.high - b.high;

export function isChangedBeyond(change: PriceChange, percent: number): boolean {
  const { low, high } = changeSize(change);
  return high * 100 > low * percent;
}

const LIMITS_PERCENT = [105, 120, 200, 300, null] as const;

/** Counts the prices raised and lowered by up to each percentage of the lower price; the last has no limit. */
export const countPriceSizes = (changes: readonly PriceChange[]) =>
  LIMITS_PERCENT.map((up_to_percent, at) => {
    const above = LIMITS_PERCENT[at - 1] ?? 100;
    const within = changes.filter(
      (change) => isChangedBeyond(change, above) && (up_to_percent === null || !isChangedBeyond(change, up_to_percent)),
    );
    const raised = within.filter(({ before, after }) => readCents(after) > readCents(before)).length;
    return { up_to_percent, raised, lowered: within.length - raised };
  });

/** The records with which clients can order today, apart from the payment methods of each client. */
export type Offered = {
  readonly stores: ReadonlySet<number>;
  /** Those with a rate, and the one for pickup. */
  readonly shipping_methods: ReadonlySet<number>;
  readonly coupons: ReadonlySet<number>;
  /** Dates from today on, which count in no delivery time. */
  readonly holidays: ReadonlySet<string>;
};

const readOffered = (file: string, now: Date): Offered =>
  readCatalogFile(file, (database) => {
    const { all } = createRecordReader(database);
    const rated = all('shipping_rates').map((rate) => rate.shipping_method);
    const pickup = all('shipping_methods').filter((method) => method.pickup);
    const dates = all('holidays').map(({ date }) => date);
    const lasting = all('coupons').filter(({ valid_until }) => valid_until === null || new Date(valid_until) >= now);
    return {
      stores: new Set(all('stores').map(({ id }) => id)),
      shipping_methods: new Set([...rated, ...pickup.map(({ id }) => id)]),
      coupons: new Set(lasting.map(({ id }) => id)),
      holidays: new Set(dates.filter((date) => date >= now.toISOString().slice(0, 10))),
    };
  });

type SaleRule = {
  readonly id: number;
  readonly gtin: string;
  readonly base: number | undefined;
  /** The number of its sanitary fraction, higher for milder ones; 7 for products that are no medicine. */
  readonly mildness: number;
  readonly isPrescribed: boolean;
};

/**
 * Returns the products that a later catalog file moves to another base or sells more freely: with a milder sanitary fraction or
 * without a prescription. A product is the same by id or barcode; earlier ones include the withdrawn.
 */
function findLessRestricted(before: string, after: string): number[] {
  const earlier = [...readWithdrawnRules(before), ...readPublishedRules(before)];
  const byId = new Map(earlier.map((rule) => [rule.id, rule]));
  const byGtin = new Map(earlier.map((rule) => [rule.gtin, rule]));
  const isFreer = (next: SaleRule, last: SaleRule | undefined): boolean =>
    last !== undefined && (last.mildness < next.mildness || (last.isPrescribed && !next.isPrescribed));
  return readPublishedRules(after)
    .filter((next) => {
      const last = byId.get(next.id);
      const isMoved = last !== undefined && last.base !== next.base;
      return isMoved || isFreer(next, last) || isFreer(next, byGtin.get(next.gtin));
    })
    .map(({ id }) => id);
}

function readPublishedRules(file: string): SaleRule[] {
  const select = `SELECT products.id, products.gtin, bases.content AS base
    FROM products JOIN bases ON bases.id = products.base ORDER BY products.id`;
  // As many texts of bases at once would take several hundred MB of 200,000 products.
  return readCatalogFile(file, (database) =>
    Array.from(database.prepare(select).iterate(), ({ id, gtin, base }) =>
      toSaleRule(Number(id), String(gtin), JSON.parse(String(base))),
    ),
  );
}

function readWithdrawnRules(file: string): SaleRule[] {
  const rows = readCatalogFile(file, (database) => database.prepare('SELECT content FROM withdrawn').all());
  return rows.map(({ content }) => {
    const product: Product = JSON.parse(String(content));
    return toSaleRule(product.id, toGtin14(product.ean_key), product.base ?? undefined);
  });
}

const NO_MEDICINE = 7;
type Base = Pick<PublishedBase, 'id' | 'is_medicine' | 'medical_information' | 'sanitary_fraction'>;

function toSaleRule(id: number, gtin: string, base: Base | undefined): SaleRule {
  const isPrescribed = base?.medical_information?.requires_prescription ?? false;
  return { id, gtin, base: base?.id, mildness: base ? readMildness(base) : 0, isPrescribed };
}

// A medicine without medical information needs no prescription; whether a withdrawn one was V or VI is unknown.
const readMildness = ({
  is_medicine,
  medical_information: medical,
  sanitary_fraction: fraction = 'VI',
}: Base): number => (is_medicine === 'true' ? (medical?.group_number ?? toGroupNumber(fraction)) : NO_MEDICINE);
