import { afterAll, beforeAll, expect, it } from 'vitest';
import { press } from '../../support/counter/counter-page.ts';
import { type CounterWorld, NOON, openCounterWorld } from '../../support/counter/counter-world.ts';
import { folioOf, placeOrder, storedOrder } from '../../support/counter/placed-orders.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

/** The keys that are pressed, and what the page says after them. */
type Step = readonly [keys: readonly string[], said: string];

const PAY: Step = [['p', 'Tab', '28', 'Enter'], 'Estado del pago: Pagada.'];
const CANCEL: Step = [['m', 'Can', 'Enter'], 'La orden ahora está: Cancelada.'];
const PREPARE: Step = [['a', 'Enter'], 'La orden ahora está: En surtido.'];
const FALL_SHORT: Step = [['m', 'Con', 'Enter'], 'La orden ahora está: Con faltantes.'];
const REFUND_ALL: Step = [['d', 'Enter'], 'Reembolso de $107.50 registrado.'];
const REFUND_PART: Step = [['d', 'ControlOrMeta+a', '28.50', 'Tab', '03', 'Enter'], 'Reembolso de $28.50 registrado.'];

let world: CounterWorld<TestServer>;
beforeAll(async () => {
  world = await openCounterWorld(openTestServer, NOON);
});
afterAll(() => world.close());

it.each([
  {
    what: 'cancelled, and paid back as it was paid',
    steps: [PAY, CANCEL, REFUND_ALL],
    orderStatus: 'cancelled',
    refund: { cents: 10_750, form: '28' },
    told: ['paid', 'cancelled', '107.50'],
  },
  {
    what: 'short of stock, and paid back in part in another form',
    steps: [PAY, PREPARE, FALL_SHORT, REFUND_PART],
    orderStatus: 'shortage',
    refund: { cents: 2_850, form: '03' },
    told: ['paid', 'in_process', 'shortage', '28.50'],
  },
])('an order is found by its folio, $what, by keys alone', async ({ steps, orderStatus, refund, told }) => {
  const id = await placeOrder(world.server);
  const { page, takeComplaints } = await world.open();
  await page.getByRole('searchbox').waitFor();
  await press(page, '/', 'ControlOrMeta+a', folioOf(id), 'Enter');
  await page.getByRole('link', { name: folioOf(id) }).waitFor();
  await press(page, 'Tab', 'Tab', 'Enter');
  await page.getByRole('heading', { name: folioOf(id) }).waitFor();
  await page.getByRole('group', { name: 'Acciones' }).waitFor();
  for (const [keys, said] of steps) {
    await press(page, ...keys);
    await page.locator('.notice').getByText(said).waitFor();
  }
  const stored = await storedOrder(id);
  const refunds = [{ ...refund, at: '2026-11-23T18:00:00.000Z' }];
  expect(stored).toMatchObject({ orderStatus, paymentStatus: 'paid', refunds });
  const byOperator = stored.history.filter(({ by }) => typeof by === 'object' && 'operator' in by);
  expect(byOperator.map(({ what, to }) => to ?? what)).toEqual(told);
  expect(takeComplaints()).toEqual([]);
});
