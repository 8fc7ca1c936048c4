import { mkdtempSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { toBarcode } from '../../support/catalogs/small-catalog.ts';
import { openCatalogBucket, serveLatestCatalog } from '../../support/engines/catalog-bucket.ts';
import { operate } from '../../support/operators/operator.ts';
import { useServer } from '../../support/servers/test-server.ts';

// The owner's first day: from a spreadsheet to an order over HTTP, by the commands alone.
const server = useServer();
const folder = mkdtempSync(join(tmpdir(), 'catalog-import-'));
beforeAll(() => openCatalogBucket());

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

const lines = (text: string): string => text.trim().replaceAll('\n', '\r\n');

// Excel in Mexico: semicolons, Windows-1252, a title, amounts in two styles, an empty last column.
const SAN_RAFAEL = Buffer.from(
  lines(`
Farmacia San Rafael;;;;;;;;;;;;
Clave;CÓDIGO DE BARRAS;Descripción;Laboratorio;Departamento;Sustancia activa;Fracción;¿Receta?;Precio;IVA;Existencia;Clave SAT;
101;${toBarcode(101)};Ácido fólico 5 mg C/20;Genéricos Solmar;Medicamento;Ácido fólico;VI;NO;$ 1,042.27;NO;12;51191905;
102;${toBarcode(102)};AMOXICILINA 500 MG C/12;GENERICOS  SOLMAR;Medicamento;Amoxicilina;IV;SI;1599,85;NO;0;51101511;
103;${toBarcode(103)};"Pañal etapa 3; 40 piezas";Suavín;Bebés;;;NO;$ 189.90;SI;7;53131609;`),
  // Windows-1252 has Spanish letters where Latin-1 has them.
  'latin1',
);

// Exported by a point of sale: it names its separator, has cells of two lines, and says nothing of fractions and SAT.
const CORNER = Buffer.from(
  lines(`
sep=,
Cod. barras,Producto,Lab.,Familia,Principio activo,Requiere receta,Precio al público,Tasa IVA,Observaciones,,
="${toBarcode(301)}",Metformina 850 mg,Altavera,Diabetes,Metformina,Sí,"$1,118.50",0 %,"Caja\nnueva",,
${toBarcode(302)},Paracetamol 500 mg,altavera,Dolor,Paracetamol,No,$31.00,Exento,,,
${toBarcode(303)},Termómetro digital,Altavera,Aparatos,N/A,,$179.00,16,,,`),
);
const ANSWERS =
  '--answer fraction=IV --answer free_fraction=VI --answer sat_key=51181517 --answer goods_sat_key=42182201';

describe('a spreadsheet', () => {
  // Its first product: what is published before IVA, and what a quote of two pieces costs.
  it.each<[string, Uint8Array, options: string, products: number, ean_key: string, price: string, total: string]>([
    ['san-rafael.csv', SAN_RAFAEL, '--prices with-iva', 3, toBarcode(101), '1042.27', '2084.54'],
    [
      'esquina.csv',
      CORNER,
      `--map Precio_al_público=price --prices with-iva ${ANSWERS}`,
      ...([3, toBarcode(301), '1118.50', '2237.00'] as const),
    ],
  ])('becomes a shop that takes orders: %s', async (file, content, options, products, ean_key, price, total) => {
    const shop = join(folder, `${file}-shop`);
    const sheet = await write(file, content);
    expect((await ops('init', shop, '--zipcode', '06700')).code).toBe(0);
    const imported = await json('import', sheet, '--out', shop, ...options.split(' '));
    expect(imported).toMatchObject({ errors: [], questions: [], products, added: products, rejected: 0 });
    const contents = await readAll(shop);
    expect(await json('import', sheet, '--out', shop)).toMatchObject({ changed: 0, unchanged: products, added: 0 });
    expect(await readAll(shop)).toEqual(contents);
    expect((await ops('publish', shop, '--accept')).code).toBe(0);
    await serveLatestCatalog();
    const found = (await server.request('GET', `/api/products/?search=${ean_key}`)).body.results;
    expect(found).toMatchObject([{ ean_key, price }]);
    const details = [{ product: found[0].id, quantity: 2 }];
    const quote = await server.request('POST', '/api/orders/calculate/', { body: { details, store: 1 } });
    expect([quote.status, quote.body.total]).toEqual([201, total]);
    expect((await server.placeOrder('ana@example.mx', { details })).shipping_price).toBe('49.00');
  });

  it('keeps each id as prices change, and says what it lacks', async () => {
    const shop = join(folder, 'renewed');
    await json('import', await write('uno.csv', SAN_RAFAEL), '--out', shop, '--prices', 'with-iva');
    const before = await readAll(shop);
    const prices = `Código de barras;Precio\r\n${toBarcode(103)};210\r\n${toBarcode(101)};1 050,00\r\n`;
    const renewed = await json('import', await write('dos.csv', prices), '--out', shop);
    expect(renewed).toMatchObject({ errors: [], added: 0, changed: 2, unchanged: 0, absent: [2] });
    expect(renewed.unmet_prices).toEqual([{ row: 2, shelf: '210.00', charged: '209.99' }]);
    expect(await readAll(shop)).toEqual({
      ...before,
      'products.jsonl': before['products.jsonl']
        ?.replace('"price":"1042.27"', '"price":"1050.00"')
        .replace('"price":"163.71"', '"price":"181.03"'),
    });
  });

  it('is refused whole, or taken in part, with the other rows beside it', async () => {
    const rows = 'codigo,nombre,precio,iva,clave sat\nA,Uno,10.00,si,53131609\nB,Dos,diez,si,53131609';
    const sheet = await write('mala.csv', lines(rows));
    const argv = ['import', sheet, '--out', join(folder, 'mala'), '--prices', 'with-iva'];
    expect((await ops(...argv)).code).toBe(1);
    await expect(readdir(join(folder, 'mala'))).rejects.toThrow('ENOENT');
    expect((await ops(...argv, '--partial')).code).toBe(0);
    const { 'products.jsonl': products, 'rechazados.csv': rejected } = await readAll(join(folder, 'mala'));
    expect([products?.match(/"id":\d+/g), rejected]).toEqual([['"id":1'], expect.stringMatching(/\r\nB,Dos,diez/)]);
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
    'import',
    'import x.csv',
    'import x.csv --out y --map Px=cheap',
    'import x.csv --out y --answer iva=perhaps',
    'init y --zipcode 18000',
  ])('is not taken with the words %s', async (words) => {
    const { code, out } = await ops(...words.split(' '));
    expect([code > 0, out]).toEqual([true, '']);
  });
});
