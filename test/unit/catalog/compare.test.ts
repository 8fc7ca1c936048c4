import { describe, expect, it } from 'vitest';
import {
  compareContents,
  countPriceSizes,
  type PriceChange,
} from '../../../shared/catalog/publishing/compare/compare.ts';
import type {
  CatalogContent,
  ComparedKind,
  ComparedRecord,
  Offered,
  RecordKey,
} from '../../../shared/catalog/publishing/compare/content.ts';
import { findDangers } from '../../../shared/catalog/publishing/compare/dangers.ts';
import { catalogFileNames } from '../../../shared/catalog/publishing/folder/folder.ts';

// What a version adds, removes and changes, and which differences look like an accident.

type InUse = Partial<Offered & { readonly payment_methods: ReadonlySet<number> }>;

const EMPTY = Object.fromEntries(catalogFileNames.map((kind) => [kind, new Map()])) as unknown as CatalogContent;
/** Returns a catalog with records of one kind, by their keys; the fingerprint of a priced record is its price. */
const content = (kind: ComparedKind, records: readonly (readonly [RecordKey, string])[]): CatalogContent => ({
  ...EMPTY,
  [kind]: new Map(records.map(([key, fingerprint]): [RecordKey, ComparedRecord] => [key, toRecord(fingerprint)])),
});
const toRecord = (fingerprint: string): ComparedRecord =>
  /\d/.test(fingerprint) ? { fingerprint, price: fingerprint } : { fingerprint };

const NONE: ReadonlySet<never> = new Set();

function codesOf(before: CatalogContent, after: CatalogContent, { payment_methods = NONE, ...inUse }: InUse = {}) {
  const offered = { stores: NONE, shipping_methods: NONE, coupons: NONE, holidays: NONE, ...inUse };
  const comparison = { difference: compareContents(before, after), offered, unrated: [], lessRestricted: [] };
  return findDangers(comparison, payment_methods).map(({ code }) => code);
}

const codesOfPrice = (before: string, after: string) =>
  codesOf(content('products', [[1, before]]), content('products', [[1, after]]));

/** Returns the dangers of a catalog that keeps some of its records of one kind. */
function codesOfKept(kind: ComparedKind, kept: readonly RecordKey[], all: readonly RecordKey[], inUse?: InUse) {
  const toContent = (keys: readonly RecordKey[]) =>
    content(
      kind,
      keys.map((key) => [key, 'a']),
    );
  return codesOf(toContent(all), toContent(kept), inUse);
}
const numbers = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

describe('the difference between two versions', () => {
  it('names what is added, removed and changed', () => {
    const { kinds, prices } = compareContents(
      content('holidays', [
        ['12-25', 'a'],
        ['01-01', 'b'],
        ['02-01', 'c'],
      ]),
      content('holidays', [
        ['12-25', 'a'],
        ['02-01', 'd'],
        ['03-15', 'e'],
      ]),
    );
    expect(kinds.holidays).toEqual({ before: 3, added: ['03-15'], removed: ['01-01'], changed: ['02-01'] });
    expect(kinds.products).toEqual({ before: 0, added: [], removed: [], changed: [] });
    expect(prices).toEqual([]);
  });

  it('lists changes of prices, the largest first, up or down', () => {
    const before = content('products', [
      [1, '10.00'],
      [2, '90.00'],
      [3, '5.00'],
      [4, '7.00'],
      [5, '8.00'],
    ]);
    const after = content('products', [
      [1, '12.00'],
      [2, '30.00'],
      [3, '0.00'],
      [4, '7.00'],
      [6, '8.00'],
    ]);
    expect(compareContents(before, after).prices).toEqual([
      { kind: 'products', id: 3, before: '5.00', after: '0.00' },
      { kind: 'products', id: 2, before: '90.00', after: '30.00' },
      { kind: 'products', id: 1, before: '10.00', after: '12.00' },
    ]);
  });

  it('counts changes of prices by their size', () => {
    const change = (before: string, after: string): PriceChange => ({ kind: 'products', id: 1, before, after });
    const changes = [
      ...[change('100.00', '105.00'), change('100.00', '105.01'), change('120.00', '100.00')],
      ...[change('100.00', '300.00'), change('300.01', '100.00'), change('0.00', '1.00')],
    ];
    expect(countPriceSizes(changes)).toEqual([
      { upToPercent: 105, raised: 1, lowered: 0 },
      { upToPercent: 120, raised: 1, lowered: 1 },
      { upToPercent: 200, raised: 0, lowered: 0 },
      { upToPercent: 300, raised: 1, lowered: 0 },
      { upToPercent: null, raised: 1, lowered: 1 },
    ]);
  });
});

describe('a danger', () => {
  it('is more than 5 % of the products removed', () => {
    expect(codesOfKept('products', numbers(40).slice(2), numbers(40))).toEqual([]);
    expect(codesOfKept('products', numbers(40).slice(3), numbers(40))).toEqual(['products_removed']);
  });

  it('is more than 5 % of the shipping rates removed, but not one or two of a few', () => {
    const kept = (rates: readonly number[], all: readonly number[]) => codesOfKept('shipping_rates', rates, all);
    expect([kept(numbers(84).slice(4), numbers(84)), kept([3], [1, 2, 3])]).toEqual([[], []]);
    expect([kept([1, 2, 3], numbers(84)), kept([4], [1, 2, 3, 4]), kept([], [1, 2])]).toEqual(
      Array(3).fill(['shipping_rates_removed']),
    );
  });

  it('is more than 5 % of the holidays to come removed, whatever becomes of those that are over', () => {
    const past = ['2026-01-01', '2026-02-02', '2026-03-16'];
    const coming = ['2026-12-25', '2027-01-01', '2027-02-01', '2027-03-15'];
    const kept = (days: readonly string[], all = [...past, ...coming]) =>
      codesOfKept('holidays', days, all, { holidays: new Set(coming) });
    expect([kept(coming), kept([...past, ...coming.slice(0, 2)]), kept([], past)]).toEqual([[], [], []]);
    expect(kept([...past, ...coming.slice(0, 1)])).toEqual(['holidays_removed']);
    expect(codesOfKept('holidays', [], ['12-25'], { holidays: new Set(['12-25']) })).toEqual(['holidays_removed']);
  });

  it('is a price that changes more than 3 times, up or down', () => {
    expect([codesOfPrice('100.00', '300.00'), codesOfPrice('300.00', '100.00')]).toEqual([[], []]);
    for (const after of ['300.01', '33.33', '0.00'])
      expect([after, codesOfPrice('100.00', after)]).toEqual([after, ['prices_changed']]);
  });

  it.each(['stores', 'shipping_methods', 'coupons', 'payment_methods'] as const)('is an id of %s in use', (kind) => {
    const inUse = { [kind]: new Set([1, 2]) };
    expect(codesOfKept(kind, [1], [1, 2, 3], inUse)).toEqual(['id_in_use_removed']);
    expect(codesOfKept(kind, [1, 2], [1, 2, 3], inUse)).toEqual([]);
  });
});
