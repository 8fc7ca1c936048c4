import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogFile, CatalogInput } from '../../../shared/catalog/publishing/folder/folder.ts';
import { needsPrescription, toGroupNumber } from '../../../shared/domain/medicines.ts';
import { formatCents } from '../../../shared/domain/money.ts';
import { randomNumbers } from '../proofs/random.ts';
import { smallCatalog, toBarcode } from './small-catalog.ts';

type Random = {
  /** Returns a whole number from 0 up to, but not including, the bound. */
  below(bound: number): number;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  /** Returns true in this share of cases. */
  percent(share: number): boolean;
};

const FIRST_ID = 70_001;
const PRODUCTS_PER_BASE = 2;
const CATEGORIES = 60;
const COMPANIES = 40;
const DISEASES = 150;

const HEADS = ['Para', 'Ami', 'Clo', 'Di', 'Ena', 'Flu', 'Gli', 'Hidro', 'Keto', 'Lora', 'Meto', 'Ome', 'Á'] as const;
const MIDDLES = ['ce', 'tri', 'fen', 'lo', 'pri', 'xa', 'be', 'do', 'mi', 'ra', 'nazo', 'ti'] as const;
const TAILS = ['tamol', 'caína', 'profeno', 'zol', 'statina', 'micina', 'pino', 'sartán', 'cilina'] as const;
const SALTS = ['sódico', 'clorhidrato', 'cálcico', 'besilato', 'forte', 'pediátrico', 'con ácido fólico', ''] as const;
const STRENGTHS = [5, 10, 20, 40, 50, 75, 100, 150, 200, 250, 300, 400, 500, 600, 750, 850] as const;
const UNITS = ['mg', 'mg/mL', 'mcg', 'UI', '%'] as const;
const FORMS = [
  'Caja con 10 tabletas',
  'Caja con 30 cápsulas',
  'Frasco con 120 mL',
  'Tubo con 30 g',
  'Ampolleta',
] as const;
const FRACTIONS = ['IV', 'IV', 'IV', 'V', 'VI', 'VI', 'II', 'III'] as const;

/**
 * Writes a valid catalog folder of an invented shop, always the same for one seed. Its own ids start at 70001 in every
 * file, and two products share a base; some products are inactive, in shortage, without images, or of a barred sanitary fraction.
 */
export function generateCatalogFolder(folder: string, { products, seed }: { products: number; seed: number }): void {
  const random = createRandom(seed);
  mkdirSync(folder, { recursive: true });
  const write: Write = (file, count, toRecord) => {
    const lines = Array.from({ length: count }, (_, index) => `${JSON.stringify(toRecord(index))}\n`);
    writeFileSync(join(folder, `${file}.jsonl`), lines.join(''));
  };
  const bases = Math.ceil(products / PRODUCTS_PER_BASE);
  const named = (index: number, name: string) => ({ id: FIRST_ID + index, name });
  write('companies', COMPANIES, (index) => named(index, `Laboratorios ${randomWord(random)} ${index}`));
  write('categories', CATEGORIES, (index) => ({
    ...named(index, `Categoría ${randomWord(random)} ${index}`),
    parent: index < 12 ? null : FIRST_ID + random.below(12),
  }));
  write('diseases', DISEASES, (index) => ({
    ...named(index, `Síndrome ${randomWord(random)} ${index}`),
    is_chronic: random.percent(30),
  }));
  write('bases', bases, (index) => createBase(index, random));
  write('products', products, (index) => createProduct(index, random));
  writeShop(write, random);
}

type Write = <File extends CatalogFile>(
  file: File,
  count: number,
  toRecord: (index: number) => CatalogInput<File>,
) => void;

function createBase(index: number, random: Random): CatalogInput<'bases'> {
  const ingredient = randomWord(random);
  const fraction = random.pick(FRACTIONS);
  return {
    id: FIRST_ID + index,
    name: [ingredient, random.pick(SALTS), random.pick(STRENGTHS), random.pick(UNITS)].filter(String).join(' '),
    description: `${ingredient} para el tratamiento que indique su médico. Consérvese a no más de 30 °C.`,
    category: FIRST_ID + random.below(CATEGORIES),
    pharmaceutical_company: FIRST_ID + random.below(COMPANIES),
    diseases: makeDistinct(random.below(4), () => FIRST_ID + random.below(DISEASES)),
    tags: makeDistinct(random.below(2), () => 1),
    medical_information:
      needsPrescription(fraction) || random.percent(70)
        ? {
            active_ingredient: ingredient,
            is_generic: random.percent(60),
            group_number: toGroupNumber(fraction),
            requires_prescription: needsPrescription(fraction),
          }
        : null,
    sanitary_fraction: fraction,
  };
}

function createProduct(index: number, random: Random): CatalogInput<'products'> {
  const id = FIRST_ID + index;
  const cents = 1_000 + random.below(200_000);
  return {
    id,
    base: FIRST_ID + Math.floor(index / PRODUCTS_PER_BASE),
    presentation: random.pick(FORMS),
    price: formatCents(cents),
    cost: formatCents(Math.floor(cents / 2)),
    public_price: formatCents(cents + 500),
    has_iva: random.percent(15),
    is_active: random.percent(95),
    has_shortage: random.percent(5),
    sat_key: '51142001',
    sat_unit: 'H87',
    ean_key: toBarcode(100_000_000 + index),
    image: random.percent(50) ? `products/${id}.jpg` : '',
    album: random.percent(40) ? { id, images: [{ id, image: `albums/${id}.jpg`, is_default: true }] } : null,
    current_supplier: 1,
    supplier_products: [{ id, supplier: 1, cost: formatCents(Math.floor(cents / 2)) }],
    product_variants: random.percent(10) ? [{ id, value: 'Fresa', variant: 1 }] : [],
    created_at: randomInstant(random),
    updated_at: randomInstant(random),
  };
}

function writeShop(write: Write, random: Random): void {
  const { shipping_methods, stores, payment_methods, holidays, tags, suppliers, variants } = smallCatalog();
  const [delivery, pickup] = shipping_methods;
  const methods = [1, 3, 4].map((id, at) => ({ ...delivery, id, method: ['default', 'standard', 'express'][at] }));
  const others = { stores, payment_methods, holidays, tags, suppliers, variants };
  const shop = { ...others, shipping_methods: [...methods, pickup] };
  for (const [file, records] of Object.entries(shop))
    write(file as CatalogFile, records.length, (index) => records[index] as CatalogInput<'stores'>);
  // Each of three methods has a rate for the whole country and one for each prefix of two digits.
  write('shipping_rates', 3 * 100, (index) => ({
    id: FIRST_ID + index,
    shipping_method: [1, 3, 4][index % 3] ?? 1,
    zip_from: index < 3 ? '00000' : `${String(Math.floor(index / 3)).padStart(2, '0')}000`,
    zip_to: index < 3 ? '99999' : `${String(Math.floor(index / 3)).padStart(2, '0')}999`,
    price: formatCents(5_000 + random.below(10_000)),
    cost: '45.50',
    discount: random.percent(10) ? '10.00' : null,
  }));
  write('coupons', 20, (index) => ({
    id: index + 1,
    code: `AHORRA${index}`,
    value: index % 2 === 0 ? '0.10' : 50 + index,
  }));
}

function randomWord(random: Random): string {
  return random.pick(HEADS) + random.pick(MIDDLES) + random.pick(TAILS);
}

function makeDistinct(count: number, make: () => number): number[] {
  return [...new Set(Array.from({ length: count }, make))];
}

const FIRST_INSTANT = Date.UTC(2024, 0, 1);
const TWO_YEARS_IN_MINUTES = 2 * 365 * 24 * 60;

function randomInstant(random: Random): string {
  return new Date(FIRST_INSTANT + random.below(TWO_YEARS_IN_MINUTES) * 60_000).toISOString();
}

function createRandom(seed: number): Random {
  const next = randomNumbers(seed);
  const below = (bound: number) => (next() * 2 ** 32) % bound;
  return {
    below,
    pick: (items) => items[below(items.length)] ?? items[0],
    percent: (share) => below(100) < share,
  };
}
