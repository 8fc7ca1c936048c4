import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readCatalogFolder } from '../../../shared/catalog/publishing/folder/check.ts';
import { listLegalHolidays } from '../../../shared/catalog/publishing/folder/defaults.ts';
import { OPTIONAL_FILES } from '../../../shared/catalog/publishing/folder/folder.ts';
import { catalogFolder, removeCatalogFolders, smallCatalog } from '../../support/catalogs/small-catalog.ts';

afterAll(removeCatalogFolders);

it.each([
  [2026, '01-01 02-02 03-16 05-01 09-16 11-16 12-25'],
  [2027, '01-01 02-01 03-15 05-01 06-06 09-16 11-15 12-25'],
  [2030, '01-01 02-04 03-18 05-01 06-02 09-16 10-01 11-18 12-25'],
])('%d has the holidays of LFT art. 74', (year, days) => {
  expect(listLegalHolidays(year).map(({ date }) => date)).toEqual(days.split(' ').map((day) => `${year}-${day}`));
});

it('a folder of products alone has ways to pay, pickup and the holidays of the law', () => {
  const catalog = smallCatalog();
  for (const base of catalog.bases) Object.assign(base, { diseases: [], tags: [] });
  const folder = catalogFolder(catalog);
  for (const file of OPTIONAL_FILES) rmSync(join(folder, `${file}.jsonl`), { force: true });
  const { records, errors } = readCatalogFolder(folder);
  expect(errors).toEqual([]);
  expect(records.payment_methods.map(({ id, sat_payment_form }) => [id, sat_payment_form])).toEqual([
    [1, '01'],
    [2, '04'],
    [3, '03'],
  ]);
  expect(records.shipping_methods.map(({ pickup }) => pickup)).toEqual([true]);
  expect(records.holidays).toContainEqual({ date: '2027-06-06', name: 'Jornada electoral' });
  expect([records.shipping_rates, records.stores]).toEqual([[], []]);
});
