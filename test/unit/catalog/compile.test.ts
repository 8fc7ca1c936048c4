import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { productsContract } from '../../../shared/api/catalog/products.ts';
import type { Catalog } from '../../../shared/catalog/catalog.ts';
import { openCatalog } from '../../../shared/catalog/open.ts';
import { buildCatalog } from '../../../shared/catalog/publishing/compile/compile.ts';
import { toBarcode } from '../../support/catalogs/barcodes.ts';
import { catalogFolder, removeCatalogFolders, smallCatalog } from '../../support/catalogs/small-catalog.ts';

afterAll(removeCatalogFolders);

const FIRST = new Date('2026-11-01T12:00:00Z');
const LATER = new Date('2026-11-21T12:00:00Z');

type Build = { readonly file: string } & Exclude<Awaited<ReturnType<typeof buildCatalog>>, { errors: unknown }>;

async function build(
  records: ReturnType<typeof smallCatalog>,
  now: Date,
  previous: string | null = null,
): Promise<Build> {
  const folder = catalogFolder(records);
  const file = join(folder, 'catalog.sqlite');
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

const readTimes = (file: string, id: number) =>
  opened(file, (catalog) => {
    const product = catalog.productDetail(id);
    return [product?.created_at, product?.updated_at, product?.base?.updated_at];
  });

describe('a build', () => {
  it('reports errors and leaves the file alone', async () => {
    const records = smallCatalog();
    records.tags.push({ id: 2 });
    const outcome = await buildCatalog(catalogFolder(records), '/no/such/file', { previous: null, now: FIRST });
    expect(outcome).toEqual({
      errors: [{ file: 'tags.jsonl', line: 2, field: 'name', message: 'It is required.' }],
    });
  });

  it.each([
    [6, [0, 1]],
    [1_250, [0, 0.8, 1]],
  ])('of %i products reports its progress after every thousand: %j', async (products, expected) => {
    const records = smallCatalog();
    records.products = Array.from({ length: products }, (_, id) => ({
      ...records.products[0],
      id: id + 1,
      ean_key: toBarcode(id),
    }));
    const folder = catalogFolder(records);
    const steps: number[] = [];
    const onProgress = (done: number) => steps.push(done);
    await buildCatalog(folder, join(folder, 'catalog.sqlite'), { previous: null, now: FIRST, onProgress });
    expect(steps).toEqual(expected);
  });

  it('replaces an earlier file', async () => {
    const folder = catalogFolder(smallCatalog());
    const file = join(folder, 'catalog.sqlite');
    writeFileSync(file, 'no catalog');
    await buildCatalog(folder, file, { previous: null, now: FIRST });
    expect(opened(file, (catalog) => catalog.product(101)?.name)).toBe('Ácido fólico 5 mg');
  });

  it('may be of a catalog without products', async () => {
    const { file, products } = await build({ ...smallCatalog(), products: [] }, FIRST);
    expect(products).toBe(0);
    expect(opened(file, (catalog) => catalog.products(productsContract.query.parse({ search: 'x' })))).toEqual({
      count: 0,
      results: [],
    });
  });

  it('gives the same bytes for the same records in any order', async () => {
    const ordered = smallCatalog();
    for (const date of ['2026-01-01', '2026-02-02', '2026-05-01']) ordered.holidays.push({ date, name: 'Feriado' });
    for (const id of [2, 3, 4]) ordered.coupons.push({ id, code: `Menos${id}0`, value: id });
    const reversed = structuredClone(ordered);
    for (const lines of Object.values(reversed)) lines.reverse();
    const [first, second] = [await build(ordered, FIRST), await build(reversed, FIRST)];
    expect(readFileSync(first.file).equals(readFileSync(second.file))).toBe(true);
  });

  it('gives the same bytes later when nothing has changed since the published version', async () => {
    const first = await build(smallCatalog(), FIRST);
    const second = await build(smallCatalog(), LATER, first.file);
    expect(second.notes).toEqual(first.notes);
    expect(readFileSync(first.file).equals(readFileSync(second.file))).toBe(true);
  });
});

describe('a build without a time', () => {
  const buildAlone = async (records: ReturnType<typeof smallCatalog>) => {
    const folder = catalogFolder(records);
    const file = join(folder, 'catalog.sqlite');
    await buildCatalog(folder, file, { previous: null });
    return file;
  };

  it('gives the same bytes a day later', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: FIRST });
    const first = await buildAlone(smallCatalog());
    vi.setSystemTime(new Date('2026-11-02T12:00:00Z'));
    const second = await buildAlone(smallCatalog());
    vi.useRealTimers();
    expect(readFileSync(first).equals(readFileSync(second))).toBe(true);
  });

  it('gives records without times the latest time of the folder', async () => {
    expect(readTimes(await buildAlone(smallCatalog()), 101)).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2026-03-03T00:00:00.000Z',
      '2026-03-03T00:00:00.000Z',
    ]);
  });

  it('gives a folder without any times the earliest one', async () => {
    const records = smallCatalog();
    for (const record of Object.values(records).flat()) {
      delete record.created_at;
      delete record.updated_at;
    }
    expect(readTimes(await buildAlone(records), 101)).toEqual(Array(3).fill('1970-01-01T00:00:00.000Z'));
  });
});

describe('times of records that carry none', () => {
  it('are those of the build at first', async () => {
    const { file } = await build(smallCatalog(), FIRST);
    expect(readTimes(file, 101)).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2026-11-01T12:00:00.000Z',
      '2026-11-01T12:00:00.000Z',
    ]);
  });

  const NOTATION = { price: '30.50', is_active: true, created_at: undefined };
  it.each([
    ['are renewed when the record has changed', { price: '31.00' }, '2026-11-21T12:00:00.000Z'],
    ['stay when only the notation has changed', NOTATION, '2026-11-01T12:00:00.000Z'],
  ])('%s', async (_, fields, updatedAt) => {
    const first = await build(smallCatalog(), FIRST);
    const records = smallCatalog();
    Object.assign(records.products[1] ?? {}, fields);
    const second = await build(records, LATER, first.file);
    expect(readTimes(second.file, 102)).toEqual(['2026-01-02T00:00:00.000Z', updatedAt, '2026-11-01T12:00:00.000Z']);
  });

  it('are those of the build for a record that is new', async () => {
    const first = await build(smallCatalog(), FIRST);
    const records = smallCatalog();
    records.products.push({ ...records.products[0], id: 107, ean_key: toBarcode(107), created_at: undefined });
    const second = await build(records, LATER, first.file);
    expect(readTimes(second.file, 107).slice(0, 2)).toEqual(['2026-11-21T12:00:00.000Z', '2026-11-21T12:00:00.000Z']);
  });
});

describe('a product that is no longer in the folder', () => {
  const IMAGES = { image: '/suelta.png', album: { id: 1, images: [{ id: 1, image: 'https://cdn.example/a.png' }] } };
  const whole = () => {
    const records = smallCatalog();
    Object.assign(records.products[0] ?? {}, IMAGES);
    return records;
  };
  /** Product 101 with its base, category and company, which nothing else needs. */
  const without101 = () => {
    const records = whole();
    records.products = records.products.filter(({ id }) => id !== 101 && id !== 106);
    records.bases = records.bases.filter(({ id }) => id !== 10).map((base) => ({ ...base, category: 1 }));
    records.categories = records.categories.filter(({ id }) => id !== 2);
    records.companies = records.companies.filter(({ id }) => id !== 1);
    return records;
  };
  const EVERYTHING = productsContract.query.parse({});
  const PUBLISHED = productsContract.query.parse({ id__in: '101', ean_key__in: '7501000000012' });

  it('is kept in full as it was last published, but inactive and in no list', async () => {
    const { file } = await build(whole(), FIRST);
    const shown = opened(file, (catalog) => catalog.productDetail(101));
    const first = await build(whole(), FIRST);
    const second = await build(without101(), LATER, first.file);
    expect([first.withdrawn, second.withdrawn]).toEqual([0, 2]);
    expect(second.notes[0]).toBe(
      'Products of the published version that are withdrawn, and shown by their orders only: 2.',
    );
    opened(second.file, (catalog) => {
      expect(catalog.withdrawnProduct(101)).toEqual({ ...shown, is_active: false });
      expect(shown).toMatchObject({
        is_active: true,
        image: 'https://images.example/suelta.png',
        album: { images: [{ image: 'https://cdn.example/a.png' }] },
        base: { category: { name: 'Vitaminas' }, pharmaceutical_company: { name: 'Laboratorios Ánfora' } },
      });
      expect([catalog.product(101), catalog.productDetail(101)]).toEqual([undefined, undefined]);
      expect(catalog.products(EVERYTHING).results.map(({ id }) => id)).toEqual([105, 104, 103, 102]);
      expect(catalog.products({ ...EVERYTHING, search: 'fólico' }).count).toBe(0);
      expect(catalog.products(PUBLISHED).count).toBe(0);
    });
  });

  it('is kept by all later versions, until it is published again', async () => {
    const first = await build(whole(), FIRST);
    const second = await build(without101(), LATER, first.file);
    const third = await build(without101(), LATER, second.file);
    expect([third.withdrawn, readFileSync(third.file).equals(readFileSync(second.file))]).toEqual([2, true]);
    const records = without101();
    records.products = records.products.filter(({ id }) => id !== 102);
    const fourth = await build(records, LATER, third.file);
    const names = opened(fourth.file, (catalog) =>
      [101, 102, 106, 107].map((id) => catalog.withdrawnProduct(id)?.name),
    );
    expect(names).toEqual(['Ácido fólico 5 mg', 'acido  acetilsalicílico 500 mg', 'Ácido fólico 5 mg', undefined]);
    const fifth = await build(whole(), LATER, fourth.file);
    expect(fifth.withdrawn).toBe(0);
    opened(fifth.file, (catalog) => {
      expect([101, 102, 106].map((id) => catalog.product(id)?.is_active)).toEqual([true, true, true]);
      expect([101, 102, 106].map((id) => catalog.withdrawnProduct(id))).toEqual([undefined, undefined, undefined]);
    });
  });
});

describe('a published version that cannot be read', () => {
  it('counts as none, with a note', async () => {
    const file = join(catalogFolder({}), 'other.sqlite');
    writeFileSync(file, 'no catalog');
    const { notes } = await build(smallCatalog(), FIRST, file);
    expect(notes[0]).toBe(
      'The published version cannot be read, so that records without times of their own get that of this build, and orders do not show what this one withdraws.',
    );
  });
});

const PRESCRIBED = { active_ingredient: 'Clonazepam', is_generic: true, group_number: 2, requires_prescription: true };

describe('sanitary fractions', () => {
  const BARRED =
    'Products published inactive, since sanitary fractions I to III are not sold online: 1. 105 (Clonazepam 2 mg, Caja).';
  it.each([
    ['I', 1, [BARRED]],
    ['II', 2, [BARRED]],
    ['III', 3, [BARRED]],
    ['IV', 4, []],
    ['V', 5, []],
    ['VI', 6, []],
  ])('%s (group %i) makes a product inactive, with a note, or leaves it active', async (fraction, group, expected) => {
    const records = smallCatalog();
    const medical_information = {
      ...PRESCRIBED,
      active_ingredient: 'x',
      group_number: group,
      requires_prescription: group <= 4,
    };
    Object.assign(records.bases[4] ?? {}, { sanitary_fraction: fraction, medical_information });
    const { file, notes } = await build(records, FIRST);
    const isActive = opened(file, (catalog) => catalog.product(105)?.is_active);
    expect({ notes, isActive }).toEqual({ notes: expected, isActive: expected.length === 0 });
  });
});

describe('antibiotics', () => {
  type Written = { active_ingredient?: string; sanitary_fraction?: string; is_antibiotic?: boolean | null };
  const publish = async ({ active_ingredient = 'Amoxicilina', sanitary_fraction = 'IV', ...stated }: Written) => {
    const records = smallCatalog();
    const group_number = ['I', 'II', 'III', 'IV', 'V', 'VI'].indexOf(sanitary_fraction) + 1;
    const requires_prescription = group_number <= 4;
    const medical_information = { active_ingredient, is_generic: true, group_number, requires_prescription };
    Object.assign(records.bases[0] ?? {}, { medical_information, sanitary_fraction, ...stated });
    const { file } = await build(records, FIRST);
    return opened(file, (catalog) => {
      const base = catalog.productDetail(101)?.base ?? {};
      const { sanitaryFraction, isAntibiotic } = catalog.product(101) ?? {};
      return { sanitaryFraction, isAntibiotic, shown: 'is_antibiotic' in base || 'sanitary_fraction' in base };
    });
  };

  it.each<[string, Written, boolean]>([
    ['one by its active ingredient', {}, true],
    ['one of several active ingredients', { active_ingredient: 'Cloruro de benzalconio/NEOMICINA' }, true],
    ['none by its active ingredient', { active_ingredient: 'Paracetamol' }, false],
    ['one that the folder says is one', { active_ingredient: 'Extracto', is_antibiotic: true }, true],
    ['one that the folder says is none', { is_antibiotic: false }, false],
    ['one where the folder says null', { is_antibiotic: null }, true],
    ['none that is sold without a prescription', { sanitary_fraction: 'VI' }, false],
  ])('%s: %j', async (_, written, isAntibiotic) => {
    const { sanitary_fraction: sanitaryFraction = 'IV' } = written;
    expect(await publish(written)).toEqual({ sanitaryFraction, isAntibiotic, shown: false });
  });
});

describe('the review of what is published', () => {
  const review = async (change: (records: ReturnType<typeof smallCatalog>) => void) => {
    const records = smallCatalog();
    change(records);
    const { notes, review: found } = await build(records, FIRST);
    // The first note is that of product 105, of fraction II.
    return { notes: notes.slice(1), review: found };
  };
  const BARRED = { id: 105, name: 'Clonazepam 2 mg', presentation: 'Caja' };
  const NOTHING = {
    published_inactive: [BARRED],
    medicines_with_iva: [],
    goods_without_iva: [],
    controlled_substances_sold: [],
    sat_keys_unlisted: [],
    idle_synonyms: [],
  };

  it('finds nothing in medicines without IVA', async () => {
    expect(await review(() => undefined)).toEqual({ notes: [], review: NOTHING });
  });

  it('names medicines with IVA', async () => {
    const { notes, review: found } = await review(({ products }) =>
      Object.assign(products[4] ?? {}, { has_iva: true }),
    );
    expect(found).toEqual({ ...NOTHING, medicines_with_iva: [BARRED] });
    expect(notes).toEqual([
      'Medicines with IVA, though medicines have the rate of 0 % (LIVA art. 2-A I b): 1. 105 (Clonazepam 2 mg, Caja).',
    ]);
  });

  it('names other goods without IVA, and not those with it', async () => {
    const { notes, review: found } = await review(({ bases, products }) => {
      for (const base of bases.slice(0, 2)) Object.assign(base, { is_medicine: false, sanitary_fraction: null });
      Object.assign(products[1] ?? {}, { has_iva: true });
    });
    expect(found.goods_without_iva.map(({ id }) => id)).toEqual([101, 106]);
    expect(notes).toEqual([
      'Other goods without IVA, which only food and menstrual products are (LIVA art. 2-A I b and j): 2. 101 (Ácido fólico 5 mg, Caja), 106 (Ácido fólico 5 mg, Caja).',
    ]);
  });

  it('names controlled substances of a fraction that is sold online', async () => {
    const medical_information = { ...PRESCRIBED, group_number: 4 };
    const { notes, review: found } = await review(({ bases, products }) => {
      Object.assign(bases[3] ?? {}, { sanitary_fraction: 'IV', medical_information });
      Object.assign(products[3] ?? {}, { is_active: true });
    });
    expect(found).toEqual({
      ...NOTHING,
      controlled_substances_sold: [{ id: 104, name: 'Aspirina 500 mg', presentation: 'Caja' }],
    });
    expect(notes).toEqual([
      'Medicines sold online of a substance that LGS art. 234 or 245 controls, though fractions I to III are for these: 1. 104 (Aspirina 500 mg, Caja).',
    ]);
  });

  it("names keys that SAT's list lacks, unless the shop's own list has them", async () => {
    const unlisted = { sat_key: '51142099' };
    const found = await review(({ products }) => Object.assign(products[0] ?? {}, unlisted));
    expect(found.review.sat_keys_unlisted.map(({ id }) => id)).toEqual([101]);
    expect(found.notes).toEqual([
      "Products whose sat_key is not among SAT's keys as shipped, which an accountant should look at: 1. 101 (Ácido fólico 5 mg, Caja).",
    ]);
    const listed = await review(({ products, sat_product_keys }) => {
      Object.assign(products[0] ?? {}, unlisted);
      sat_product_keys.push({ key: '51142099', name: 'De la contadora' });
    });
    expect(listed).toEqual({ notes: [], review: NOTHING });
  });

  it('names synonyms of what no product has', async () => {
    const { notes, review: found } = await review(({ synonyms }) =>
      synonyms.push(
        { active_ingredient: 'CLONAZEPAM', synonyms: ['Ansiolítico'] },
        { active_ingredient: 'Paracetamól', synonyms: ['Acetaminofén'] },
      ),
    );
    expect(notes).toEqual(['Synonyms of active ingredients that no product has: 1. Paracetamól.']);
    expect(found.idle_synonyms).toEqual(['Paracetamól']);
  });

  it('names the first ten of each kind and lists all', async () => {
    const records = smallCatalog();
    const barred = records.products[4] as (typeof records.products)[number];
    const codes = ['0203', '0210', '0227', '0234', '0241', '0258'];
    for (const [index, code] of codes.entries())
      records.products.push({ ...barred, id: 201 + index, ean_key: `750100000${code}` });
    for (const product of records.products) Object.assign(product, { has_iva: true, base: barred.base });
    for (let at = 0; at < 12; at++) records.synonyms.push({ active_ingredient: `Nada ${at}`, synonyms: ['x'] });
    const { notes, review: found } = await build(records, FIRST);
    const ids = [101, 102, 103, 104, 105, 106, 201, 202, 203, 204, 205, 206];
    expect(found.published_inactive.map(({ id }) => id)).toEqual(ids.filter((id) => id !== 104));
    expect(found.medicines_with_iva.map(({ id }) => id)).toEqual(ids);
    expect(found.idle_synonyms).toHaveLength(12);
    expect(notes).toHaveLength(3);
    const [inactive, taxed, idle] = notes;
    expect(inactive).toMatch(/: 11\. 101 \(.*, 205 \(Clonazepam 2 mg, Caja\), and 1 more that --json lists\.$/);
    expect(taxed).toMatch(/: 12\. 101 \(.*, 204 \(Clonazepam 2 mg, Caja\), and 2 more that --json lists\.$/);
    expect(idle).toMatch(/: 12\. Nada 0, .*, Nada 9, and 2 more that --json lists\.$/);
  });
});
