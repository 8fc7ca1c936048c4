import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogFolder, removeCatalogFolders, type smallCatalog } from '../../support/catalogs/small-catalog.ts';
import { catalogWithSubstitutes, changedCatalog } from '../../support/catalogs/two-catalogs.ts';
import { type CounterPage, SCREENS } from '../../support/counter/counter-page.ts';
import { type CounterWorld, openCounterWorld } from '../../support/counter/counter-world.ts';
import { operate } from '../../support/operators/operator.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

let world: CounterWorld<TestServer>;
let desk: CounterPage;
let first: string;
let second: string;
beforeAll(async () => {
  world = await openCounterWorld(openTestServer);
  await createBucket();
  first = await publish(catalogWithSubstitutes(), 'Primavera');
  second = await publish(changedCatalog(), 'Precios de diciembre');
  desk = await world.open({ route: '#/catalog' });
});
afterAll(async () => {
  expect(desk.takeComplaints()).toEqual([]);
  await world.close();
  removeCatalogFolders();
});

async function createBucket(): Promise<void> {
  process.env.CATALOG_BUCKET = `catalog-${randomUUID()}`;
  const s3 = new S3Client({ forcePathStyle: true });
  await s3.send(new CreateBucketCommand({ Bucket: process.env.CATALOG_BUCKET }));
  s3.destroy();
}

async function publish(records: ReturnType<typeof smallCatalog>, label: string): Promise<string> {
  const { out } = await operate(
    'pipe',
    'catalog',
    'publish',
    catalogFolder(records),
    '--label',
    label,
    '--accept',
    '--json',
  );
  return JSON.parse(out).version;
}

async function currentVersion(): Promise<string> {
  return JSON.parse((await operate('pipe', 'catalog', 'versions', '--json')).out).current;
}

const region = (name: string): Locator => desk.page.getByRole('region', { name, exact: true });
/** Returns the texts of the cells of a table, a list for each row. */
const readRows = (table: Locator): Promise<string[][]> =>
  table
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));

describe('the versions of the catalog', () => {
  it('are listed with the current one marked, their labels and what each changed', async () => {
    const table = region('Versiones').getByRole('table');
    await table.getByRole('row').nth(2).waitFor();
    const rows = await readRows(table);
    const shown = rows.map(([version, , , label, products, changes]) => [version, label, products, changes]);
    expect(shown).toEqual([
      [
        `${second} Vigente`,
        'Precios de diciembre',
        '5',
        'Productos −1 ~10 agregados, 1 quitados, 1 cambiados' +
          'Laboratorios ~10 agregados, 0 quitados, 1 cambiados' +
          'Tarifas de envío +11 agregados, 0 quitados, 0 cambiados' +
          'Días festivos +11 agregados, 0 quitados, 0 cambiados',
      ],
      [`${first} `, 'Primavera', '6', ''],
    ]);
  });
});

describe('the difference between two versions', () => {
  it('waits for the choice of the second, and then shows kinds, prices by size and each record by its name', async () => {
    const section = region('Diferencia entre dos versiones');
    await section.getByText('Elija dos versiones distintas.').waitFor();
    await section.getByLabel('A', { exact: true }).selectOption({ value: first });
    await section.getByText('$75.00 → $50.00').waitFor();
    expect(await readRows(section.getByRole('table', { name: 'Registros por tipo' }))).toEqual([
      ['Productos', '1', '0', '1'],
      ['Laboratorios', '0', '0', '1'],
      ['Tarifas de envío', '0', '1', '0'],
      ['Días festivos', '0', '1', '0'],
    ]);
    expect(await readRows(section.getByRole('table', { name: 'Precios por tamaño del cambio' }))).toEqual([
      ['hasta 2 veces', '0', '1'],
    ]);
    expect(await readRows(section.getByRole('table', { name: 'Registros distintos' }))).toEqual([
      ['Zinc 50 mg, Caja', 'Productos', '103', 'Agregado', '', ''],
      ['Ácido fólico 5 mg, Caja', 'Productos', '101', 'Cambiado', '$75.00 → $50.00', 'existencia, precio'],
      ['beta Pharma', 'Laboratorios', '2', 'Cambiado', '', 'nombre'],
      ['06000–06999', 'Tarifas de envío', '3', 'Quitado', '', ''],
      ['Año Nuevo', 'Días festivos', '2027-01-01', 'Quitado', '', ''],
    ]);
  });

  it('can be seen the other way round, and of one kind only', async () => {
    const section = region('Diferencia entre dos versiones');
    await section.getByRole('button', { name: 'Invertir' }).click();
    const records = section.getByRole('table', { name: 'Registros distintos' });
    await records.getByText('$50.00 → $75.00').waitFor();
    await section.getByLabel('Mostrar').selectOption('Tarifas de envío (1)');
    expect(await readRows(records)).toEqual([['06000–06999', 'Tarifas de envío', '3', 'Agregado', '', '']]);
  });

  it('is that to the version whose button is pressed, where the focus goes', async () => {
    await region('Versiones')
      .getByRole('button', { name: `Comparar ${first} con la vigente` })
      .press('Enter');
    await region('Diferencia entre dos versiones').getByText('$75.00 → $50.00').waitFor();
    expect(await desk.page.evaluate('document.activeElement.textContent')).toBe('Diferencia entre dos versiones');
  });

  it('needs two versions', async () => {
    const section = region('Diferencia entre dos versiones');
    const to = section.getByLabel('A', { exact: true });
    await to.selectOption({ value: second });
    await section.getByText('Elija dos versiones distintas.').waitFor();
    await to.selectOption({ value: first });
    await section.getByText('$75.00 → $50.00').waitFor();
  });
});

describe('the search', () => {
  const search = () => region('Buscar como los clientes');

  it('answers as that of clients, by the keyboard alone', async () => {
    const { page } = desk;
    await page.getByRole('heading', { name: 'Catálogo' }).focus();
    await page.keyboard.press('/');
    await page.keyboard.type('acetil');
    await page.keyboard.press('Enter');
    await search().getByText('1 productos').waitFor();
    expect(await readRows(search().getByRole('table'))).toEqual([
      [
        'acido  acetilsalicílico 500 mgCaja · Beta Pharma',
        '102',
        '$30.50',
        'Disponible',
        '',
        'Aspirina 500 mg, Caja$25.00, ahorra $5.50',
      ],
    ]);
  });

  it('shows what needs a prescription, is not sold or out of stock, in the version that is chosen', async () => {
    await search().getByLabel('Nombre o código de barras').fill('mg');
    await search().getByRole('button', { name: 'Buscar' }).click();
    await search().getByText('5 productos').waitFor();
    const rows = await readRows(search().getByRole('table'));
    expect(rows.map(([, ...cells]) => cells.slice(0, 4))).toEqual([
      ['105', '$99.99', 'No se vende', 'Receta'],
      ['104', '$25.00', 'Disponible', ''],
      ['102', '$30.50', 'Disponible', ''],
      ['106', '$80.01', 'Disponible', ''],
      ['101', '$75.00', 'Agotado', ''],
    ]);
    await search().getByLabel('En la versión').selectOption({ value: first });
    await search().getByText('6 productos').waitFor();
    await search().getByText('$50.00').waitFor();
  });

  it('suggests another spelling, which one press searches', async () => {
    await search().getByLabel('Nombre o código de barras').fill('aspirrina');
    await desk.page.keyboard.press('Enter');
    await search().getByText('Ningún producto.').waitFor();
    await search().getByRole('button', { name: 'aspirina' }).click();
    await search().getByText('1 productos').waitFor();
  });
});

describe('going back', () => {
  it('shows the difference first, and changes nothing if one thinks better of it', async () => {
    await region('Versiones')
      .getByRole('button', { name: `Volver a esta versión: ${first}` })
      .click();
    const dialog = desk.page.getByRole('dialog', { name: `Volver a la versión ${first}` });
    await dialog.getByRole('row', { name: /Ácido fólico 5 mg, Caja.*\$75\.00 → \$50\.00/ }).waitFor();
    await desk.expectFit();
    await dialog.getByRole('button', { name: 'Dejar la vigente' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await currentVersion()).toBe(second);
  });

  it('makes the version current, and tells so', async () => {
    await region('Versiones')
      .getByRole('button', { name: `Volver a esta versión: ${first}` })
      .press('Enter');
    const dialog = desk.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Volver a esta versión' }).press('Enter');
    await region('Versiones')
      .getByRole('row', { name: `${first} Vigente` })
      .waitFor();
    await desk.page.getByText(`La versión ${first} ya es la vigente.`).first().waitFor();
    // The button that led there is gone, and its row has no other one.
    await expect.poll(() => desk.page.evaluate('document.activeElement.textContent')).toBe('Catálogo');
    expect(await currentVersion()).toBe(first);
  });

  it('asks whether it is meant where that looks like an accident', async () => {
    await region('Versiones')
      .getByRole('button', { name: `Volver a esta versión: ${second}` })
      .click();
    const dialog = desk.page.getByRole('dialog');
    await dialog.getByText('Se quitan 1 de 6 productos, más del 5 %.').waitFor();
    await desk.expectFit();
    await dialog.getByRole('button', { name: 'Volver a esta versión' }).click();
    expect(await currentVersion()).toBe(first);
    await dialog.getByRole('checkbox', { name: 'Quiero todo esto' }).check();
    await dialog.getByRole('button', { name: 'Volver a esta versión' }).click();
    await region('Versiones')
      .getByRole('row', { name: `${second} Vigente` })
      .waitFor();
    expect(await currentVersion()).toBe(second);
  });
});

describe('a version that somebody else makes current', () => {
  it('is marked after a minute, and at once by `r`', async () => {
    const { page, close } = await world.open({ route: '#/catalog' });
    // The timers of a page that is loaded already are not held.
    await page.clock.install();
    await page.reload();
    const isCurrent = (version: string) => page.getByRole('row', { name: `${version} Vigente` }).waitFor();
    await isCurrent(second);
    await operate('pipe', 'catalog', 'activate', first, '--accept');
    await page.clock.fastForward(60_000);
    await isCurrent(first);
    await operate('pipe', 'catalog', 'activate', second, '--accept');
    await page.keyboard.press('r');
    await isCurrent(second);
    await close();
  });
});

describe('going back to a version that is older than records that orders need', () => {
  it('says what it does not know', async () => {
    const records = changedCatalog();
    records.products.push({ ...records.products[0], id: 107, ean_key: '7501000000073' });
    for (const id of [4, 5, 6]) {
      records.shipping_rates.push({
        id,
        shipping_method: 1,
        zip_from: `0${id}000`,
        zip_to: `0${id}009`,
        price: '60.00',
      });
      records.holidays.push({ date: `2099-01-0${id}`, name: 'Día inhábil' });
    }
    const third = await publish(records, 'Un producto más');
    const opened = await world.open({ route: '#/catalog' });
    await opened.page.getByRole('button', { name: `Volver a esta versión: ${second}` }).click();
    const dialog = opened.page.getByRole('dialog', { name: `Volver a la versión ${second}` });
    await dialog.getByText('Esto parece un accidente:').waitFor();
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual([
      'Se quitan 1 de 6 productos, más del 5 %.',
      'Se quitan 3 de 6 tarifas de envío, más del 5 %.',
      'Se quita más del 5 % de los días festivos por venir.',
      'Esa versión no conoce 1 productos que puede haber en órdenes; esas órdenes muestran la copia que guardan.',
    ]);
    await dialog.getByRole('button', { name: 'Dejar la vigente' }).click();
    await dialog.waitFor({ state: 'detached' });
    await opened.close();
    expect(await currentVersion()).toBe(third);
    await operate('pipe', 'catalog', 'activate', second, '--accept');
  });
});

describe('the catalog on the screen', () => {
  it.each(SCREENS)('is accessible and fits: %s', async (_, screen) => {
    const opened = await world.open({ screen, route: '#/catalog' });
    const { page } = opened;
    await page.getByRole('button', { name: first }).first().click();
    await page.getByText('$75.00 → $50.00').waitFor();
    await page.getByRole('searchbox').fill('mg');
    await page.keyboard.press('Enter');
    await page.getByText('$99.99').waitFor();
    await opened.expectFit();
    expect(opened.takeComplaints()).toEqual([]);
    await opened.close();
  });
});
