import { hash } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { productsContract } from '../../../shared/api/catalog/products.ts';
import type { Catalog } from '../../../shared/catalog/catalog.ts';
import { readCatalogFile } from '../../../shared/catalog/file/snapshot.ts';
import { openCatalog } from '../../../shared/catalog/open.ts';
import { buildCatalog } from '../../../shared/catalog/publishing/compile/compile.ts';
import { unpackCatalog } from '../../../shared/catalog/publishing/compile/previous.ts';
import type { CatalogFile } from '../../../shared/catalog/publishing/folder/folder.ts';
import { quoteCatalog } from '../../support/catalogs/quote-catalog.ts';
import { catalogFolder, removeCatalogFolders, smallCatalog, toBarcode } from '../../support/catalogs/small-catalog.ts';

// A build gives the same bytes for the same records, keeps times and withdrawn products of the published version, and sells
// nothing of the sanitary fractions I to III. A catalog that is unpacked and built again is the same.
afterAll(removeCatalogFolders);

type Records = ReturnType<typeof smallCatalog>;
const FIRST = new Date('2026-11-01T12:00:00Z');
const LATER = new Date('2026-11-21T12:00:00Z');

/** Changes the record at a place of a file. */
const set =
  (file: CatalogFile, at: number, fields: object) =>
  (records: Records): void =>
    void Object.assign(records[file][at] ?? {}, fields);

/** Builds a catalog, by default without a time and a published version. */
async function build(records: Records | string, now?: Date, previous: string | null = null) {
  const folder = typeof records === 'string' ? records : catalogFolder(records);
  const file = join(catalogFolder({}), 'catalog.sqlite');
  const outcome = await buildCatalog(folder, file, { previous, now });
  if ('errors' in outcome) throw new Error(JSON.stringify(outcome.errors));
  return { file, ...outcome };
}

function opened<Answer>(file: string, ask: (catalog: Catalog) => Answer): Answer {
  const catalog = openCatalog(file, { version: 'v1', imageBaseUrl: 'https://images.example' });
  const answer = ask(catalog);
  catalog.close();
  return answer;
}
const isSame = (one: { file: string }, other: { file: string }): boolean =>
  readFileSync(one.file).equals(readFileSync(other.file));

/** Returns when a product was created and changed, and its base changed. */
const readTimes = ({ file }: { file: string }, id: number) =>
  opened(file, (catalog) => {
    const product = catalog.productDetail(id);
    return [product?.created_at, product?.updated_at, product?.base?.updated_at];
  });

describe('a build', () => {
  it('reports errors and leaves the file alone', async () => {
    const records = smallCatalog();
    records.tags.push({ id: 2 });
    const outcome = await buildCatalog(catalogFolder(records), '/no/such/file', { previous: null, now: FIRST });
    expect(outcome).toMatchObject({ errors: [{ file: 'tags.jsonl', line: 2, field: 'name' }] });
  });

  it('replaces an earlier file, and reports its progress after every thousand', async () => {
    const { products, ...records } = smallCatalog();
    const many = Array.from({ length: 1_250 }, (_, id) => ({ ...products[0], id: id + 1, ean_key: toBarcode(id) }));
    const file = join(catalogFolder({}), 'catalog.sqlite');
    writeFileSync(file, 'no catalog');
    const steps: number[] = [];
    const folder = catalogFolder({ ...records, products: many });
    await buildCatalog(folder, file, { previous: null, onProgress: (done) => steps.push(done) });
    expect(opened(file, (catalog) => catalog.product(1_250)?.name)).toBe('Ácido fólico 5 mg');
    expect(steps).toEqual([0, 0.8, 1]);
  });

  it('may be of a catalog without products', async () => {
    const { file, products } = await build({ ...smallCatalog(), products: [] }, FIRST);
    expect(products).toBe(0);
    expect(opened(file, (catalog) => catalog.products(productsContract.query.parse({ search: 'x' })).count)).toBe(0);
  });

  it('gives the same bytes for the same records in any order, and later when nothing has changed', async () => {
    const ordered = smallCatalog();
    for (const date of ['2026-01-01', '2026-02-02', '2026-05-01']) ordered.holidays.push({ date, name: 'Feriado' });
    for (const id of [2, 3, 4]) ordered.coupons.push({ id, code: `Menos${id}0`, value: id });
    const reversed = structuredClone(ordered);
    for (const lines of Object.values(reversed)) lines.reverse();
    const first = await build(ordered, FIRST);
    expect(isSame(first, await build(reversed, FIRST))).toBe(true);
    expect(isSame(first, await build(ordered, LATER, first.file))).toBe(true);
  });

  it('without a time gives the same bytes a day later, and records without times the latest time of the folder', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: FIRST });
    const first = await build(smallCatalog());
    vi.setSystemTime(new Date('2026-11-02T12:00:00Z'));
    expect(isSame(first, await build(smallCatalog()))).toBe(true);
    vi.useRealTimers();
    const [created, latest] = ['2026-01-01T00:00:00.000Z', '2026-03-03T00:00:00.000Z'];
    expect(readTimes(first, 101)).toEqual([created, latest, latest]);
    const timeless = smallCatalog();
    for (const record of Object.values(timeless).flat())
      Object.assign(record, { created_at: undefined, updated_at: undefined });
    expect(readTimes(await build(timeless), 101)).toEqual(Array(3).fill('1970-01-01T00:00:00.000Z'));
  });

  it('counts a published version that cannot be read as none, with a note', async () => {
    const file = join(catalogFolder({}), 'other.sqlite');
    writeFileSync(file, 'no catalog');
    const [readable, unreadable] = [await build(smallCatalog(), FIRST), await build(smallCatalog(), FIRST, file)];
    expect([unreadable.notes.length - readable.notes.length, isSame(readable, unreadable)]).toEqual([1, true]);
  });
});

describe('the times of a record that has none', () => {
  const [NOW, THEN] = ['2026-11-21T12:00:00.000Z', '2026-11-01T12:00:00.000Z'];
  const OWN = '2026-01-02T00:00:00.000Z';
  const NEW = { id: 107, ean_key: toBarcode(107), created_at: undefined };
  const REWRITTEN = { price: '30.50', is_active: true, created_at: undefined };
  it.each([
    ['are those of the build at first', 101, {}, ['2026-01-01T00:00:00.000Z', THEN, THEN]],
    ['are renewed when it has changed', 102, { price: '31.00' }, [OWN, NOW, THEN]],
    ['stay when only its notation has changed', 102, REWRITTEN, [OWN, THEN, THEN]],
    ['are those of the build when it is new', 107, NEW, [NOW, NOW, THEN]],
  ])('%s', async (_, id, fields, times) => {
    const first = await build(smallCatalog(), FIRST);
    const records = smallCatalog();
    set('products', 1, fields)(records);
    expect(readTimes(await build(records, LATER, first.file), id)).toEqual(times);
  });
});

describe('a product that is no longer in the folder', () => {
  const IMAGES = { image: '/suelta.png', album: { id: 1, images: [{ id: 1, image: 'https://cdn.example/a.png' }] } };
  const whole = () => {
    const records = smallCatalog();
    set('products', 0, IMAGES)(records);
    return records;
  };
  /** Leaves out products with the base, category and company of product 101, which nothing else needs. */
  const without = (...gone: number[]) => {
    const records = whole();
    records.products = records.products.filter(({ id }) => !gone.includes(Number(id)));
    records.bases = records.bases.filter(({ id }) => id !== 10).map((base) => ({ ...base, category: 1 }));
    records.categories = records.categories.filter(({ id }) => id !== 2);
    records.companies = records.companies.filter(({ id }) => id !== 1);
    return records;
  };
  it('is kept in full, but inactive and in no list, by all later versions until it is published again', async () => {
    const withdrawn = ({ file }: { file: string }) =>
      opened(file, (catalog) => [101, 102, 106, 107].filter((id) => catalog.withdrawnProduct(id)));
    const first = await build(whole(), FIRST);
    const shown = opened(first.file, (catalog) => catalog.productDetail(101));
    expect(shown).toMatchObject({
      image: 'https://images.example/suelta.png',
      base: { category: { name: 'Vitaminas' } },
    });
    const second = await build(without(101, 106), LATER, first.file);
    expect([first.withdrawn, second.withdrawn, second.notes.length - first.notes.length]).toEqual([0, 2, 1]);
    opened(second.file, (catalog) => {
      expect(catalog.withdrawnProduct(101)).toEqual({ ...shown, is_active: false });
      const queries = [{}, { search: 'fólico' }, { id__in: '101' }, { ean_key__in: '7501000000012' }];
      const counts = queries.map((query) => catalog.products(productsContract.query.parse(query)).count);
      expect([catalog.product(101), ...counts]).toEqual([undefined, 4, 0, 0, 0]);
    });
    const third = await build(without(101, 106), LATER, second.file);
    expect([withdrawn(third), isSame(second, third)]).toEqual([[101, 106], true]);
    const fourth = await build(without(101, 102, 106), LATER, third.file);
    expect(withdrawn(fourth)).toEqual([101, 102, 106]);
    const fifth = await build(whole(), LATER, fourth.file);
    expect(withdrawn(fifth)).toEqual([]);
    expect(opened(fifth.file, (catalog) => catalog.product(101)?.is_active)).toBe(true);
  });
});

const FRACTIONS = ['I', 'II', 'III', 'IV', 'V', 'VI'];
/** Returns the fields of a medicine of a sanitary fraction. */
const medicine = (sanitary_fraction: string, active_ingredient: string, more = {}) => {
  const group_number = FRACTIONS.indexOf(sanitary_fraction) + 1;
  const own = { active_ingredient, is_generic: true, group_number, requires_prescription: group_number <= 4 };
  return { sanitary_fraction, medical_information: own, ...more };
};
const NO_MEDICINE = { is_medicine: false, sanitary_fraction: null };

it.each(FRACTIONS)('a product of the sanitary fraction %s is sold online only from IV on', async (fraction) => {
  const records = smallCatalog();
  set('bases', 4, medicine(fraction, 'x'))(records);
  const { file, review } = await build(records, FIRST);
  const is_active = ['IV', 'V', 'VI'].includes(fraction);
  expect(opened(file, (catalog) => catalog.product(105))).toMatchObject({ is_active, sanitaryFraction: fraction });
  expect(review.published_inactive.map(({ id }) => id)).toEqual(is_active ? [] : [105]);
});

it.each<[string, object, boolean]>([
  ['one by its active ingredient', medicine('IV', 'Amoxicilina'), true],
  ['one of several active ingredients', medicine('IV', 'Cloruro de benzalconio/NEOMICINA'), true],
  ['none by its active ingredient', medicine('IV', 'Paracetamol'), false],
  ['one that the folder says is one', medicine('IV', 'Extracto', { is_antibiotic: true }), true],
  ['one that the folder says is none', medicine('IV', 'Amoxicilina', { is_antibiotic: false }), false],
  ['one where the folder says null', medicine('IV', 'Amoxicilina', { is_antibiotic: null }), true],
  ['none that is sold without a prescription', medicine('VI', 'Amoxicilina'), false],
])('an antibiotic, which only the counter sees: %s', async (_, fields, isAntibiotic) => {
  const records = smallCatalog();
  set('bases', 0, fields)(records);
  const { file } = await build(records, FIRST);
  opened(file, (catalog) => {
    expect(catalog.product(101)?.isAntibiotic).toBe(isAntibiotic);
    const shown = Object.keys(catalog.productDetail(101)?.base ?? {});
    expect(shown.filter((field) => ['is_antibiotic', 'sanitary_fraction'].includes(field))).toEqual([]);
  });
});

describe('the review of what is published', () => {
  const OWN_KEY = { key: '51142099', name: 'De la contadora' };
  const controlled = medicine('IV', 'Clonazepam');
  const synonyms = (active_ingredient: string) => ({ active_ingredient, synonyms: ['Otro'] });
  type Found = Readonly<Record<string, readonly (number | string)[]>>;
  type Change = (records: Records) => unknown;
  it.each<[string, Found, ...Change[]]>([
    ['nothing in medicines without IVA', {}],
    ['medicines with IVA', { medicines_with_iva: [105] }, set('products', 4, { has_iva: true })],
    [
      'other goods without IVA, and not those with it',
      { goods_without_iva: [101, 106] },
      ...[set('bases', 0, NO_MEDICINE), set('bases', 1, NO_MEDICINE), set('products', 1, { has_iva: true })],
    ],
    [
      'controlled substances of a fraction that is sold online, if they are sold',
      { controlled_substances_sold: [103] },
      ...[set('bases', 2, controlled), set('bases', 3, controlled)],
    ],
    ['keys of no list', { sat_keys_unlisted: [101] }, set('products', 0, { sat_key: '51142099' })],
    [
      "no key of the shop's own list",
      {},
      ...[set('products', 0, { sat_key: '51142099' }), (records: Records) => records.sat_product_keys.push(OWN_KEY)],
    ],
    [
      'synonyms of what no product has',
      { idle_synonyms: ['Paracetamól'] },
      (records: Records) => records.synonyms.push(synonyms('CLONAZEPAM'), synonyms('Paracetamól')),
    ],
  ])('finds %s', async (_, found, ...changes) => {
    const records = smallCatalog();
    for (const change of changes) change(records);
    const { notes, review } = await build(records, FIRST);
    const named = Object.entries(review).map(([name, items]) => [
      name,
      items.map((item) => (typeof item === 'string' ? item : item.id)),
    ]);
    const present = Object.fromEntries(named.filter(([, items]) => (items?.length ?? 0) > 0));
    expect(present).toEqual({ published_inactive: [105], ...found });
    expect(notes).toHaveLength(Object.keys(present).length);
  });
});

describe('an unpacked catalog', () => {
  const TABLES = ['bases', 'products', 'withdrawn', 'records', 'columns', 'stamps'];
  const hashRows = ({ file }: { file: string }): string =>
    readCatalogFile(file, (database) => {
      const rows = TABLES.map((table) => database.prepare(`SELECT * FROM ${table}`).all());
      return hash('sha256', JSON.stringify(rows));
    });

  /** Returns a catalog that leaves out what follows from the rest, or says it. */
  function terseCatalog() {
    const records = smallCatalog();
    set('bases', 0, medicine('IV', 'Amoxicilina'))(records);
    set('bases', 1, medicine('IV', 'X', { is_antibiotic: true }))(records);
    const { medical_information: own, ...base } = medicine('IV', 'Ampicilina', { is_antibiotic: false });
    set('bases', 2, { ...base, medical_information: { ...own, id: 99 } })(records);
    set('bases', 3, NO_MEDICINE)(records);
    records.synonyms.push({ active_ingredient: 'Amoxicilina', synonyms: ['Penicilina'] });
    records.sat_product_keys.push({ key: '51142099', name: 'De la contadora' });
    set('products', 0, { sat_key: '51142099', image: 'niño #1.png', max_quantity: 3 })(records);
    return records;
  }
  const demonstration = () => {
    const folder = catalogFolder({});
    cpSync('infra/local/demo-catalog', folder, { recursive: true });
    return folder;
  };

  it.each([
    ['of few words', () => catalogFolder(terseCatalog())],
    ['of quotes', () => catalogFolder(quoteCatalog())],
    ['of the demonstration', demonstration],
  ])('%s gives the same rows, with what it has withdrawn', async (_, makeFolder) => {
    const folder = makeFolder();
    const larger = terseCatalog();
    larger.products.push({ ...larger.products[1], id: 999_999, ean_key: '96385074' });
    const first = await build(folder, LATER, (await build(larger, LATER)).file);
    unpackCatalog(first.file, join(folder, 'unpacked'));
    const again = await build(join(folder, 'unpacked'), LATER, first.file);
    expect(hashRows(again)).toBe(hashRows(first));
    // The folder itself has changed nothing since, by the fingerprints of the file.
    expect(hashRows(await build(folder, LATER, again.file))).toBe(hashRows(first));
  });
});
