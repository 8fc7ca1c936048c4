import { afterAll, beforeAll, expect, it } from 'vitest';
import { updateShortages } from '../../../shared/catalog/shortages.ts';
import { catalogBucket, table } from '../../../shared/deps.ts';
import { setStock } from '../../../shared/stock/keep-stock.ts';
import { readLevels } from '../../../shared/stock/stock.ts';
import { type CounterPage, press } from '../../support/counter/counter-page.ts';
import { type CounterWorld, openCounterWorld } from '../../support/counter/counter-world.ts';
import { DEMO_CATALOG, openCatalogBucket, publishToTestServer } from '../../support/engines/catalog-bucket.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

let world: CounterWorld<TestServer>;
let desk: CounterPage;
beforeAll(async () => {
  world = await openCounterWorld(openServer);
  await openCatalogBucket();
  await publishToTestServer(DEMO_CATALOG);
  await updateShortages(catalogBucket(), (before) => ({ ...before, tracked: [2, 7] }));
  const counts = [
    { store: 1, product: 2, quantity: 3 },
    { store: 1, product: 7, quantity: 90 },
  ];
  await setStock(counts, { operator: 'ana', now: new Date() }, table());
  desk = await world.open({ route: '#/stock' });
});
afterAll(() => world.close());

it('shows what is low, and adjusts it for a reason', async () => {
  const { page } = desk;
  const row = page.getByRole('row').nth(1);
  await row.getByRole('button').waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
  await row.getByRole('button').press('Enter');
  await page.getByLabel('Piezas, con signo').fill('-2');
  await page.getByLabel('Motivo').fill('Caducados');
  await press(page, 'Enter');
  await page
    .getByRole('main')
    .getByText(/quedan 1\.$/)
    .waitFor();
  expect((await readLevels(table(), 1, [2])).get(2)).toEqual({ available: 1, reserved: 0 });
  await desk.expectFit();
});
