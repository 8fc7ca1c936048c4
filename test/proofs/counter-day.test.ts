import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Order } from '../../shared/order/order.ts';
import { press } from '../support/counter/counter-page.ts';
import { type CounterWorld, NOON, OPERATOR, openCounterWorld } from '../support/counter/counter-world.ts';
import { placeOrder } from '../support/counter/placed-orders.ts';
import { drawnPdf } from '../support/counter/prescription-files.ts';
import { getStoredEvents, getStoredOrder } from '../support/orders/forced-order.ts';
import { folioOf } from '../support/orders/samples.ts';
import { prove } from '../support/proofs/proof.ts';
import { openServer, type TestServer } from '../support/servers/test-server.ts';

/** The keys that are pressed, and the text of the page after them. */
type Step = readonly [keys: readonly string[], said: string];
type Work = {
  /** The number of such orders among the 30 of a day. */
  readonly orders: number;
  readonly steps: readonly Step[];
  /** The state of such an order in the evening, and of its prescription if it has one. */
  readonly order: Partial<Order>;
  readonly prescription?: object;
  /** The operator's events in its history. */
  readonly told: readonly string[];
};

const VERIFY: Step = [['v', 'Dra. Eva Luna', 'Tab', '1234567', 'Enter'], 'La orden ahora está: Aprobada.'];
const step = (status: string): Step => [['a', 'Enter'], `La orden ahora está: ${status}.`];
const PREPARE = step('En surtido');
const PAY: Step = [['p', 'Tab', '28', 'Enter'], 'Estado del pago: Pagada.'];
const CANCEL: Step = [['m', 'Can', 'Enter'], 'La orden ahora está: Cancelada.'];

const DAY: readonly Work[] = [
  {
    orders: 12,
    steps: [VERIFY, PAY, PREPARE, step('Lista'), step('Enviada'), step('Entregada')],
    order: { orderStatus: 'delivered', paymentStatus: 'paid', paymentForm: '28' },
    prescription: {
      rejection: null,
      verification: { by: OPERATOR, lines: [{ productId: 4, quantity: 1 }] },
      prescriber: { name: 'Dra. Eva Luna', licence: '1234567', address: null },
    },
    told: ['prescription_verified', 'approved', 'paid', 'in_process', 'ready', 'shipped', 'delivered'],
  },
  {
    orders: 4,
    steps: [[['x', 'Sin firma', 'Enter'], 'rechazada.'], CANCEL],
    order: { orderStatus: 'cancelled', paymentStatus: 'unpaid' },
    prescription: { verification: null, rejection: { by: OPERATOR, reason: 'Sin firma o cédula de quien prescribe' } },
    told: ['prescription_rejected', 'cancelled'],
  },
  {
    orders: 7,
    steps: [
      PAY,
      CANCEL,
      [['d', 'Tab', 'Tab', '107.50', 'Tab', 'Tab', 'Cancelada', 'Enter'], 'Reembolso de $107.50 registrado.'],
    ],
    order: { orderStatus: 'cancelled', paymentStatus: 'paid', refunds: [refunded(10_750, '28')] },
    told: ['paid', 'cancelled', '107.50'],
  },
  {
    orders: 7,
    steps: [
      PAY,
      PREPARE,
      [['m', 'Con', 'Enter'], 'La orden ahora está: Con faltantes.'],
      [['d', '1', 'Tab', 'Tab', 'Tab', '03', 'Tab', 'Falta', 'Enter'], 'Reembolso de $28.50 registrado.'],
    ],
    order: { orderStatus: 'shortage', paymentStatus: 'paid', refunds: [refunded(2_850, '03')] },
    told: ['paid', 'in_process', 'shortage', '28.50'],
  },
];

function refunded(cents: number, form: string) {
  return { cents, form, at: '2026-11-23T18:00:00.000Z', parts: expect.any(Array) };
}

let world: CounterWorld<TestServer>;
beforeAll(async () => {
  world = await openCounterWorld(openServer, NOON);
});
afterAll(() => world.close());

/** Finds an order by its folio, and opens it, by keys alone. */
async function openOrder(page: Page, id: number): Promise<void> {
  await press(page, '1');
  await page.getByRole('searchbox').waitFor();
  await press(page, '/', 'ControlOrMeta+a', folioOf(id), 'Enter');
  await page.getByRole('heading', { name: folioOf(id) }).waitFor();
  await page.getByRole('group', { name: 'Acciones' }).waitFor();
}

async function workOn(page: Page, id: number, { steps }: Work): Promise<void> {
  await openOrder(page, id);
  for (const [keys, said] of steps) {
    await press(page, ...keys);
    await page.locator('.notice').getByText(said).waitFor();
  }
}

async function expectEvening(id: number, { order, prescription, told }: Work): Promise<void> {
  const stored = await getStoredOrder(id);
  expect(stored).toMatchObject({ ...order, prescriptions: prescription ? [prescription] : [] });
  const byOperator = (await getStoredEvents(id)).filter(({ by }) => typeof by === 'object' && 'operator' in by);
  expect(byOperator.map(({ what, to }) => to ?? what)).toEqual(told);
}

it('is a day of a pharmacist at the counter, by keys alone', async () => {
  const orders: { readonly id: number; readonly work: Work }[] = [];
  for (const work of DAY.flatMap((work) => Array.from({ length: work.orders }, () => work))) {
    const document = drawnPdf([`0 0 1 rg 60 60 480 300 re f % ${orders.length}`]);
    orders.push({ id: await placeOrder(world.server, work.prescription ? [document] : []), work });
  }
  const { page, takeComplaints } = await world.open();
  for (const { id, work } of orders) await workOn(page, id, work);
  for (const { id, work } of orders) await expectEvening(id, work);
  expect(takeComplaints()).toEqual([]);
  prove({ check: 'Counter: orders of a day, by keys alone', tries: orders.length });
});
