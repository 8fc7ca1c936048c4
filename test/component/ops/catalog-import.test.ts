import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toBarcode } from '../../support/catalogs/barcodes.ts';
import { PHARMACY_SHEETS } from '../../support/catalogs/pharmacy-sheets.ts';
import { serveLatestCatalog } from '../../support/catalogs/republish.ts';
import { openCatalogBucket } from '../../support/engines/catalog-bucket.ts';
import { operate } from '../../support/operators/operator.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

// The owner's first day: from a spreadsheet to an order over HTTP, by the commands alone.
let server: TestServer;
let folder: string;

beforeAll(async () => {
  server = await openServer();
  await openCatalogBucket();
  folder = await mkdtemp(join(tmpdir(), 'catalog-import-'));
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const ops = (...words: readonly string[]) => operate('pipe', 'catalog', ...words);
const json = async (...words: readonly string[]) => JSON.parse((await ops(...words, '--json')).out);

async function write(file: string, content: string | Uint8Array): Promise<string> {
  await writeFile(join(folder, file), content);
  return join(folder, file);
}

/** Returns the contents of a folder's files by their names. */
async function readAll(path: string): Promise<Record<string, string>> {
  const names = (await readdir(path)).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(path, name), 'utf8')])),
  );
}

describe('a spreadsheet', () => {
  it.each(PHARMACY_SHEETS.map((sheet) => [sheet.file, sheet] as const))(
    'becomes a shop that takes orders: %s',
    async (file, { write: writeSheet, options, products, first }) => {
      const shop = join(folder, `${file}-shop`);
      const sheet = await write(file, await writeSheet());
      expect((await ops('init', shop, '--zipcode', '06700')).code).toBe(0);
      const imported = await json('import', sheet, '--out', shop, ...options.split(' ').filter(Boolean));
      expect(imported).toMatchObject({ errors: [], questions: [], products, added: products, rejected: 0 });
      const contents = await readAll(shop);
      expect(await json('import', sheet, '--out', shop)).toMatchObject({ changed: 0, unchanged: products, added: 0 });
      expect(await readAll(shop)).toEqual(contents);
      expect((await ops('publish', shop, '--accept')).code).toBe(0);
      await serveLatestCatalog();
      const found = (await server.request('GET', `/api/products/?search=${first.barcode}`)).body.results;
      expect(found).toMatchObject([{ ean_key: first.barcode, price: first.unit }]);
      const details = [{ product: found[0].id, quantity: 2 }];
      const quote = await server.request('POST', '/api/orders/calculate/', { body: { details, store: 1 } });
      expect([quote.status, quote.body.total]).toEqual([201, first.total]);
      const token = await server.login('aseguradora@demo.example');
      const body = orderBody('ana@example.mx', { details });
      const order = await server.request('POST', '/api/orders/resources/', { token, body });
      expect([order.status, order.body.shipping_price]).toEqual([201, '49.00']);
    },
  );

  it('keeps each id as prices change, and says what it lacks', async () => {
    const [first] = PHARMACY_SHEETS;
    if (!first) throw new Error('there is no sheet');
    const shop = join(folder, 'renewed');
    await json('import', await write('uno.csv', await first.write()), '--out', shop, '--prices', 'with-iva');
    const before = await readAll(shop);
    const prices = await write(
      'dos.csv',
      `Código de barras;Precio\r\n${toBarcode(103)};210\r\n${toBarcode(101)};1 050,00\r\n`,
    );
    const renewed = await json('import', prices, '--out', shop);
    expect(renewed).toMatchObject({ errors: [], added: 0, changed: 2, unchanged: 0, absent: [2] });
    expect(renewed.unmet_prices).toEqual([{ row: 2, shelf: '210.00', charged: '209.99' }]);
    const after = await readAll(shop);
    expect(after['products.jsonl']).toBe(
      before['products.jsonl']
        ?.replace('"price":"1042.27"', '"price":"1050.00"')
        .replace('"price":"163.71"', '"price":"181.03"'),
    );
    expect({ ...after, 'products.jsonl': '' }).toEqual({ ...before, 'products.jsonl': '' });
  });

  it('is refused whole, or in part, with the reason beside each row', async () => {
    const sheet = await write(
      'mala.csv',
      `codigo,codigo de barras,nombre,precio,iva,clave sat,ubicación\nA,7.50123E+12,Uno,10.00,si,53131609,x\nB,,Dos,diez,si,53131609,x\nC,,Tres,30.00,si,53131609,x\nC,,Tres,30.00,,53131609,x\n`,
    );
    const shop = join(folder, 'mala');
    const refused = await json('import', sheet, '--out', shop, '--prices', 'with-iva');
    const places = ['2 B codigo de barras', '3 D precio', '5 A codigo'];
    expect(refused.errors.map(({ line, field }: { line: number; field: string }) => `${line} ${field}`)).toEqual(
      places,
    );
    expect(refused).toMatchObject({ products: null, unused: ['ubicación'], questions: [{ field: 'iva', rows: [5] }] });
    await expect(readdir(shop)).rejects.toThrow('ENOENT');
    const partial = await ops('import', sheet, '--out', shop, '--prices', 'with-iva', '--partial');
    expect(partial.code).toBe(0);
    const { 'products.jsonl': products, 'rechazados.csv': rejected = '' } = await readAll(shop);
    expect(products?.match(/"id":\d+/g)).toEqual(['"id":1']);
    expect(rejected.split('\r\n').map((line) => line.slice(0, 6))).toEqual([
      '\ufeffcodig',
      'A,7.50',
      'B,,Dos',
      'C,,Tre',
      '',
    ]);
  });

  it('may begin as a template, of either kind, that is right as it is', async () => {
    for (const file of ['plantilla.xlsx', 'plantilla.csv']) {
      const template = join(folder, file);
      expect((await ops('import', '--template', template)).code).toBe(0);
      const imported = await json('import', template, '--out', join(folder, `${file}-shop`));
      expect(imported).toMatchObject({ errors: [], questions: [], unused: [], products: 3, unmet_prices: [] });
    }
  });

  it.each([
    ['no sheet', ['import']],
    ['no folder', ['import', 'x.csv']],
    ['a field that there is not', ['import', 'x.csv', '--out', 'y', '--map', 'Px=cheap']],
    ['an answer that is none', ['import', 'x.csv', '--out', 'y', '--answer', 'iva=perhaps']],
    ['a zip code of no state', ['init', 'y', '--zipcode', '18000']],
  ])('is not taken with %s', async (_, words) => {
    const { code, out } = await ops(...words);
    expect([code > 0, out]).toEqual([true, '']);
  });
});
