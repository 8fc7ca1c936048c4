import { hash } from 'node:crypto';
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

/** The numbers of prices raised and lowered by up to this percentage of the lower price; null for no limit. */
export type PriceSize = { readonly upToPercent: number | null; readonly raised: number; readonly lowered: number };

type Records = CatalogContent[ComparedKind];

// The lower price may be 0, so that their ratio may be infinite.
type Size = { readonly low: Cents; readonly high: Cents };

/** Returns null without an earlier file, or if it has an older format. */
export function compareFiles(before: string | null, after: string, now: Date): Comparison | null {
  if (before === null || !hasCurrentFormat(before)) return null;
  const difference = compareContents(readContent(before), readContent(after));
  const offered = readOffered(before, now);
  const unrated = findUnrated(offered, readOffered(after, now), difference);
  return { difference, offered, unrated, lessRestricted: findLessRestricted(before, after) };
}

function findUnrated(before: Offered, after: Offered, { kinds }: Difference): number[] {
  const others = new Set([...after.shipping_methods, ...kinds.shipping_methods.removed]);
  return [...before.shipping_methods].filter((id) => !others.has(id));
}

/** Returns published and withdrawn products of the earlier file that the later one neither publishes nor keeps for orders. */
export function findLost(before: string, after: string): number[] {
  const remaining = new Set(readProductIds(after));
  return readProductIds(before).filter((id) => !remaining.has(id));
}

function readProductIds(file: string): number[] {
  const select = 'SELECT id FROM products UNION SELECT id FROM withdrawn ORDER BY id';
  const rows = readCatalogFile(file, (database) => database.prepare(select).all());
  return rows.map(({ id }) => Number(id));
}

/** Returns what a version adds, removes and changes, apart from the times of records. */
export function compareContents(before: CatalogContent, after: CatalogContent): Difference {
  const kinds = COMPARED_KINDS.map((kind) => [kind, compareKind(before[kind], after[kind])]);
  const prices = COMPARED_KINDS.flatMap((kind) => listPriceChanges(kind, before[kind], after[kind]));
  return {
    kinds: Object.fromEntries(kinds) as Difference['kinds'],
    prices: prices.toSorted((a, b) => compareSizes(changeSize(b), changeSize(a))),
  };
}

function compareKind(before: Records, after: Records): KindDifference {
  const common = [...before.keys()].filter((key) => after.has(key));
  return {
    before: before.size,
    added: [...after.keys()].filter((key) => !before.has(key)),
    removed: [...before.keys()].filter((key) => !after.has(key)),
    changed: common.filter((key) => before.get(key)?.fingerprint !== after.get(key)?.fingerprint),
  };
}

function listPriceChanges(kind: ComparedKind, before: Records, after: Records): PriceChange[] {
  return [...before].flatMap(([id, { price }]) => {
    const next = after.get(id)?.price;
    return price === undefined || next === undefined || price === next
      ? []
      : [{ kind, id, before: price, after: next }];
  });
}

function changeSize({ before, after }: PriceChange): Size {
  const prices = [readCents(before), readCents(after)];
  return { low: Math.min(...prices), high: Math.max(...prices) };
}

const compareSizes = (a: Size, b: Size): number => a.high * b.low - b.high * a.low || a.high - b.high;

/** True if the higher price exceeds this percentage of the lower one, whichever came first. */
export function isChangedBeyond(change: PriceChange, percent: number): boolean {
  const { low, high } = changeSize(change);
  return high * 100 > low * percent;
}

const LIMITS_PERCENT = [105, 120, 200, 300] as const;

export function countPriceSizes(changes: readonly PriceChange[]): PriceSize[] {
  const limits: readonly (number | null)[] = [...LIMITS_PERCENT, null];
  return limits.map((limit, at) => {
    const above = limits[at - 1] ?? 100;
    const within = changes.filter(
      (change) => isChangedBeyond(change, above) && (limit === null || !isChangedBeyond(change, limit)),
    );
    const raised = within.filter(({ before, after }) => readCents(after) > readCents(before)).length;
    return { upToPercent: limit, raised, lowered: within.length - raised };
  });
}

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

export type RecordKey = number | string;
/** The fingerprint leaves out the record's times. */
export type ComparedRecord = { readonly fingerprint: string; readonly price?: string };
export type CatalogContent = { readonly [Kind in ComparedKind]: ReadonlyMap<RecordKey, ComparedRecord> };

export function readContent(file: string): CatalogContent {
  return readCatalogFile(file, (database) => {
    const entries = COMPARED_KINDS.map((kind) => [kind, readKind(database, kind)]);
    return Object.fromEntries(entries) as CatalogContent;
  });
}

export type Fields = {
  readonly id?: number;
  readonly date?: string;
  readonly active_ingredient?: string;
  readonly key?: string;
  readonly price?: string;
};

export const toRecordKey = ({ id, date, active_ingredient, key = '' }: Fields): RecordKey =>
  id ?? date ?? active_ingredient ?? key;

function readKind(database: DatabaseSync, kind: ComparedKind): Map<RecordKey, ComparedRecord> {
  const records = new Map<RecordKey, ComparedRecord>();
  for (const { content, detail } of selectRows(database, kind)) {
    const text = String(content);
    const fields: Fields = JSON.parse(text);
    const fingerprint = hash('sha256', `${text.replace(WRITTEN_TIMES, '')}\n${detail}`, 'base64url').slice(0, 22);
    records.set(toRecordKey(fields), { fingerprint, ...(fields.price !== undefined && { price: fields.price }) });
  }
  return records;
}

export function selectRows(database: DatabaseSync, kind: ComparedKind) {
  if (kind === 'products') return database.prepare('SELECT content, detail FROM products ORDER BY id').iterate();
  if (kind === 'bases') return database.prepare('SELECT content, NULL AS detail FROM bases ORDER BY id').iterate();
  return database.prepare('SELECT content, NULL AS detail FROM records WHERE kind = ? ORDER BY key').iterate(kind);
}

// A record without times of its own has those of its build, which are no difference. Reading 50,000 products takes 0.8 s
// this way, and 1.4 s if each is parsed with a reviver and written again.
const WRITTEN_TIMES = /"(?:created_at|updated_at)":"[^"]*",?/g;

/** The records with which clients can order today, apart from the payment methods of each client. */
export type Offered = {
  readonly stores: ReadonlySet<number>;
  /** Those with a rate, and the one for pickup. */
  readonly shipping_methods: ReadonlySet<number>;
  readonly coupons: ReadonlySet<number>;
  /** Dates from today on, which count in no delivery time. */
  readonly holidays: ReadonlySet<string>;
};

export function readOffered(file: string, now: Date): Offered {
  return readCatalogFile(file, (database) => {
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
}
