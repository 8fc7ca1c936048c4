import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Catalog } from '../../../shared/catalog/catalog.ts';
import { openCatalog } from '../../../shared/catalog/open.ts';
import { buildCatalog } from '../../../shared/catalog/publishing/compile/compile.ts';
import type { CatalogFile } from '../../../shared/catalog/publishing/folder/folder.ts';

type Lines = Record<string, unknown>[];

/** Returns a new copy of a catalog of six products, small enough to work out every answer by hand. */
export function smallCatalog(): Record<CatalogFile, Lines> {
  return {
    companies: [
      { id: 1, name: 'Laboratorios Ánfora', updated_at: '2026-03-01T00:00:00Z' },
      { id: 2, name: 'beta Pharma', updated_at: '2026-03-03T00:00:00Z' },
      { id: 3, name: 'Zeta', updated_at: '2026-03-02T00:00:00Z' },
    ],
    categories: [
      { id: 1, name: 'Analgésicos', updated_at: '2026-03-01T00:00:00Z' },
      { id: 2, name: 'Vitaminas', updated_at: '2026-03-02T00:00:00Z' },
      { id: 3, name: 'Analgésicos para niños', parent: 1, updated_at: '2026-03-02T00:00:00Z' },
    ],
    diseases: [
      { id: 1, name: 'Fiebre' },
      { id: 2, name: 'Diabetes', is_chronic: true },
      { id: 3, name: 'Gripe' },
    ],
    tags: [{ id: 1, name: 'Nuevo' }],
    suppliers: [{ id: 1, name: 'Distribuidora Uno' }],
    variants: [{ id: 1, name: 'Sabor' }],
    bases: [
      base(10, 'Ácido fólico 5 mg', { category: 2, pharmaceutical_company: 1, diseases: [1], tags: [1] }),
      base(11, 'acido  acetilsalicílico 500 mg', { category: 1, pharmaceutical_company: 2, diseases: [1, 3] }),
      base(12, 'Zinc 50 mg', { category: 2, pharmaceutical_company: 3 }),
      base(13, 'Aspirina 500 mg', { category: 3, pharmaceutical_company: 3, diseases: [3] }),
      base(14, 'Clonazepam 2 mg', { category: 1, pharmaceutical_company: 3, diseases: [2], ...CONTROLLED }),
    ],
    products: [
      product(101, 10, '50.00', '7501000000012', '01', {}),
      product(102, 11, 30.5, '7501000000029', '02', {}),
      product(103, 12, '120', '7501000000036', '02', { has_shortage: true }),
      product(104, 13, '30.5', '7502000000040', '03', { updated_at: '2026-02-01T00:00:00Z', is_active: false }),
      product(105, 14, '99.99', '7503000000054', '04', {}),
      product(106, 10, '80.01', '7501000000067', '01', {}),
    ],
    stores: [
      {
        ...{ id: 1, company_name: 'Botica', street: 'Juárez', exterior_number: '1', neighborhood: 'Centro' },
        ...{ city: 'Puebla', state: 'Puebla', country: 'México', zipcode: '72000', phone: '+522221234567' },
        latitude: 19.0436085,
      },
    ],
    shipping_methods: [
      { id: 1, company: 'Mensajería', method: 'default', min_delivery_days: 2, max_delivery_days: 4 },
      { id: 2, company: 'Sucursal', method: 'local', pickup: true },
    ],
    shipping_rates: [
      { id: 1, shipping_method: 1, zip_from: '00000', zip_to: '99999', price: '99.00', discount: '49.00' },
      { id: 2, shipping_method: 1, zip_from: '72000', zip_to: '72999', price: '45.50', cost: 30 },
    ],
    payment_methods: [
      { id: 1, name: 'Tarjeta', fee: '0.0360', fixed_fee: 3, initial_payment_status: 'unpaid', sat_payment_form: '04' },
    ],
    coupons: [{ id: 1, code: 'Ahorra10', value: 0.1, valid_from: '2026-01-01T00:00:00-06:00' }],
    holidays: [{ date: '2026-12-25', name: 'Navidad' }],
    synonyms: [],
    carriers: [],
    sat_product_keys: [],
  };
}

const CONTROLLED = {
  sanitary_fraction: 'II',
  medical_information: {
    active_ingredient: 'Clonazepam',
    is_generic: true,
    group_number: 2,
    requires_prescription: true,
  },
};

function base(id: number, name: string, more: Record<string, unknown>): Record<string, unknown> {
  return { id, name, sanitary_fraction: 'VI', ...more };
}

/** Returns a product that was created on a day of January. */
function product(id: number, base: number, price: unknown, ean_key: string, day: string, more: object) {
  const sat = { has_iva: false, sat_key: '51142001', sat_unit: 'H87' };
  return { id, base, presentation: 'Caja', price, ...sat, ean_key, created_at: `2026-01-${day}T00:00:00Z`, ...more };
}

const ASPIRIN = {
  active_ingredient: 'Ácido acetilsalicílico',
  is_generic: true,
  group_number: 6,
  requires_prescription: false,
};

/** Returns a small catalog in which products 102, at 30.50, and 104, at 25.00 have the same active ingredient. */
export function catalogWithSubstitutes() {
  const records = smallCatalog();
  for (const base of records.bases) if (base.id === 11 || base.id === 13) base.medical_information = ASPIRIN;
  for (const product of records.products) {
    if (product.id === 104) Object.assign(product, { price: '25.00', is_active: true });
    if (product.id === 102 || product.id === 104) product.presentation = 'Tabletas';
  }
  return records;
}

/** Returns the same with one more holiday and rate, without product 103, and with another price, shortage and name. */
export function changedCatalog() {
  const records = catalogWithSubstitutes();
  const change = (id: number, more: object) =>
    records.products.map((one) => (one.id === id ? { ...one, ...more } : one));
  records.products = change(101, { price: '75.00', has_shortage: true }).filter(({ id }) => id !== 103);
  records.companies = records.companies.map((one) => (one.id === 2 ? { ...one, name: 'Beta Pharma' } : one));
  records.holidays.push({ date: '2027-01-01', name: 'Año Nuevo' });
  records.shipping_rates.push({ id: 3, shipping_method: 1, zip_from: '06000', zip_to: '06999', price: '60.00' });
  return records;
}

/** Returns a GTIN-13 of Mexico with a right check digit, another for each number below 1,000,000,000. */
export function toBarcode(number: number): string {
  const digits = `750${String(number).padStart(9, '0')}`;
  const sum = [...digits].reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 1 : 3), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

const folders: string[] = [];
const opened: Catalog[] = [];

/** Closes the catalogs that `openRecords` opened and removes the folders that `catalogFolder` wrote; for `afterAll`. */
export function removeCatalogFolders(): void {
  for (const catalog of opened.splice(0)) catalog.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Writes records to a new temporary folder, with a file for each key, and returns its path. */
export function catalogFolder(records: Readonly<Record<string, Lines>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'small-catalog-'));
  folders.push(folder);
  for (const [file, lines] of Object.entries(records)) {
    writeFileSync(join(folder, `${file}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
  return folder;
}

/** Compiles records at a time in November 2026 and opens them. */
export async function openRecords(
  records: Readonly<Record<string, Lines>>,
  imageBaseUrl = 'https://images.example',
): Promise<Catalog> {
  const folder = catalogFolder(records);
  const file = join(folder, 'catalog.sqlite');
  const outcome = await buildCatalog(folder, file, { previous: null, now: new Date('2026-11-21T12:00:00Z') });
  if ('errors' in outcome) throw new Error(JSON.stringify(outcome.errors));
  const catalog = openCatalog(file, { version: 'v1', imageBaseUrl });
  opened.push(catalog);
  return catalog;
}
