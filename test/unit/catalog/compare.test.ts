import { describe, expect, it } from 'vitest';
import {
  compareContents,
  countPriceSizes,
  type Difference,
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

type Rows = readonly (readonly [RecordKey, ComparedRecord])[];

const NOTHING = Object.fromEntries(catalogFileNames.map((kind) => [kind, new Map()])) as unknown as CatalogContent;
const content = (kind: ComparedKind, rows: Rows): CatalogContent => ({ ...NOTHING, [kind]: new Map(rows) });
const priced = (price: string): ComparedRecord => ({ fingerprint: price, price });
type InUse = Partial<Offered & { readonly payment_methods: ReadonlySet<number> }>;

const NONE: ReadonlySet<never> = new Set();
const NOTHING_OFFERED = { stores: NONE, shipping_methods: NONE, coupons: NONE, holidays: NONE };

function dangersOf(difference: Difference, { payment_methods = NONE, ...inUse }: InUse = {}) {
  const offered = { ...NOTHING_OFFERED, ...inUse };
  return findDangers({ difference, offered, unrated: [], lessRestricted: [] }, payment_methods);
}

/** Returns the dangers of a catalog in which a product has another price. */
const dangersOfPrice = (before: string, after: string) =>
  dangersOf(compareContents(content('products', [[1, priced(before)]]), content('products', [[1, priced(after)]])));

/** Returns the dangers of a catalog that keeps some of its records of one kind. */
function dangersOfKept(kind: ComparedKind, kept: readonly RecordKey[], all: readonly RecordKey[], inUse?: InUse) {
  const toContent = (keys: readonly RecordKey[]) =>
    content(
      kind,
      keys.map((key) => [key, { fingerprint: 'a' }]),
    );
  return dangersOf(compareContents(toContent(all), toContent(kept)), inUse);
}
const numbers = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

describe('the difference between two versions', () => {
  it('names what is added, removed and changed', () => {
    const holidays = (days: Readonly<Record<string, string>>) =>
      content(
        'holidays',
        Object.entries(days).map(([day, fingerprint]) => [day, { fingerprint }]),
      );
    const { kinds, prices } = compareContents(
      holidays({ '2026-12-25': 'a', '2027-01-01': 'b', '2027-02-01': 'c' }),
      holidays({ '2026-12-25': 'a', '2027-02-01': 'd', '2027-03-15': 'e' }),
    );
    expect(kinds.holidays).toEqual({
      before: 3,
      added: ['2027-03-15'],
      removed: ['2027-01-01'],
      changed: ['2027-02-01'],
    });
    expect(kinds.products).toEqual({ before: 0, added: [], removed: [], changed: [] });
    expect(prices).toEqual([]);
  });

  it('lists changes of prices, the largest first, up or down', () => {
    const products = (prices: Readonly<Record<number, string>>) =>
      content(
        'products',
        Object.entries(prices).map(([id, price]) => [Number(id), priced(price)]),
      );
    const before = products({ 1: '10.00', 2: '90.00', 3: '5.00', 4: '7.00', 5: '8.00' });
    const after = products({ 1: '12.00', 2: '30.00', 3: '0.00', 4: '7.00', 6: '8.00' });
    expect(compareContents(before, after).prices).toEqual([
      { kind: 'products', id: 3, before: '5.00', after: '0.00' },
      { kind: 'products', id: 2, before: '90.00', after: '30.00' },
      { kind: 'products', id: 1, before: '10.00', after: '12.00' },
    ]);
  });

  it('counts changes of prices by their size', () => {
    const change = (before: string, after: string): PriceChange => ({ kind: 'products', id: 1, before, after });
    const changes = [
      change('100.00', '105.00'),
      change('100.00', '105.01'),
      change('120.00', '100.00'),
      change('100.00', '300.00'),
      change('300.01', '100.00'),
      change('0.00', '1.00'),
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
    expect(dangersOfKept('products', numbers(40).slice(2), numbers(40))).toEqual([]);
    expect(dangersOfKept('products', numbers(40).slice(3), numbers(40))).toEqual([
      { code: 'products_removed', message: '3 of 40 products are removed, which is more than 5 %: 1, 2, 3.' },
    ]);
  });

  it('is more than 5 % of the shipping rates removed, but not one or two of a few', () => {
    expect(dangersOfKept('shipping_rates', numbers(84).slice(4), numbers(84))).toEqual([]);
    expect(dangersOfKept('shipping_rates', [1, 2, 3], numbers(84))).toEqual([
      {
        code: 'shipping_rates_removed',
        message: '81 of 84 shipping rates are removed, which is more than 5 %: 4, 5, 6, 7, 8, and 76 more.',
      },
    ]);
    expect(dangersOfKept('shipping_rates', [3], [1, 2, 3])).toEqual([]);
    expect(dangersOfKept('shipping_rates', [4], [1, 2, 3, 4]).map(({ message }) => message)).toEqual([
      '3 of 4 shipping rates are removed, which is more than 5 %: 1, 2, 3.',
    ]);
    expect(dangersOfKept('shipping_rates', [], [1, 2]).map(({ message }) => message)).toEqual([
      '2 of 2 shipping rates are removed, which is more than 5 %: 1, 2.',
    ]);
  });

  it('is more than 5 % of the holidays to come removed, whatever becomes of those that are over', () => {
    const past = ['2026-01-01', '2026-02-02', '2026-03-16'];
    const coming = ['2026-12-25', '2027-01-01', '2027-02-01', '2027-03-15'];
    const dangersOfDays = (kept: readonly string[], all = [...past, ...coming]) =>
      dangersOfKept('holidays', kept, all, { holidays: new Set(coming) });
    expect(dangersOfDays(coming)).toEqual([]);
    expect(dangersOfDays([...past, ...coming.slice(0, 2)])).toEqual([]);
    expect(dangersOfDays([...past, ...coming.slice(0, 1)])).toEqual([
      {
        code: 'holidays_removed',
        message: '3 of 4 holidays to come are removed, which is more than 5 %: 2027-01-01, 2027-02-01, 2027-03-15.',
      },
    ]);
    expect(dangersOfKept('holidays', [], ['2026-12-25'], { holidays: new Set(['2026-12-25']) })).toEqual([
      { code: 'holidays_removed', message: '1 of 1 holidays to come are removed, which is more than 5 %: 2026-12-25.' },
    ]);
    expect(dangersOfDays([], past)).toEqual([]);
  });

  it('is a price that changes more than 3 times, up or down', () => {
    expect(dangersOfPrice('100.00', '300.00')).toEqual([]);
    expect(dangersOfPrice('300.00', '100.00')).toEqual([]);
    expect(dangersOfPrice('100.00', '300.01')).toEqual([
      { code: 'prices_changed', message: 'Prices that change more than 3 times: 1: products 1 (100.00 to 300.01).' },
    ]);
    expect(dangersOfPrice('100.00', '33.33').map(({ code }) => code)).toEqual(['prices_changed']);
    expect(dangersOfPrice('100.00', '0.00').map(({ code }) => code)).toEqual(['prices_changed']);
  });

  it.each([
    ['stores', 'Stores are removed: 2.'],
    ['shipping_methods', 'Shipping methods are removed that have rates or are for pickup: 2.'],
    ['coupons', 'Coupons are removed that are still valid: 2.'],
    ['payment_methods', 'Payment methods are removed that a client has: 2.'],
  ] as const)('is an id of %s removed that is in use', (kind, message) => {
    const inUse = { [kind]: new Set([1, 2]) };
    expect(dangersOfKept(kind, [1], [1, 2, 3], inUse)).toEqual([{ code: 'id_in_use_removed', message }]);
    expect(dangersOfKept(kind, [1, 2], [1, 2, 3], inUse)).toEqual([]);
  });
});
