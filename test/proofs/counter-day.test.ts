import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Order } from '../../shared/store/orders/order.ts';
import { press } from '../support/counter/counter-page.ts';
import { type CounterWorld, NOON, OPERATOR, openCounterWorld } from '../support/counter/counter-world.ts';
import { folioOf, placeOrder } from '../support/counter/placed-orders.ts';
import { drawnPdf } from '../support/counter/prescription-files.ts';
import { getStoredOrder } from '../support/orders/forced-order.ts';
import { prove } from '../support/proofs/proof.ts';
import { openTestServer, type TestServer } from '../support/servers/test-server.ts';

/** The keys that are pressed, and the text of the page after them. */
type Step = readonly [keys: readonly string[], said: string];
type Work = {
  /** The number of such orders among the 30 of a day. */
  readonly orders: number;
  readonly isPrescribed?: true;
  readonly steps: readonly Step[];
  /** The state of such an order in the evening. */
  readonly evening: {
    readonly order: Partial<Order>;
    readonly prescription?: object;
    /** The operator's events in its history. */
    readonly told: readonly string[];
  };
};

const VERIFY: Step = [['v', 'Dra. Eva Luna', 'Tab', '1234567', 'Enter'], 'verificada.'];
const APPROVE: Step = [['a', 'Enter'], 'La orden ahora está: Aprobada.'];
const PREPARE: Step = [['a', 'Enter'], 'La orden ahora está: En surtido.'];
const FINISH: Step = [['a', 'Enter'], 'La orden ahora está: Lista.'];
const SHIP: Step = [['a', 'Enter'], 'La orden ahora está: Enviada.'];
const DELIVER: Step = [['a', 'Enter'], 'La orden ahora está: Entregada.'];
const PAY: Step = [['p', 'Tab', '28', 'Enter'], 'Estado del pago: Pagada.'];
const CANCEL: Step = [['m', 'Can', 'Enter'], 'La orden ahora está: Cancelada.'];

const DAY: Readonly<Record<string, Work>> = {
  'verified and approved': {
    orders: 8,
    isPrescribed: true,
    steps: [VERIFY, APPROVE],
    evening: {
      order: { orderStatus: 'approved', paymentStatus: 'unpaid' },
      prescription: {
        rejection: null,
        verification: { by: OPERATOR, lines: [{ productId: 4, quantity: 1 }] },
        prescriber: { name: 'Dra. Eva Luna', licence: '1234567', address: null },
      },
      told: ['prescription_verified', 'approved'],
    },
  },
  'verified and delivered': {
    orders: 4,
    isPrescribed: true,
    steps: [VERIFY, APPROVE, PAY, PREPARE, FINISH, SHIP, DELIVER],
    evening: {
      order: { orderStatus: 'delivered', paymentStatus: 'paid', paymentForm: '28' },
      prescription: { verification: { by: OPERATOR }, prescriber: { licence: '1234567' } },
      told: ['prescription_verified', 'approved', 'paid', 'in_process', 'ready', 'shipped', 'delivered'],
    },
  },
  'rejected and cancelled': {
    orders: 3,
    isPrescribed: true,
    steps: [[['x', 'Sin firma', 'Enter'], 'rechazada.'], CANCEL],
    evening: {
      order: { orderStatus: 'cancelled', paymentStatus: 'unpaid' },
      prescription: { verification: null, rejection: { by: OPERATOR, reason: 'Sin firma' } },
      told: ['prescription_rejected', 'cancelled'],
    },
  },
  'paid and shipped': {
    orders: 8,
    steps: [PAY, PREPARE, FINISH, SHIP],
    evening: {
      order: { orderStatus: 'shipped', paymentStatus: 'paid', paymentForm: '28' },
      told: ['paid', 'in_process', 'ready', 'shipped'],
    },
  },
  'cancelled and paid back': {
    orders: 4,
    steps: [PAY, CANCEL, [['d', 'Enter'], 'Reembolso de $107.50 registrado.']],
    evening: {
      order: {
        orderStatus: 'cancelled',
        paymentStatus: 'paid',
        refunds: [{ cents: 10_750, form: '28', at: '2026-11-23T18:00:00.000Z', parts: expect.any(Array) }],
      },
      told: ['paid', 'cancelled', '107.50'],
    },
  },
  'short of stock, and paid in part back': {
    orders: 3,
    steps: [
      PAY,
      PREPARE,
      [['m', 'Con', 'Enter'], 'La orden ahora está: Con faltantes.'],
      [['d', 'ControlOrMeta+a', '28.50', 'Tab', '03', 'Enter'], 'Reembolso de $28.50 registrado.'],
    ],
    evening: {
      order: {
        orderStatus: 'shortage',
        paymentStatus: 'paid',
        refunds: [{ cents: 2_850, form: '03', at: '2026-11-23T18:00:00.000Z', parts: expect.any(Array) }],
      },
      told: ['paid', 'in_process', 'shortage', '28.50'],
    },
  },
};

let world: CounterWorld<TestServer>;
beforeAll(async () => {
  world = await openCounterWorld(openTestServer, NOON);
});
afterAll(() => world.close());

async function place(count: number, { isPrescribed }: Work): Promise<number> {
  const ink = `0 0 1 rg 60 60 480 300 re f % ${count}`;
  return placeOrder(world.server, isPrescribed ? [drawnPdf([ink])] : []);
}

/** Finds an order by its folio, and opens it, by keys alone. */
async function openOrder(page: Page, id: number): Promise<void> {
  await press(page, '1');
  await page.getByRole('searchbox').waitFor();
  await press(page, '/', 'ControlOrMeta+a', folioOf(id), 'Enter');
  await page.getByRole('link', { name: folioOf(id) }).waitFor();
  await press(page, 'Tab', 'Tab', 'Enter');
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

async function expectEvening(id: number, { evening: { order, prescription, told } }: Work): Promise<void> {
  const stored = await getStoredOrder(id);
  expect(stored).toMatchObject(order);
  expect(stored.prescriptions).toMatchObject(prescription ? [prescription] : []);
  const byOperator = stored.history.filter(({ by }) => typeof by === 'object' && 'operator' in by);
  expect(byOperator.map(({ what, to }) => to ?? what)).toEqual(told);
}

it('is a day of a pharmacist at the counter, by keys alone', async () => {
  const works = Object.values(DAY);
  const planned = works.flatMap((work) => Array.from({ length: work.orders }, () => work));
  const orders: { readonly id: number; readonly work: Work }[] = [];
  for (const work of planned) orders.push({ id: await place(orders.length, work), work });
  const { page, takeComplaints } = await world.open();
  for (const { id, work } of orders) await workOn(page, id, work);
  for (const { id, work } of orders) await expectEvening(id, work);
  expect(takeComplaints()).toEqual([]);
  prove({ check: 'Counter: orders of a day, by keys alone', tries: orders.length });
});
