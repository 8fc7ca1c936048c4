import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { substitutesContract } from '../../../shared/api/catalog/products.ts';
import { openCatalog } from '../../../shared/catalog/open.ts';
import { compileCatalog } from '../../../shared/catalog/publishing/compile/compile.ts';
import { readCatalogFolder } from '../../../shared/catalog/publishing/folder/check.ts';
import { readForm } from '../../../shared/domain/medicines.ts';
import { toBarcode } from '../../support/catalogs/barcodes.ts';
import { generateCatalogFolder } from '../../support/catalogs/generated-catalog.ts';
import {
  catalogFolder,
  openRecords,
  removeCatalogFolders,
  smallCatalog,
} from '../../support/catalogs/small-catalog.ts';

// Substitutes have the same ingredients and need of a prescription, and can be bought now; the cheapest is first.

const NOW = new Date('2026-11-21T12:00:00Z');

const base = (id: number, sanitary_fraction: string | null, active_ingredient: string | null) => ({
  id,
  name: `Base ${id}`,
  category: 1,
  pharmaceutical_company: 1,
  is_medicine: sanitary_fraction !== null,
  sanitary_fraction,
  medical_information: active_ingredient !== null && {
    active_ingredient,
    is_generic: true,
    group_number: sanitary_fraction === 'IV' ? 4 : sanitary_fraction === 'II' ? 2 : 6,
    requires_prescription: ['II', 'IV'].includes(sanitary_fraction ?? ''),
  },
});
const product = (id: number, base: number, price: string, more = {}) => ({
  ...smallCatalog().products[0],
  id,
  base,
  price,
  presentation: 'Caja con 20 tabletas',
  ean_key: toBarcode(id),
  ...more,
});

const catalog = await openRecords({
  ...smallCatalog(),
  bases: [
    base(1, 'IV', 'Amoxicilina'),
    base(2, 'IV', 'Amoxicilina y ácido clavulánico'),
    base(3, 'IV', 'ÁCIDO  CLAVULANICO / amoxicilina'),
    base(4, 'VI', 'Ibuprofeno'),
    base(5, 'IV', 'Ibuprofeno'),
    base(6, 'VI', 'ibuprofeno'),
    base(7, null, null),
    base(8, 'VI', null),
    base(9, 'VI', ''),
    base(10, 'VI', ' '),
    base(11, null, 'Ibuprofeno'),
    base(12, 'II', 'Codeína'),
  ].map((one) => ({ ...one, medical_information: one.medical_information || null })),
  products: [
    product(101, 1, '100.00'),
    product(102, 2, '250.00'),
    product(103, 3, '199.50'),
    product(104, 3, '300.00'),
    product(105, 4, '40.00'),
    product(106, 6, '40.00'),
    product(107, 6, '35.10'),
    product(108, 4, '20.00', { is_active: false }),
    product(109, 4, '10.00', { has_shortage: true }),
    product(110, 5, '30.00'),
    product(111, 7, '1.00'),
    product(112, 8, '1.00'),
    product(113, 9, '1.00'),
    product(114, 10, '1.00'),
    product(115, 11, '5.00'),
    product(116, 12, '70.00'),
    product(117, 12, '60.00'),
  ],
});
afterAll(removeCatalogFolders);

const ask = (id: number, parameters: Record<string, string> = {}) =>
  catalog.substitutes(id, substitutesContract.query.parse(parameters));
const list = (id: number, parameters?: Record<string, string>) => {
  const found = ask(id, parameters);
  return [found?.count, ...(found?.results ?? []).map((one) => `${one.id}: ${one.saving ?? 'none'}`)];
};

describe('the substitutes of a product', () => {
  it.each<[string, number, ReturnType<typeof list>]>([
    ['has its ingredients in any order and spelling', 102, [2, '103: 50.50', '104: -50.00']],
    ['is another product', 103, [2, '102: -50.50', '104: -100.50']],
    ['has all of its ingredients and no more', 101, [0]],
    ['can be bought and is in stock', 105, [2, '107: 4.90', '106: 0.00']],
    ['is the cheapest first, then by id', 109, [3, '107: -25.10', '105: -30.00', '106: -30.00']],
    ['also stands for what cannot be bought', 108, [3, '107: -15.10', '105: -20.00', '106: -20.00']],
    ['needs a prescription as it does', 110, [0]],
    ['is none of what is no medicine', 111, [0]],
    ['is none of a medicine without medical information', 112, [0]],
    ['is none of a medicine without an ingredient', 113, [0]],
    ['is none of what is no medicine, whatever its ingredient', 115, [0]],
    ['is none that may not be sold online', 116, [0]],
  ])('%s: %i', (_, id, found) => {
    expect(list(id)).toEqual(found);
  });

  it('are undefined if there is no such product', () => {
    expect([0, 100, 118, 999_999_999_999_999].map((id) => ask(id))).toEqual(Array(4).fill(undefined));
    expect(catalog.cheapestSubstitute(100)).toBeUndefined();
  });

  it('begin with the one that an order names', () => {
    expect(catalog.cheapestSubstitute(109)).toMatchObject({ id: 107, name: 'Base 6', priceCents: 3_510 });
    expect(catalog.cheapestSubstitute(110)).toBeUndefined();
  });
});

describe('the saving of a substitute', () => {
  /** Returns what 100.00 for the first package saves when it is replaced by the second for 60.00. */
  const savingOf = async (presentation: string, other: string): Promise<string | undefined> => {
    const products = [product(101, 1, '100.00', { presentation }), product(102, 1, '60.00', { presentation: other })];
    const opened = await openRecords({ ...smallCatalog(), bases: [base(1, 'IV', 'Amoxicilina')], products });
    const [found] = opened.substitutes(101, substitutesContract.query.parse({}))?.results ?? [];
    expect(found?.id).toBe(102);
    return found?.saving;
  };

  it.each<[string, string, string | undefined]>([
    ['Caja con 20 tabletas', 'Caja con 20 tabletas', '40.00'],
    ['Caja con 20 tabletas', 'Caja con 10 tabletas', '-20.00'],
    ['Caja con 10 tabletas', 'Caja con 30 tabletas', '80.00'],
    ['Caja con 7 perlas', 'Frasco con 12 Cápsulas', '65.00'],
    ['Caja con 7 grageas', 'c/9 TABS', '53.33'],
    ['Frasco con 120 mL', 'Frasco con 60ml', '-20.00'],
    ['Tubo con 30 g', 'Tubo con 15 gr', '-20.00'],
    ['Caja con 5 ampolletas de 2 mL', 'Caja con 1 ampolleta de 2 mL', '-200.00'],
    // It is left out of packages that cannot be compared.
    ['Caja con 5 ampolletas de 2 mL', 'Caja con 5 ampolletas de 5 mL', undefined],
    ['Caja con 2 frascos con 10 tabletas', 'Caja con 20 tabletas', undefined],
    ['Caja con 0 tabletas', 'Caja con 20 tabletas', undefined],
    ['Caja con 20 tabletas', 'Caja con 0 tabletas', undefined],
    ['Caja con 2x10 tabletas', 'Caja con 2x14 tabletas', undefined],
    ['Caja con 2 x 10 tabletas', 'Caja con 2 x 14 tabletas', undefined],
    ['Caja con 28 tabletas', 'Caja con 21 + 7 tabletas', undefined],
    ['Tabletas de 500 mg', 'Tabletas de 250 mg', undefined],
    ['Jarabe 15 mg/mL', 'Jarabe 30 mg/mL', undefined],
  ])('of %j by %j is %s', async (presentation, other, saving) => {
    expect(await savingOf(presentation, other)).toBe(saving);
  });
});

describe('what may stand for a product has its form', () => {
  it.each([
    // A child's suspension is not replaced by capsules.
    ['Frasco con polvo para 75 mL de suspensión', 'Caja con 12 cápsulas', false],
    ['Frasco con polvo para 75 mL de suspensión', 'Suspensión, frasco con 60 mL', true],
    ['Caja con 20 tabletas', 'Caja con 20 cápsulas', false],
    ['Caja con 20 tabletas', 'Caja con 20 comprimidos', true],
    ['Caja con 20 tabletas', 'Caja con 20 tabletas efervescentes', false],
    ['Grageas de liberación prolongada', 'Tabletas de liberación prolongada', true],
    ['Frasco con 120 mL', 'Frasco gotero con 60 mL', false],
    ['Solución oftálmica 5 mL', 'Solución ótica 5 mL', false],
    ['Tubo con 30 g', 'Crema, tubo con 30 g', false],
    ['1 ampolleta', 'Jeringa prellenada', true],
    // Where neither name nor presentation tells it, nothing is proposed.
    ['Caja', 'Caja', false],
  ])('of %j by %j: %s', async (presentation, other, isFound) => {
    const two = [product(101, 1, '100.00', { presentation }), product(102, 1, '60.00', { presentation: other })];
    const opened = await openRecords({ ...smallCatalog(), bases: [base(1, 'IV', 'Amoxicilina')], products: two });
    expect(opened.substitutes(101, { page: 1, limit: 2 })?.count).toBe(isFound ? 1 : 0);
  });
});

describe('substitutes in a larger catalog', () => {
  const SPELLINGS = [
    ['Paracetamol', 'p'],
    ['PARACETAMOL ', 'p'],
    ['Paracetamol y cafeína', 'c p'],
    ['Cafeína, paracetamol', 'c p'],
    ['Cafeina', 'c'],
    ['', ''],
  ] as const;
  const generated = catalogFolder({});
  generateCatalogFolder(generated, { products: 300, seed: 11 });
  const read = readCatalogFolder(generated).records;
  const bases = read.bases.map(({ medical_information: own, ...one }, index) => ({
    ...one,
    medical_information: own && { ...own, active_ingredient: SPELLINGS[index % SPELLINGS.length]?.[0] ?? '' },
  }));
  const large = join(generated, 'catalog.sqlite');
  compileCatalog({ records: { ...read, bases }, now: NOW }, large);
  const opened = openCatalog(large, { version: 'v2', imageBaseUrl: 'https://images.example' });
  afterAll(() => opened.close());

  // This model answers from the records, without columns and groups.
  const rows = read.products.map((one) => {
    const index = bases.findIndex(({ id }) => id === one.base);
    const own = bases[index]?.medical_information;
    return {
      id: one.id,
      cents: Math.round(Number(one.price) * 100),
      isOffered:
        one.is_active && !one.has_shortage && !['I', 'II', 'III'].includes(bases[index]?.sanitary_fraction ?? ''),
      kind: own?.active_ingredient
        ? `${own.requires_prescription} ${readForm(bases[index]?.name ?? '', one.presentation)} ${SPELLINGS[index % SPELLINGS.length]?.[1]}`
        : undefined,
    };
  });

  it('are those that a plain filter and sort find', () => {
    const check = (row: (typeof rows)[number], page: number, limit: number) => {
      const others = rows
        .filter((other) => row.kind !== undefined && other.kind === row.kind && other.isOffered && other.id !== row.id)
        .sort((a, b) => a.cents - b.cents || a.id - b.id);
      const { count, results } = opened.substitutes(row.id, { page, limit }) ?? { results: [] };
      expect(count).toBe(others.length);
      const expected = others.slice((page - 1) * limit, page * limit);
      expect(results.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    };
    fc.assert(
      fc.property(fc.constantFrom(...rows), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 100 }), check),
      { numRuns: 300 },
    );
  });
});
