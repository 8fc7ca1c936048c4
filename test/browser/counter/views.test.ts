import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { openCounter } from '../../../infra/counter/server/server.ts';
import { updateShortages } from '../../../shared/catalog/shortages.ts';
import { catalogBucket } from '../../../shared/deps.ts';
import { toOrderItem } from '../../../shared/order/orders.ts';
import { toDispensedProducts } from '../../../shared/order/rows/dispensing-rows.ts';
import { setStock } from '../../../shared/stock/keep-stock.ts';
import { readLevels } from '../../../shared/stock/stock.ts';
import { openTable } from '../../../shared/store/table.ts';
import {
  catalogFolder,
  catalogWithSubstitutes,
  changedCatalog,
  type smallCatalog,
} from '../../support/catalogs/small-catalog.ts';
import { type CounterPage, press } from '../../support/counter/counter-page.ts';
import { OPERATOR, openTestCounter, useCounterWorld } from '../../support/counter/counter-world.ts';
import { openCatalogBucket } from '../../support/engines/catalog-bucket.ts';
import { operate } from '../../support/operators/operator.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';
import { openServer } from '../../support/servers/test-server.ts';

/* The page of the counter leads to its views, of which these are the catalog and the stock. */

const world = useCounterWorld(openServer);
let ui: CounterPage;
let first: string;
let second: string;
beforeAll(async () => {
  await openCatalogBucket();
  first = await publish(catalogWithSubstitutes(), 'Primavera');
  second = await publish(changedCatalog(), 'Precios de diciembre');
  ui = await world.open({ route: '#/catalog' });
});

async function publish(records: ReturnType<typeof smallCatalog>, label: string): Promise<string> {
  const argv = ['catalog', 'publish', catalogFolder(records), '--label', label, '--accept', '--json'];
  const { out } = await operate('pipe', ...argv);
  return JSON.parse(out).version;
}

const region = (name: string): Locator => ui.page.getByRole('region', { name, exact: true });
const focusedText = (): Promise<string> => ui.page.evaluate('document.activeElement.textContent');
/** Returns the texts of the cells of a table, a list for each row. */
const readRows = (table: Locator): Promise<string[][]> =>
  table
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));

describe('the page of the counter', () => {
  let opened: CounterPage;
  beforeAll(async () => {
    opened = await world.open();
  });
  const focused = (): Promise<string> => opened.page.evaluate('document.activeElement.textContent');

  it('takes the token out of its address, and leads to each view by its link and a key, with its title and the focus on its heading', async () => {
    const { page } = opened;
    expect(page.url()).not.toContain(world.counter.token);
    await page.getByText(`Trabaja como ${OPERATOR}`).waitFor();
    await page.getByRole('link', { name: 'Catálogo' }).click();
    await expect.poll(() => page.title()).toBe('Catálogo · Botica');
    await expect.poll(focused).toBe('Catálogo');
    expect(await page.getByRole('link', { name: 'Catálogo' }).getAttribute('aria-current')).toBe('page');
    await page.keyboard.press('3');
    await expect.poll(focused).toBe('Facturas');
    expect(new URL(page.url()).hash).toBe('#/invoices');
    await page.goBack();
    await expect.poll(focused).toBe('Catálogo');
  });

  it('lists all of its keys on ?, and gives the focus back', async () => {
    const { page } = opened;
    await page.getByRole('link', { name: 'Gráficas' }).focus();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Atajos de teclado' });
    const rows = await dialog.locator('tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split(/\s/)[0])).toEqual(
      expect.arrayContaining(['1', '2', '3', '4', '5', '6', '?', '/', 'r', 'Tab', 'Enter', 'Esc']),
    );
    await opened.expectFit();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('Gráficas');
  });

  it('says what to do without the token or once its counter has ended, and goes on by the address of the next one', async () => {
    const former = await openTestCounter();
    const { port, origin } = new URL(former.address);
    const { page, takeComplaints, close } = await world.open({ address: `${origin}/`, refreshMs: 200 });
    const alert = page.getByRole('alert');
    const enter = (token: string) => page.evaluate(`location.hash = ${JSON.stringify(token)}`);
    await alert.getByText('abra la dirección completa que mostró la terminal').waitFor();
    expect(takeComplaints()).toEqual([]);
    await enter(former.token);
    await page.getByText('No hay órdenes aquí.').waitFor();
    await former.close();
    await alert.getByText('El mostrador no responde').waitFor();
    const next = await openCounter({ port: Number(port), operator: OPERATOR, place: 'Local: prueba', isLocal: true });
    await alert.getByText('abra la dirección completa que mostró la terminal').waitFor();
    await enter(next.token);
    await page.getByText('No hay órdenes aquí.').waitFor();
    expect(await alert.count()).toBe(0);
    // Chromium tells of every call without an answer.
    takeComplaints();
    await close();
    await next.close();
  });
});

describe('the catalog', () => {
  const search = () => region('Buscar como los clientes');
  const button = (name: string) => search().getByRole('button', { name: `${name}: Aspirina 500 mg, Tabletas` });

  /** Searches a text by keys. It must find another number than the search before: a list that is drawn anew loses a press. */
  async function find(text: string, count: string): Promise<void> {
    await press(ui.page, '/', 'ControlOrMeta+a', text, 'Enter');
    await search().getByText(count).waitFor();
  }

  it('lists its versions with the current one marked, at once by `r` when somebody else has chosen another', async () => {
    await ui.page.getByRole('row', { name: `${second} Vigente` }).waitFor();
    const rows = await readRows(region('Versiones').getByRole('table'));
    expect(rows.map(([version, , , label, products]) => [version, label, products])).toEqual([
      [`${second} Vigente`, 'Precios de diciembre', '5'],
      [`${first} `, 'Primavera', '6'],
    ]);
    await operate('pipe', 'catalog', 'activate', first, '--accept');
    await press(ui.page, 'r');
    await ui.page.getByRole('row', { name: `${first} Vigente` }).waitFor();
    await operate('pipe', 'catalog', 'activate', second, '--accept');
  });

  it('is searched by keys, says what is sold, and suggests another spelling, which one press searches', async () => {
    await find('mg', '5 productos');
    const rows = await readRows(search().getByRole('table'));
    expect(rows.map(([, id, , sale]) => [id, sale])).toEqual([
      ['105', 'No se vende'],
      ['104', 'Disponible'],
      ['102', 'Disponible'],
      ['106', 'Disponible'],
      ['101', 'Agotado'],
    ]);
    await ui.expectFit();
    await find('aspirrina', 'Ningún producto.');
    await search().getByRole('button', { name: 'aspirina' }).press('Enter');
    await search().getByText('Un producto').waitFor();
    await expect.poll(focusedText).toBe('Catálogo');
  });

  it('marks a product as out of stock and back by one press, and keeps the focus', async () => {
    await find('mg', '5 productos');
    await find('aspirina 500', 'Un producto');
    await button('Se agotó').press('Enter');
    await search().getByText('Aspirina 500 mg, Tabletas: agotado.').waitFor();
    await button('Ya hay').waitFor();
    await expect.poll(focusedText).toBe('Ya hay');
    await press(ui.page, 'Enter');
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
    await button('Quién lo recibió').press('Enter');
    const recall = region('Quién recibió el producto 104');
    await recall.getByText('Piezas: 3, en órdenes: 1.').waitFor();
    expect((await readRows(recall.getByRole('table'))).map((row) => [row[0], ...row.slice(5)])).toEqual([
      ['RX-00000007', 'B204, caduca 2027-05', '1'],
      ['RX-00000007', 'sin anotar', '2'],
    ]);
    await recall.getByLabel('Lote').fill('C9');
    await recall.getByText('Piezas: 2, en órdenes: 1.').waitFor();
    await recall.getByRole('button', { name: 'Cerrar' }).press('Enter');
    await recall.waitFor({ state: 'detached' });
  });
});

it('the stock shows what is low, and is adjusted for a reason', async () => {
  await updateShortages(catalogBucket(), (before) => ({ ...before, tracked: [102, 104] }));
  const counts = [
    { store: 1, product: 102, quantity: 3 },
    { store: 1, product: 104, quantity: 90 },
  ];
  await setStock(counts, { operator: 'ana', now: new Date() }, openTable());
  const { page } = ui;
  await press(page, '6');
  const adjust = page.getByRole('button', { name: /^Ajustar: / });
  await adjust.waitFor();
  await adjust.press('Enter');
  await press(page, '-2', 'Tab', 'Caducados', 'Enter');
  const main = page.getByRole('main');
  await main.getByText(/quedan 1\.$/).waitFor();
  expect((await readLevels(openTable(), 1, [102])).get(102)).toEqual({ available: 1, reserved: 0 });
  await ui.expectFit();
});
