import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toOrderItem } from '../../../shared/order/order-item.ts';
import { toDispensedProducts } from '../../../shared/order/rows/dispensed-products.ts';
import { openTable } from '../../../shared/store/table.ts';
import { catalogFolder, removeCatalogFolders, type smallCatalog } from '../../support/catalogs/small-catalog.ts';
import { catalogWithSubstitutes, changedCatalog } from '../../support/catalogs/two-catalogs.ts';
import { type CounterPage, press, SCREENS } from '../../support/counter/counter-page.ts';
import { type CounterWorld, openCounterWorld } from '../../support/counter/counter-world.ts';
import { operate } from '../../support/operators/operator.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

let world: CounterWorld<TestServer>;
let desk: CounterPage;
let first: string;
let second: string;
beforeAll(async () => {
  world = await openCounterWorld(openServer);
  const Bucket = `catalog-${randomUUID()}`;
  process.env.CATALOG_BUCKET = Bucket;
  await new S3Client({ forcePathStyle: true }).send(new CreateBucketCommand({ Bucket }));
  first = await publish(catalogWithSubstitutes(), 'Primavera');
  second = await publish(changedCatalog(), 'Precios de diciembre');
  desk = await world.open({ route: '#/catalog' });
});
afterAll(async () => {
  removeCatalogFolders();
  await world.close();
});

async function publish(records: ReturnType<typeof smallCatalog>, label: string): Promise<string> {
  const argv = ['catalog', 'publish', catalogFolder(records), '--label', label, '--accept', '--json'];
  const { out } = await operate('pipe', ...argv);
  return JSON.parse(out).version;
}

const region = (name: string): Locator => desk.page.getByRole('region', { name, exact: true });
const focusedText = (): Promise<string> => desk.page.evaluate('document.activeElement.textContent');
/** Returns the texts of the cells of a table, a list for each row. */
const readRows = (table: Locator): Promise<string[][]> =>
  table
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));

describe('the catalog', () => {
  const search = () => region('Buscar como los clientes');

  it('lists its versions with the current one marked, at once by `r` when somebody else has chosen another', async () => {
    const table = region('Versiones').getByRole('table');
    await table.getByRole('row').nth(2).waitFor();
    const rows = await readRows(table);
    expect(rows.map(([version, , , label, products]) => [version, label, products])).toEqual([
      [`${second} Vigente`, 'Precios de diciembre', '5'],
      [`${first} `, 'Primavera', '6'],
    ]);
    await operate('pipe', 'catalog', 'activate', first, '--accept');
    await press(desk.page, 'r');
    await desk.page.getByRole('row', { name: `${first} Vigente` }).waitFor();
    await operate('pipe', 'catalog', 'activate', second, '--accept');
  });

  it('is searched by the keyboard alone, and says what is sold and what may stand for it', async () => {
    await press(desk.page, '/', 'acetil', 'Enter');
    await search().getByText('Un producto').waitFor();
    const row = search().getByRole('row', {
      name: /102.*\$30\.50.*Disponible.*Aspirina 500 mg, Tabletas.*\$25\.00.*Se agotó/,
    });
    expect(await row.count()).toBe(1);
    await press(desk.page, 'ControlOrMeta+a', 'mg', 'Enter');
    await search().getByText('5 productos').waitFor();
    const rows = await readRows(search().getByRole('table'));
    expect(rows.map(([, id, , sale, requires]) => [id, sale, requires])).toEqual([
      ['105', 'No se vende', 'Receta'],
      ['104', 'Disponible', ''],
      ['102', 'Disponible', ''],
      ['106', 'Disponible', ''],
      ['101', 'Agotado', ''],
    ]);
  });

  it('suggests another spelling, which one press searches, and the heading takes the focus', async () => {
    await press(desk.page, 'ControlOrMeta+a', 'aspirrina', 'Enter');
    await search().getByText('Ningún producto.').waitFor();
    await search().getByRole('button', { name: 'aspirina' }).press('Enter');
    await search().getByText('Un producto').waitFor();
    await expect.poll(focusedText).toBe('Catálogo');
  });

  const button = (name: string) => search().getByRole('button', { name: `${name}: Aspirina 500 mg, Tabletas` });

  it('marks a product as out of stock and back by one press, and keeps the focus', async () => {
    await press(desk.page, '/', 'ControlOrMeta+a', 'aspirina 500', 'Enter');
    await button('Se agotó').press('Enter');
    await search().getByText('Aspirina 500 mg, Tabletas: agotado.').waitFor();
    await search().getByText('Agotado', { exact: true }).waitFor();
    await expect.poll(focusedText).toBe('Ya hay');
    await press(desk.page, 'Enter');
    await search().getByText('Aspirina 500 mg, Tabletas: disponible.').waitFor();
    await button('Se agotó').waitFor();
  });

  it('tells from a product who got it, by lot, to recall it', async () => {
    const at = '2026-11-23T18:00:00.000Z';
    const lots = [{ line: 700, lot: 'B204', expiry: '2027-05', quantity: 1 }];
    const order = syntheticOrder({
      id: 7,
      quantities: [3],
      orderStatus: 'shipped',
      dispensed: { at, under: [], lots },
    });
    const lines = order.lines.map((line) => ({ ...line, productId: 104 }));
    const dispensed = { ...order, lines, patient: { ...order.patient, phone: '+525512345678' } };
    await openTable().putAll([toOrderItem(dispensed), ...toDispensedProducts(dispensed)]);
    await search().getByRole('button', { name: 'Quién lo recibió: Aspirina 500 mg, Tabletas' }).press('Enter');
    const recall = region('Quién recibió el producto 104');
    await recall.getByText('Piezas: 3, en órdenes: 1.').waitFor();
    expect((await readRows(recall.getByRole('table'))).map((row) => [row[0], ...row.slice(3)])).toEqual([
      ['RX-00000007', 'Ana Paz', '55\u00a01234\u00a05678', 'B204, caduca 2027-05', '1'],
      ['RX-00000007', 'Ana Paz', '55\u00a01234\u00a05678', 'sin anotar', '2'],
    ]);
    await recall.getByLabel('Lote').fill('C9');
    await recall.getByText('Piezas: 2, en órdenes: 1.').waitFor();
    await desk.expectFit();
    await recall.getByRole('button', { name: 'Cerrar' }).press('Enter');
    await recall.waitFor({ state: 'detached' });
  });

  it.each(SCREENS)('is accessible and fits: %s', async (_, screen) => {
    const opened = await world.open({ screen, route: '#/catalog' });
    await opened.page.getByRole('searchbox').fill('mg');
    await opened.page.keyboard.press('Enter');
    await opened.page.getByText('$99.99').waitFor();
    await opened.expectFit();
    await opened.close();
  });
});
