import { beforeAll, describe, expect, it } from 'vitest';
import { createOrderWrites } from '../../../shared/order/order-writes.ts';
import { openTable } from '../../../shared/store/table.ts';
import { type CounterPage, press } from '../../support/counter/counter-page.ts';
import { NOON, placeOrder, useCounterWorld } from '../../support/counter/counter-world.ts';
import { operate } from '../../support/operators/operator.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';
import { openServer } from '../../support/servers/test-server.ts';

const world = useCounterWorld(openServer, NOON);
let ui: CounterPage;

beforeAll(async () => {
  const clientId = world.server.client.id;
  const second = (await world.server.addClient('Clínica Sur')).client.id;
  // 20 November of the shop is from 06:00 UTC to 06:00 UTC of the next day.
  await place({ id: 101, clientId, totalCents: 10_000, createdAt: '2026-11-20T18:00:00.000Z' });
  await place({ id: 102, clientId, totalCents: 20_050, createdAt: '2026-11-21T05:59:59.999Z' });
  const cancelled = { totalCents: 5_000, orderStatus: 'cancelled' } as const;
  await place({ id: 103, clientId, createdAt: '2026-11-21T06:00:00.000Z', ...cancelled });
  await place({ id: 104, clientId: second, totalCents: 30_000, createdAt: '2026-11-21T17:00:00.000Z' });
  ui = await world.open({ route: '#/figures' });
});

/** Stores an order as it is, also in a state that its history does not tell. */
async function place(asked: Parameters<typeof syntheticOrder>[0]): Promise<void> {
  await openTable().transact(createOrderWrites(syntheticOrder(asked)));
}

describe('the figures of the counter', () => {
  it('of a named range are those of its days now when they are asked for again', async () => {
    const { page } = ui;
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
  });

  it('have the numbers of the orders behind them, of each bar by the arrow keys, of all clients or one', async () => {
    const { page } = ui;
    await page.getByRole('button', { name: 'Otro' }).click();
    await page.getByLabel('Del').fill('2026-11-20');
    await page.getByLabel('Al', { exact: true }).fill('2026-11-22');
    const chart = page.getByRole('region', { name: 'Ventas', exact: true });
    await expect.poll(() => chart.locator('.bar').count()).toBe(3);
    await chart.getByRole('slider').focus();
    await chart.locator('.readout', { hasText: '20 nov 2026: $300.50' }).waitFor();
    await press(page, 'ArrowRight');
    await chart.locator('.readout', { hasText: '21 nov 2026: $300.00' }).waitFor();
    await page.keyboard.press('End');
    expect(await page.evaluate('document.activeElement.ariaValueText')).toBe('22 nov 2026: $0.00');
    // The next stop of the Tab key is behind the bars.
    await press(page, 'Tab', 'Enter');
    const rows = await chart.getByRole('table').getByRole('row').all();
    expect(await Promise.all(rows.map((row) => row.locator('th, td').allTextContents()))).toEqual([
      ['Cuándo', 'Ventas', 'Cancelado'],
      ['20 nov 2026', '$300.50', '$0.00'],
      ['21 nov 2026', '$300.00', '$50.00'],
      ['22 nov 2026', '$0.00', '$0.00'],
    ]);
    await ui.expectFit();
    await page.getByLabel('Cliente', { exact: true }).selectOption('Clínica Sur');
    await page.getByLabel('Resumen').getByText('$300.00').waitFor();
    await page.getByLabel('Barras por').selectOption('hora');
    await expect.poll(() => chart.locator('.bar').count()).toBe(72);
    expect(await page.getByLabel('Cliente', { exact: true }).getByRole('option').count()).toBe(3);
    await page.getByLabel('Del').fill('');
    await page.getByText('De 1 a 92 días').waitFor();
    expect(await page.locator('.loaded').getAttribute('aria-busy')).toBe('false');
  });
});

it('the till adds up what came and went back on a day', async () => {
  const id = await placeOrder(world.server);
  await operate('pipe', 'orders', 'pay', String(id), '--status', 'paid', '--form', '28');
  const { page } = ui;
  await page.getByRole('link', { name: 'Caja' }).click();
  await page.getByRole('row', { name: /28 Tarjeta de débito .*Envío .*\$0.00$/ }).waitFor();
  await ui.expectFit();
  await page.getByLabel('Día').fill('2026-11-22');
  await page.getByText('Nada se pagó ni se devolvió.').waitFor();
});
