import { afterAll, expect, it } from 'vitest';
import { readCatalogFolder } from '../../../shared/catalog/folder/check.ts';
import { FAULTY_CATALOGS } from '../../support/catalogs/faulty-catalogs.ts';
import { catalogFolder, removeCatalogFolders, smallCatalog } from '../../support/catalogs/small-catalog.ts';

afterAll(removeCatalogFolders);

it.each(FAULTY_CATALOGS)('a catalog with $name is refused with a sentence for each error', ({ spoil, errors }) => {
  const folder = catalogFolder(smallCatalog());
  spoil(folder);
  const found = readCatalogFolder(folder).errors.map(({ file, line, field, message }) => {
    const place = `${file || 'catalog'}${line > 0 ? `:${line}` : ''} ${field}`.trim();
    return `${place}: ${message.replace(folder, '<folder>')}`;
  });
  expect(found).toEqual(errors);
});

it('are 66 catalogs', () => {
  expect(new Set(FAULTY_CATALOGS.map(({ name }) => name)).size).toBe(66);
});
