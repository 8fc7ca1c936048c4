import { afterAll, describe, expect, it } from 'vitest';
import { substitutesContract } from '../../../shared/api/catalog/products.ts';
import type { Catalog } from '../../../shared/catalog/catalog.ts';
import { openRecords, removeCatalogFolders, smallCatalog, toBarcode } from '../../support/catalogs/small-catalog.ts';

// Substitutes have the same ingredients, form and need of a prescription, and can be bought now; the cheapest is first.
afterAll(removeCatalogFolders);

const base = (id: number, sanitary_fraction: string | null, active_ingredient: string | null) => ({
  ...{ id, name: `Base ${id}`, category: 1, pharmaceutical_company: 1, sanitary_fraction },
  is_medicine: sanitary_fraction !== null,
  medical_information:
    active_ingredient === null
      ? null
      : {
          ...{ active_ingredient, is_generic: true },
          group_number: sanitary_fraction === 'IV' ? 4 : sanitary_fraction === 'II' ? 2 : 6,
          requires_prescription: ['II', 'IV'].includes(sanitary_fraction ?? ''),
        },
});
const product = (id: number, base: number, price: string, more = {}) => {
  const own = { id, base, price, presentation: 'Caja con 20 tabletas', ean_key: toBarcode(id) };
  return { ...smallCatalog().products[0], ...own, ...more };
};

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
    base(11, null, 'Ibuprofeno'),
    base(12, 'II', 'Codeína'),
  ],
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
    product(115, 11, '5.00'),
    product(116, 12, '70.00'),
    product(117, 12, '60.00'),
  ],
});

const list = (opened: Catalog, id: number) => {
  const found = opened.substitutes(id, substitutesContract.query.parse({}));
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
    ['are undefined if there is no such product', 100, [undefined]],
    ['are undefined beyond the last product', 999_999_999_999_999, [undefined]],
  ])('%s: %i', (_, id, found) => {
    expect(list(catalog, id)).toEqual(found);
  });

  it('begin with the one that an order names', () => {
    expect(catalog.cheapestSubstitute(109)).toMatchObject({ id: 107, name: 'Base 6', priceCents: 3_510 });
    expect([catalog.cheapestSubstitute(110), catalog.cheapestSubstitute(100)]).toEqual([undefined, undefined]);
  });
});

/** What 100.00 for the first package saves when it is replaced by the second for 60.00; false if it may not be. */
const PACKAGES: readonly (readonly [string, other: string, saving: string | false])[] = [
  ['Caja con 20 tabletas', 'Caja con 20 comprimidos', '40.00'],
  ['Caja con 20 tabletas', 'Caja con 10 tabletas', '-20.00'],
  ['Caja con 10 tabletas', 'Caja con 30 tabletas', '80.00'],
  ['Caja con 7 perlas', 'Frasco con 12 Cápsulas', '65.00'],
  ['Caja con 7 grageas', 'c/9 TABS', '53.33'],
  ['Frasco con 120 mL', 'Frasco con 60ml', '-20.00'],
  ['Tubo con 30 g', 'Tubo con 15 gr', '-20.00'],
  ['Caja con 5 ampolletas de 2 mL', 'Caja con 1 ampolleta de 2 mL', '-200.00'],
  ['Frasco con polvo para 75 mL de suspensión', 'Suspensión, frasco con 60 mL', '25.00'],
  // It is left out of packages that cannot be compared.
  ['Caja con 5 ampolletas de 2 mL', 'Caja con 5 ampolletas de 5 mL', 'none'],
  ['Caja con 2 frascos con 10 tabletas', 'Caja con 20 tabletas', 'none'],
  ['Caja con 0 tabletas', 'Caja con 20 tabletas', 'none'],
  ['Caja con 20 tabletas', 'Caja con 0 tabletas', 'none'],
  ['Caja con 2x10 tabletas', 'Caja con 2x14 tabletas', 'none'],
  ['Caja con 2 x 10 tabletas', 'Caja con 2 x 14 tabletas', 'none'],
  ['Caja con 28 tabletas', 'Caja con 21 + 7 tabletas', 'none'],
  ['Tabletas de 500 mg', 'Tabletas de 250 mg', 'none'],
  ['Jarabe 15 mg/mL', 'Jarabe 30 mg/mL', 'none'],
  ['Grageas de liberación prolongada', 'Tabletas de liberación prolongada', 'none'],
  ['1 ampolleta', 'Jeringa prellenada', 'none'],
  // A child's suspension is not replaced by capsules.
  ['Frasco con polvo para 75 mL de suspensión', 'Caja con 12 cápsulas', false],
  ['Caja con 20 tabletas', 'Caja con 20 cápsulas', false],
  ['Caja con 20 tabletas', 'Caja con 20 tabletas efervescentes', false],
  ['Frasco con 120 mL', 'Frasco gotero con 60 mL', false],
  ['Solución oftálmica 5 mL', 'Solución ótica 5 mL', false],
  ['Tubo con 30 g', 'Crema, tubo con 30 g', false],
  // Where neither name nor presentation tells it, nothing is proposed.
  ['Caja', 'Caja', false],
];
const pairs = openRecords({
  ...smallCatalog(),
  bases: PACKAGES.map((_, at) => base(at + 1, 'IV', `Sustancia ${at}`)),
  products: PACKAGES.flatMap(([presentation, other], at) => [
    product(2 * at + 1, at + 1, '100.00', { presentation }),
    product(2 * at + 2, at + 1, '60.00', { presentation: other }),
  ]),
});

it.each(PACKAGES.map((row, at) => [...row, at] as const))('%j by %j saves %s', async (_, __, saving, at) => {
  expect(list(await pairs, 2 * at + 1)).toEqual(saving === false ? [0] : [1, `${2 * at + 2}: ${saving}`]);
});
