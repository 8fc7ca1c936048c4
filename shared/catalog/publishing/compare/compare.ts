import { readFileSync } from 'node:fs';
import type { Cents } from '../../../domain/money.ts';
import { readCents } from '../../file/records.ts';
import { hasCurrentFormat, readCatalogFile } from '../../file/snapshot.ts';
import {
  type CatalogContent,
  COMPARED_KINDS,
  type ComparedKind,
  type Offered,
  type RecordKey,
  readContent,
  readOffered,
} from './content.ts';
import { findFreed } from './sale-rules.ts';

/** A difference, with what the earlier version offers. */
export type Comparison = {
  readonly difference: Difference;
  readonly offered: Offered;
  /** The shipping methods that both have, and that the later one does not offer any more, as it has no rate of them. */
  readonly unrated: readonly number[];
  /** The products of both that the later one moves to another base, to a milder sanitary fraction, or frees of a prescription. */
  readonly freed: readonly number[];
  /** The products that the later one neither publishes nor keeps for orders, where it is to follow the earlier one. */
  readonly lost?: readonly number[];
};

/** Compares two catalog files; returns null if there is no earlier one, or one of an older format. */
export function compareFiles(before: string | null, after: string, now: Date): Comparison | null {
  if (before === null || !hasCurrentFormat(readFileSync(before))) return null;
  const difference = compareContents(readContent(before), readContent(after));
  const offered = readOffered(before, now);
  const unrated = findUnrated(offered, readOffered(after, now), difference);
  return { difference, offered, unrated, freed: findFreed(before, after) };
}

function findUnrated(before: Offered, after: Offered, { kinds }: Difference): number[] {
  const told = new Set([...after.shipping_methods, ...kinds.shipping_methods.removed]);
  return [...before.shipping_methods].filter((id) => !told.has(id));
}

/** Returns the products of the earlier file, withdrawn ones too, that the later one neither publishes nor keeps for orders. */
export function findLost(before: string, after: string): number[] {
  const kept = new Set(readProductIds(after));
  return readProductIds(before).filter((id) => !kept.has(id));
}

function readProductIds(file: string): number[] {
  const select = 'SELECT id FROM products UNION SELECT id FROM withdrawn ORDER BY id';
  const rows = readCatalogFile(file, (database) => database.prepare(select).all());
  return rows.map(({ id }) => Number(id));
}

/** The keys that differ between two versions, ascending, and how many records the earlier one has. */
type KindDifference = {
  readonly before: number;
  readonly added: readonly RecordKey[];
  readonly removed: readonly RecordKey[];
  readonly changed: readonly RecordKey[];
};

/** A price with two decimals that differs, of a record that both versions have. */
export type PriceChange = {
  readonly kind: ComparedKind;
  readonly id: RecordKey;
  readonly before: string;
  readonly after: string;
};

export type Difference = {
  readonly kinds: { readonly [Kind in ComparedKind]: KindDifference };
  /** The largest change first. */
  readonly prices: readonly PriceChange[];
};

/** Returns what a version adds, removes and changes; the times of records are not compared. */
export function compareContents(before: CatalogContent, after: CatalogContent): Difference {
  const kinds = COMPARED_KINDS.map((kind) => [kind, compareKind(before[kind], after[kind])]);
  const prices = COMPARED_KINDS.flatMap((kind) => listPriceChanges(kind, before[kind], after[kind]));
  return {
    kinds: Object.fromEntries(kinds) as Difference['kinds'],
    prices: prices.toSorted((a, b) => compareSizes(changeSize(b), changeSize(a))),
  };
}

type Records = CatalogContent[ComparedKind];

function compareKind(before: Records, after: Records): KindDifference {
  const kept = [...before.keys()].filter((key) => after.has(key));
  return {
    before: before.size,
    added: [...after.keys()].filter((key) => !before.has(key)),
    removed: [...before.keys()].filter((key) => !after.has(key)),
    changed: kept.filter((key) => before.get(key)?.fingerprint !== after.get(key)?.fingerprint),
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

// The smaller price may be 0, to which no number of times leads.
type Size = { readonly low: Cents; readonly high: Cents };

function changeSize({ before, after }: PriceChange): Size {
  const prices = [readCents(before), readCents(after)];
  return { low: Math.min(...prices), high: Math.max(...prices) };
}

function compareSizes(a: Size, b: Size): number {
  return a.high * b.low - b.high * a.low || a.high - b.high;
}

/** True if the higher price is more than this many percent of the lower one, whichever was first. */
export function isChangedBeyond(change: PriceChange, percent: number): boolean {
  const { low, high } = changeSize(change);
  return high * 100 > low * percent;
}

const LIMITS_PERCENT = [105, 120, 200, 300] as const;

/** The numbers of prices that rose and fell by up to this many percent of the lower price; the last size has no limit. */
export type PriceSize = { readonly upToPercent: number | null; readonly raised: number; readonly lowered: number };

/** Counts changes of prices by their size. */
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
