import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrderWrites } from '../../../shared/order/order-writes.ts';
import { openTable } from '../../../shared/store/table.ts';
import { type CounterPage, DESK, press, SCREENS, type Screen } from '../../support/counter/counter-page.ts';
import { type CounterWorld, openCounterWorld } from '../../support/counter/counter-world.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

let world: CounterWorld<TestServer>;
let second: number;

beforeAll(async () => {
  world = await openCounterWorld(openServer);
  second = (await world.server.addClient('Clínica Sur')).client.id;
  const first = world.server.client.id;
  // 20 November of the shop is from 06:00 UTC to 06:00 UTC of the next day.
  await place({
    id: 1,
    clientId: first,
    totalCents: 10_000,
    createdAt: '2026-11-20T18:00:00.000Z',
    orderStatus: 'shipped',
    paymentStatus: 'paid',
    shippingDate: '2026-11-21T18:00:00.000Z',
  });
  await place({ id: 2, clientId: first, totalCents: 20_050, createdAt: '2026-11-21T05:59:59.999Z' });
  const cancelled = { totalCents: 5_000, orderStatus: 'cancelled' } as const;
  await place({ id: 3, clientId: first, createdAt: '2026-11-21T06:00:00.000Z', ...cancelled });
  await place({ id: 4, clientId: second, totalCents: 30_000, createdAt: '2026-11-21T17:00:00.000Z' });
});
afterAll(() => world.close());

/** Stores an order as it is, also in a state that its history does not tell. */
async function place(asked: Parameters<typeof syntheticOrder>[0]): Promise<void> {
  await openTable().transact(createOrderWrites(syntheticOrder(asked)));
}

/** Opens the figures of three days, the last of which has no orders. */
async function openFigures(screen: Screen = DESK): Promise<CounterPage> {
  const opened = await world.open({ screen, route: '#/figures' });
  const { page } = opened;
  await page.getByRole('button', { name: 'Otro' }).click();
  await page.getByLabel('Del').fill('2026-11-20');
  await page.getByLabel('Al', { exact: true }).fill('2026-11-22');
  await expect.poll(() => page.getByRole('region', { name: 'Ventas' }).locator('.bar').count()).toBe(3);
  return opened;
}

/** Shows the numbers behind a chart and returns their rows. */
async function readNumbers({ page }: CounterPage, title: string): Promise<string[][]> {
  const chart = page.getByRole('region', { name: title, exact: true });
  await chart.getByText('Ver los números').click();
  const rows = await chart.getByRole('table').getByRole('row').all();
  return Promise.all(rows.map((row) => row.locator('th, td').allTextContents()));
}

describe('the figures of the counter', () => {
  it('stay as they are while a day of one’s own is half written', async () => {
    const { page } = await openFigures();
    await page.getByLabel('Del').fill('');
    await page.getByText('De 1 a 92 días').waitFor();
    expect(await page.locator('.loaded').getAttribute('aria-busy')).toBe('false');
  });

  it('have the numbers of the orders behind them, of each bar by the arrow keys', async () => {
    const desk = await openFigures();
    const { page } = desk;
    const chart = page.getByRole('region', { name: 'Ventas', exact: true });
    await chart.getByRole('slider').focus();
    await chart.locator('.readout', { hasText: '20 nov 2026: $300.50' }).waitFor();
    await press(page, 'ArrowRight');
    await chart.locator('.readout', { hasText: '21 nov 2026: $300.00' }).waitFor();
    await page.keyboard.press('End');
    expect(await page.evaluate('document.activeElement.ariaValueText')).toBe('22 nov 2026: $0.00');
    // The next stop of the Tab key is behind the bars.
    await press(page, 'Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Ver los números: Ventas');
    expect(await readNumbers(desk, 'Ventas')).toEqual([
      ['Cuándo', 'Ventas', 'Cancelado'],
      ['20 nov 2026', '$300.50', '$0.00'],
      ['21 nov 2026', '$300.00', '$50.00'],
      ['22 nov 2026', '$0.00', '$0.00'],
    ]);
    await desk.close();
  });

  it('are of one client and by hour on request', async () => {
    const { page, close } = await openFigures();
    await page.getByLabel('Cliente', { exact: true }).selectOption('Clínica Sur');
    await page.getByLabel('Resumen').getByText('$300.00').waitFor();
    await page.getByLabel('Barras por').selectOption('hora');
    await expect.poll(() => page.getByRole('region', { name: 'Ventas' }).locator('.bar').count()).toBe(72);
    expect(await page.getByLabel('Cliente', { exact: true }).getByRole('option').count()).toBe(3);
    await close();
  });

  it('of a named range are those of its days now when they are asked for again', async () => {
    const { page, close } = await world.open({ route: '#/figures' });
    // A view that is drawn while the clock is replaced would see the year 1970.
    await page.locator('.loaded').waitFor();
    await page.clock.setFixedTime('2026-11-20T20:00:00.000Z');
    await page.getByRole('button', { name: 'Hoy' }).click();
    const summary = page.getByLabel('Resumen');
    await summary.getByText('$300.50').waitFor();
    await page.clock.setFixedTime('2026-11-21T20:00:00.000Z');
    await press(page, 'r');
    await summary.getByText('$300.00').waitFor();
    await page.getByLabel('Barras por').selectOption('día');
    await page.clock.setFixedTime('2026-11-22T20:00:00.000Z');
    await press(page, 'r');
    await page.getByText('No hay órdenes en este tiempo.').waitFor();
    expect(await page.getByLabel('Barras por').inputValue()).toBe('day');
    await close();
  });

  it.each(SCREENS)('are accessible and fit the screen: %s', async (_, screen) => {
    const opened = await openFigures(screen);
    await readNumbers(opened, 'Órdenes');
    await opened.expectFit();
    await opened.close();
  });
});
