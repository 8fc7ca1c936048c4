import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import type { ComparedKind } from '../../../shared/catalog/file/records.ts';
import {
  countPriceSizes,
  findLost,
  type Offered,
  type RecordKey,
  readDifference,
} from '../../../shared/catalog/publishing/compare/compare.ts';
import { findDangers } from '../../../shared/catalog/publishing/compare/dangers.ts';

// A comparison lists the additions, removals and changes of a version, and which of them look like an accident.

type InUse = Partial<Offered & { readonly payment_methods: ReadonlySet<number> }>;

const SCHEMA = readFileSync('shared/catalog/file/schema.sql', 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'compare-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
/** Writes a catalog file with records of one kind, by their keys, at a time of its own; that of a priced record is its price. */
function content(kind: ComparedKind, records: Readonly<Record<RecordKey, string>>, withdrawn: number[] = []): string {
  const file = join(folder, `${++files}.sqlite`);
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA synchronous = OFF; BEGIN; ${SCHEMA} INSERT INTO bases VALUES (1, '{}')`);
  for (const [key, text] of Object.entries(records)) {
    const times = { created_at: `2026-11-01T00:00:${files}Z`, updated_at: `2026-11-02T00:00:${files}Z` };
    const value = JSON.stringify({ ...(/\d/.test(text) ? { price: text } : { text }), ...times });
    if (kind === 'products')
      database.prepare("INSERT INTO products VALUES (?, 1, ?, ?, '{}')").run(Number(key), key, value);
    else database.prepare('INSERT INTO records VALUES (?, ?, ?)').run(kind, toKey(key), value);
  }
  for (const id of withdrawn) database.prepare("INSERT INTO withdrawn VALUES (?, '{}')").run(id);
  database.exec('COMMIT');
  database.close();
  return file;
}
const toKey = (key: string): RecordKey => (/^\d+$/.test(key) ? Number(key) : key);
const NONE: ReadonlySet<never> = new Set();

function codesOf(before: string, after: string, { payment_methods = NONE, ...inUse }: InUse = {}) {
  const offered = { stores: NONE, shipping_methods: NONE, coupons: NONE, holidays: NONE, ...inUse };
  const comparison = { difference: readDifference(before, after), offered, unrated: [], lessRestricted: [] };
  return findDangers(comparison, payment_methods).map(({ code }) => code);
}

/** Returns the dangers of a catalog that keeps some of its records of one kind. */
const codesOfKept = (kind: ComparedKind, kept: readonly RecordKey[], all: readonly RecordKey[], inUse?: InUse) => {
  const toContent = (keys: readonly RecordKey[]) => content(kind, Object.fromEntries(keys.map((key) => [key, 'a'])));
  return codesOf(toContent(all), toContent(kept), inUse);
};
const numbers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

describe('the difference between two versions', () => {
  it('names what is added, removed and changed', () => {
    const { kinds, prices } = readDifference(
      content('holidays', { '12-25': 'a', '01-01': 'b', '02-01': 'c' }),
      content('holidays', { '12-25': 'a', '02-01': 'd', '03-15': 'e' }),
    );
    expect(kinds.holidays).toEqual({ before: 3, added: ['03-15'], removed: ['01-01'], changed: ['02-01'] });
    expect(kinds.products).toEqual({ before: 0, added: [], removed: [], changed: [] });
    expect(prices).toEqual([]);
  });

  it('lists changes of prices, the largest first, up or down, and counts them by their size', () => {
    const { prices } = readDifference(
      content('products', { 1: '10.00', 2: '90.00', 3: '5.00', 4: '7.00', 5: '8.00' }),
      content('products', { 1: '12.00', 2: '30.00', 3: '0.00', 4: '7.00', 6: '8.00' }),
    );
    expect(prices).toEqual([
      { kind: 'products', id: 3, before: '5.00', after: '0.00' },
      { kind: 'products', id: 2, before: '90.00', after: '30.00' },
      { kind: 'products', id: 1, before: '10.00', after: '12.00' },
    ]);
    const changes = ['100.00 105.00', '100.00 105.01', '120.00 100.00', '100.00 300.00', '300.01 100.00', '0.00 1.00'];
    const sizes = countPriceSizes(
      changes.map((change) => {
        const [before = '', after = ''] = change.split(' ');
        return { kind: 'products', id: 1, before, after };
      }),
    );
    expect(sizes.map(({ up_to_percent, raised, lowered }) => [up_to_percent, raised, lowered])).toEqual([
      [105, 1, 0],
      [120, 1, 1],
      [200, 0, 0],
      [300, 1, 0],
      [null, 1, 1],
    ]);
  });
});

it('loses the products that were published or withdrawn, and are neither any more', () => {
  const before = content('products', { 1: 'a', 2: 'a', 3: 'a' }, [4, 5, 6]);
  expect(findLost(before, content('products', { 1: 'a', 4: 'a' }, [2, 5]))).toEqual([3, 6]);
});

describe('a danger', () => {
  it.each<[string, kind: ComparedKind, kept: number[], all: number[], boolean]>([
    ['5 % of the products removed', 'products', numbers(3, 40), numbers(1, 40), false],
    ['more than 5 % of the products removed', 'products', numbers(4, 40), numbers(1, 40), true],
    ['5 % of the shipping rates removed', 'shipping_rates', numbers(5, 84), numbers(1, 84), false],
    ['one or two of a few rates removed', 'shipping_rates', [3], [1, 2, 3], false],
    ['more than two of a few rates removed', 'shipping_rates', [4], [1, 2, 3, 4], true],
    ['nearly all rates removed', 'shipping_rates', [1, 2, 3], numbers(1, 84), true],
    ['all of a few rates removed', 'shipping_rates', [], [1, 2], true],
  ])('of %s', (_, kind, kept, all, isDanger) => {
    expect(codesOfKept(kind, kept, all)).toEqual(isDanger ? [`${kind}_removed`] : []);
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
    const codesOfPrice = (before: string, after: string) =>
      codesOf(content('products', { 1: before }), content('products', { 1: after }));
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
