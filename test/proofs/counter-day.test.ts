import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Order } from '../../shared/order/order.ts';
import { press } from '../support/counter/counter-page.ts';
import { NOON, OPERATOR, placeOrder, useCounterWorld } from '../support/counter/counter-world.ts';
import { drawnPdf } from '../support/counter/prescription-files.ts';
import { forceStored, getStoredEvents, getStoredOrder } from '../support/orders/forced-order.ts';
import { folioOf } from '../support/orders/samples.ts';
import { prove } from '../support/proofs/proof.ts';
import { openServer } from '../support/servers/test-server.ts';

/** The keys that are pressed, and the text of the page after them. */
type Step = readonly [keys: readonly string[], said: string];
type Work = {
  readonly name: string;
  /** The number of such orders among the 30 of a day. */
  readonly orders: number;
  /** What is different from an order that is sent to its patient. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly isAntibiotic?: true;
  readonly steps: readonly Step[];
  /** The state of such an order in the evening, and of its prescription if it has one. */
  readonly order: Readonly<Record<string, unknown>>;
  readonly prescription?: object;
  /** The operator's events in its history. */
  readonly told: readonly string[];
};

const [PARACETAMOL, IBUPROFENO] = ['7509999000013', '7509999000044'];
const moved = (status: string): string => `La orden ahora está: ${status}.`;
const next = (status: string, ...keys: readonly string[]): Step => [['g', ...keys, 'Enter'], moved(status)];
const VERIFY: Step = [['v', 'Dra. Eva Luna', 'Tab', '1234567', 'Enter'], moved('Aprobada')];
const pay = (form: string): Step => [['p', 'Tab', form, 'Enter'], 'Estado del pago: Pagada.'];
const fill = (barcode: string, ...lot: readonly string[]): Step => next('En surtido', barcode, 'Enter', 'Tab', ...lot);
const READY = next('Lista');
const cancel = (reason: string): Step => [['m', 'Can', 'Tab', reason, 'Enter'], moved('Cancelada')];

const VERIFIED = {
  rejection: null,
  verification: { by: OPERATOR, lines: [{ productId: 4, quantity: 1 }] },
  prescriber: { name: 'Dra. Eva Luna', licence: '1234567', address: null },
};
const RECEIVER = ['MOXL900412AB1', 'Tab', 'LUZ MORA', 'Tab', '605', 'Tab', 'Tab', '06700'];

const DAY: readonly Work[] = [
  {
    name: 'sent under a prescription',
    orders: 7,
    steps: [VERIFY, pay('28'), fill(IBUPROFENO), READY, next('Enviada', 'Andariega', 'Tab', '1Z9'), next('Entregada')],
    order: { orderStatus: 'delivered', paymentStatus: 'paid', shipments: [{ carrier: 'Andariega' }] },
    prescription: VERIFIED,
    told: ['prescription_verified', 'approved', 'paid', 'in_process', 'ready', 'shipped', 'delivered'],
  },
  {
    name: 'collected and paid in cash',
    orders: 6,
    more: { shipping: undefined, store: 1 },
    steps: [pay('01'), fill(PARACETAMOL), READY, next('Entregada')],
    order: { orderStatus: 'delivered', paymentStatus: 'paid', paymentForm: '01', shippingDate: null },
    told: ['paid', 'in_process', 'ready', 'delivered'],
  },
  {
    name: 'an antibiotic, by its lot',
    orders: 4,
    isAntibiotic: true,
    steps: [VERIFY, pay('28'), fill(IBUPROFENO, 'L-7', 'Tab', '2027-05'), READY],
    order: { orderStatus: 'ready', paymentStatus: 'paid' },
    prescription: VERIFIED,
    told: ['prescription_verified', 'approved', 'paid', 'in_process', 'ready'],
  },
  {
    name: 'a prescription rejected',
    orders: 3,
    steps: [[['x', 'Sin firma', 'Enter'], 'rechazada.'], cancel('Receta sin firma')],
    order: { orderStatus: 'cancelled', paymentStatus: 'unpaid' },
    prescription: { verification: null, rejection: { by: OPERATOR, reason: 'Sin firma o cédula de quien prescribe' } },
    told: ['prescription_rejected', 'cancelled'],
  },
  {
    name: 'cancelled and refunded',
    orders: 4,
    steps: [pay('01'), cancel('Ya no lo quiere'), [['d', 'Enter'], 'Reembolso de $107.50 registrado.']],
    order: { orderStatus: 'cancelled', paymentStatus: 'paid', refunds: [{ cents: 10_750, form: '01' }] },
    told: ['paid', 'cancelled', '107.50'],
  },
  {
    name: 'short, a piece refunded',
    orders: 3,
    steps: [
      pay('28'),
      fill(PARACETAMOL),
      [['m', 'Con', 'Enter'], moved('Con faltantes')],
      [['d', '1', 'Tab', 'Tab', 'Tab', '03', 'Tab', 'Falta', 'Enter'], 'Reembolso de $28.50 registrado.'],
      [['n', 'Llamar al proveedor', 'Enter'], 'La nota está en la orden.'],
    ],
    order: { orderStatus: 'shortage', refunds: [{ cents: 2_850, form: '03' }], notes: [{ by: OPERATOR }] },
    told: ['paid', 'in_process', 'shortage', '28.50', 'noted'],
  },
  {
    name: 'invoiced to who asks',
    orders: 3,
    steps: [
      pay('28'),
      [['f', ...RECEIVER, 'Enter'], 'Facturar: hecho.'],
      [['e', 'urgente', 'Enter'], 'Las etiquetas y la reclamación quedaron como se escribieron.'],
    ],
    order: { invoice: { status: 'issued' }, invoicing: { rfc: 'MOXL900412AB1' }, tags: ['urgente'] },
    told: ['paid', 'invoice_requested', 'invoice_issued', 'invoice_mailed', 'tagged'],
  },
];

const world = useCounterWorld(() => openServer({ invoices: true }), NOON);

async function place({ more, isAntibiotic, prescription }: Work, number: number): Promise<number> {
  const document = drawnPdf([`0 0 1 rg 60 60 480 300 re f % ${number}`]);
  const id = await placeOrder(world.server, prescription ? [document] : [], 'ana@example.mx', more);
  if (!isAntibiotic) return id;
  const { lines }: Order = await getStoredOrder(id);
  await forceStored(id, { lines: lines.map((line) => ({ ...line, isAntibiotic: true })) });
  return id;
}

/** Works on an order by keys alone, from the scan of its folio on. Returns the number of keys, of which a scanner types some. */
async function workOn(page: Page, id: number, { steps }: Work): Promise<number> {
  const opening = ['/', 'ControlOrMeta+a', folioOf(id), 'Enter'];
  await press(page, '1');
  await page.getByRole('searchbox').waitFor();
  await press(page, ...opening);
  await page.getByRole('heading', { name: folioOf(id) }).waitFor();
  await page.getByRole('group', { name: 'Acciones' }).waitFor();
  for (const [keys, said] of steps) {
    await press(page, ...keys);
    await page.locator('.notice').getByText(said).waitFor();
  }
  const isPressed = (key: string) => /^(Tab|Enter|ControlOrMeta\+a)$/.test(key);
  const all = ['1', ...opening, ...steps.flatMap(([keys]) => keys)];
  return all.reduce((sum, key) => sum + (isPressed(key) ? 1 : key.length), 0);
}

async function expectEvening(id: number, { order, prescription, told }: Work): Promise<void> {
  const stored = await getStoredOrder(id);
  expect(stored).toMatchObject({ ...order, prescriptions: prescription ? [prescription] : [] });
  const byOperator = (await getStoredEvents(id)).filter(({ by }) => typeof by === 'object' && 'operator' in by);
  expect(byOperator.map(({ what, to }) => to ?? what)).toEqual(told);
}

it('is a day of a pharmacist at the counter, by keys alone', async () => {
  const days = [];
  for (const work of DAY) {
    const ids: number[] = [];
    for (let each = 0; each < work.orders; each++) ids.push(await place(work, days.length * 100 + each));
    days.push({ work, ids });
  }
  const { page, takeComplaints, expectFit } = await world.open();
  for (const { work, ids } of days) {
    const startedAt = performance.now();
    let keys = 0;
    for (const id of ids) keys += await workOn(page, id, work);
    const seconds = (performance.now() - startedAt) / 1_000 / ids.length;
    await expectFit();
    const figure = `${work.name}: ${Math.round(keys / ids.length)} keys, ${seconds.toFixed(1)} s an order`;
    prove({ check: `Counter: orders of a day, ${work.name}`, tries: ids.length, figure });
  }
  for (const { work, ids } of days) for (const id of ids) await expectEvening(id, work);
  await press(page, '5');
  // 7 and 4 of 137.00, 6 of 28.50 and 10 of 107.50; 4 of 107.50 and 3 of 28.50 went back.
  for (const sum of ['$2,753.00', '$515.50', '$2,237.50']) await page.getByLabel('Suma').getByText(sum).waitFor();
  await expectFit();
  expect(takeComplaints()).toEqual([]);
});
