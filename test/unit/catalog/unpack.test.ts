import { hash } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readCatalogFile } from '../../../shared/catalog/file/snapshot.ts';
import { buildCatalog } from '../../../shared/catalog/publishing/compile/compile.ts';
import { unpackCatalog } from '../../../shared/catalog/publishing/unpack.ts';
import { quoteCatalog } from '../../support/catalogs/quote-catalog.ts';
import { catalogFolder, removeCatalogFolders, smallCatalog } from '../../support/catalogs/small-catalog.ts';

// A catalog that is unpacked and built again is the same, whether its folder said what follows from the rest or not.

const now = new Date('2026-11-21T12:00:00Z');
afterAll(removeCatalogFolders);

const TABLES = ['bases', 'products', 'withdrawn', 'records', 'columns', 'stamps'];
const hashRows = (file: string): string =>
  readCatalogFile(file, (database) => {
    const rows = TABLES.map((table) => database.prepare(`SELECT * FROM ${table}`).all());
    return hash('sha256', JSON.stringify(rows));
  });

/** Returns a catalog that leaves out what follows from the rest, or says it. */
function terseCatalog() {
  const records = smallCatalog();
  const medical = (active_ingredient: string, more: object) => ({
    sanitary_fraction: 'IV',
    medical_information: { is_generic: false, group_number: 4, requires_prescription: true, active_ingredient },
    ...more,
  });
  const medicines = [
    medical('Amoxicilina', {}),
    medical('X', { is_antibiotic: true }),
    medical('Ampicilina', { is_antibiotic: false }),
    { is_medicine: false, sanitary_fraction: null },
  ];
  for (const [at, fields] of medicines.entries()) Object.assign(records.bases[at] ?? {}, fields);
  records.synonyms.push({ active_ingredient: 'Amoxicilina', synonyms: ['Penicilina'] });
  records.sat_product_keys.push({ key: '51142099', name: 'De la contadora' });
  Object.assign(records.products[0] ?? {}, { sat_key: '51142099', image: 'niño #1.png' });
  return records;
}

const demonstration = catalogFolder({});
cpSync('infra/local/demo-catalog', demonstration, { recursive: true });

it.each([
  ['of few words', () => catalogFolder(terseCatalog())],
  ['of quotes', () => catalogFolder(quoteCatalog())],
  ['of the demonstration', () => demonstration],
])('the catalog %s, with what it has withdrawn', async (_, makeFolder) => {
  const folder = makeFolder();
  const build = async (from: string, name: string, previous: string | null) => {
    const file = join(folder, name);
    const outcome = await buildCatalog(from, file, { previous, now });
    expect('errors' in outcome ? outcome.errors : []).toEqual([]);
    return file;
  };
  const larger = terseCatalog();
  larger.products.push({ ...larger.products[1], id: 999_999, ean_key: '96385074' });
  const before = await build(catalogFolder(larger), 'before.sqlite', null);
  const file = await build(folder, 'first.sqlite', before);
  unpackCatalog(file, join(folder, 'unpacked'));
  const again = await build(join(folder, 'unpacked'), 'again.sqlite', file);
  expect(hashRows(again)).toBe(hashRows(file));
  // The folder itself has changed nothing since, by the fingerprints of the file.
  expect(hashRows(await build(folder, 'later.sqlite', again))).toBe(hashRows(file));
});
