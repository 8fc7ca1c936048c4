import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import { type CounterPage, press, showOrder } from '../../support/counter/counter-page.ts';
import { NOON, OPERATOR, useCounterWorld } from '../../support/counter/counter-world.ts';
import { refusal } from '../../support/engines/facturapi-server.ts';
import { operate } from '../../support/operators/operator.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';
import { folioOf } from '../../support/orders/samples.ts';
import { EMPLOYEE, type InvoicingServer, openInvoicingServer } from '../../support/servers/invoicing-server.ts';

const world = useCounterWorld(openInvoicingServer, NOON);
let server: InvoicingServer;
let ui: CounterPage;
/** The orders by what their invoices wait for. */
const orders = { refused: 0, valid: 0, unpaid: 0, complement: 0 };
beforeAll(async () => {
  server = world.server;
  orders.valid = await place();
  await cancelRejected(orders.valid);
  orders.refused = await place({ invoicing: { zipcode: '00000' } });
  orders.unpaid = await place();
  await operate('pipe', 'orders', 'pay', String(orders.unpaid), '--status', 'credit');
  orders.complement = await place({ order: { payment_method: 2 } });
  await operate('pipe', 'orders', 'pay', String(orders.complement), '--status', 'paid', '--form', '03');
  ui = await world.open({ route: '#/invoices' });
});

async function place(asked: Parameters<InvoicingServer['place']>[0] = {}): Promise<number> {
  const { status, body } = await server.place({ invoicing: {}, ...asked });
  expect(status).toBe(201);
  return body.id;
}

/** Cancels an order, the cancellation of whose invoice the receiver rejects. */
async function cancelRejected(id: number): Promise<void> {
  await server.as(EMPLOYEE, 'PATCH', `/api/orders/${id}/`, { order_status: 'cancelled' });
  const { cfdi } = await server.stored(id);
  const invoice = server.facturapi.invoices.find((each) => each.id === cfdi);
  const body = Object.assign(invoice ?? {}, { cancellation_status: 'rejected' });
  server.facturapi.script(({ method }) => (method === 'DELETE' ? { status: 200, body } : undefined));
  await server.runAfter(0);
  server.facturapi.script();
}

async function forceInvoice(id: number, changes: Partial<TaxDocument>): Promise<void> {
  const { invoice } = await server.stored(id);
  if (!invoice) throw new Error('the order has an invoice');
  await server.force(id, { invoice: { ...invoice, ...changes } });
}

const rowOf = (order: number) => ui.page.getByRole('row', { name: new RegExp(`^${folioOf(order)} `) });
const focusedText = (): Promise<string> => ui.page.evaluate('document.activeElement.textContent');
const dialog = () => ui.page.getByRole('dialog');
const told = (text: string) => ui.page.locator('.notice').getByText(text).waitFor();

describe('the invoices', () => {
  it('that wait for a person stand there the most urgent first, with what has happened and what to do', async () => {
    await rowOf(orders.complement).waitFor();
    const found = ui.page.getByRole('table', { name: 'Facturas' }).locator('tbody tr');
    const [refused, valid, unpaid, complement] = await found.allInnerTexts();
    expect(refused).toMatch(/No emitida.*Emitir lo que no se emitió\s+Marcar como atendida/s);
    expect(valid).toMatch(new RegExp(`^${folioOf(orders.valid)}.*Cancelación rechazada`, 's'));
    expect(unpaid).toMatch(new RegExp(`^${folioOf(orders.unpaid)}.*PUE sin pagar`, 's'));
    expect(complement).toMatch(new RegExp(`^${folioOf(orders.complement)}.*Complemento por emitir.*5 dic 2026`, 's'));
    expect(await rowOf(orders.unpaid).getByRole('link').getAttribute('href')).toBe(`#/orders/${orders.unpaid}`);
    await ui.expectFit();
  });

  it('of another status take the place of the former, dimmed until then, and gone if they cannot be read', async () => {
    const { page, takeComplaints } = ui;
    const rows = page.getByRole('table', { name: 'Facturas' }).locator('tbody tr');
    const show = (status: string) => page.getByLabel('Mostrar').selectOption(status);
    await show('PUE sin pagar');
    await expect.poll(() => rows.getByRole('link').allInnerTexts()).toEqual([folioOf(orders.unpaid)]);
    const answered = Promise.withResolvers<void>();
    await page.route('**/commands/invoices-list', async (route) => {
      await answered.promise;
      await route.abort();
    });
    await show('Vigente');
    await page.locator('.loaded[aria-busy=true]').getByText('Leyendo…').waitFor();
    expect(await rows.count()).toBe(1);
    answered.resolve();
    await page.getByRole('alert').waitFor();
    expect(await rows.count()).toBe(0);
    expect(takeComplaints()).toEqual([expect.stringContaining('net::ERR_FAILED')]);
    await page.unrouteAll({ behavior: 'wait' });
    await show('Lo que espera a una persona');
    await rows.nth(3).waitFor();
  });
});

/** Opens the form of an action that the row of an order offers, by keyboard. */
const start = (order: number, action: string): Promise<void> =>
  rowOf(order).getByRole('button', { name: action }).press('Enter');

describe('an action', () => {
  it('has the focus where its work begins: on the button that does it', async () => {
    await start(orders.valid, 'Pedir de nuevo la cancelación');
    await dialog().getByRole('button', { name: 'Pedir de nuevo la cancelación' }).waitFor();
    await press(ui.page, 'Enter');
    await told(`Pedir de nuevo la cancelación: hecho. Orden ${folioOf(orders.valid)}.`);
    await rowOf(orders.valid).waitFor({ state: 'detached' });
    // Its button is gone with its row, and the next row takes the focus.
    await expect.poll(focusedText).toBe(folioOf(orders.unpaid));
    expect((await server.stored(orders.valid)).invoice?.status).toBe('cancelled');
  });

  it('tells the faults of a correction at their fields, and replaces once they are mended', async () => {
    await start(orders.unpaid, 'Sustituir la factura');
    const focused = (found: Locator) => found.and(ui.page.locator(':focus')).waitFor();
    await focused(dialog().getByLabel('RFC'));
    const zipcode = dialog().getByLabel('Código postal');
    await zipcode.fill('123');
    await zipcode.press('Enter');
    await dialog().getByText('El código postal debe tener 5 dígitos.').waitFor();
    expect(await zipcode.getAttribute('aria-invalid')).toBe('true');
    expect(ui.takeComplaints()).toEqual([expect.stringContaining('400')]);
    await zipcode.fill('64000');
    await zipcode.press('Enter');
    await told(`Sustitución pedida: la nueva factura se emite en unos minutos. Orden ${folioOf(orders.unpaid)}.`);
    await rowOf(orders.unpaid).waitFor({ state: 'detached' });
    expect((await server.stored(orders.unpaid)).replacementInvoicing?.zipcode).toBe('64000');
  });
});

/** Opens an order, and the form of an action on its invoice, by keys. */
async function choose(id: number, action: string): Promise<void> {
  await showOrder(ui, id);
  await press(ui.page, 'f');
  await dialog().waitFor();
  const choices = await dialog().locator('form').getByRole('button').allTextContents();
  await press(ui.page, ...choices.slice(0, choices.indexOf(action)).map(() => 'Tab'), 'Enter');
  await ui.page.getByRole('dialog', { name: action }).waitFor();
}

describe('the invoice of an order', () => {
  it('is marked as handled for what the form names, also for what has come between once it names it', async () => {
    const id = await place();
    await server.force(id, { paymentStatus: 'credit' });
    await choose(id, 'Marcar como atendida');
    const listed = () => dialog().locator('form > ul .badge').allTextContents();
    const unpaid = 'PUE sin pagar';
    expect(await listed()).toEqual([unpaid]);
    await forceInvoice(id, { mail: 'given_up' });
    await press(ui.page, 'Enter');
    await dialog().getByText('La orden cambió entretanto:').waitFor();
    expect(await listed()).toEqual([unpaid, 'Correo no enviado']);
    expect((await server.stored(id)).invoice?.handled).toEqual([]);
    await press(ui.page, 'Enter');
    await told('Marcar como atendida: hecho.');
    const { invoice } = await server.stored(id);
    expect(invoice?.handled).toEqual(['pue_unpaid', 'mail_given_up']);
    expect((await getStoredEvents(id)).at(-1)?.by).toEqual({ operator: OPERATOR });
    expect(ui.takeComplaints()).toEqual([expect.stringContaining('409')]);
  });

  it('is credited by a note, and by an equal one when that is meant', async () => {
    const id = await place();
    await choose(id, 'Nota de crédito');
    await press(ui.page, 'Enter');
    await dialog().getByText('Escriba qué se devuelve.').waitFor();
    await dialog().getByLabel('Importe').fill('20.00');
    await press(ui.page, 'Enter');
    await told('Nota de crédito pedida: se emite en unos minutos.');
    await choose(id, 'Nota de crédito');
    await dialog().getByLabel('Importe').fill('20.00');
    await press(ui.page, 'Enter');
    await dialog().getByText('ya tiene una nota de crédito igual, de 20.00 pesos').waitFor();
    await dialog().getByLabel('Emitirla aunque haya una igual').check();
    await press(ui.page, 'Enter');
    await told('Nota de crédito pedida: se emite en unos minutos.');
    const note = { kind: 'credit', stamp: null, amountCents: 2_000 };
    expect((await server.stored(id)).documents).toMatchObject([note, note]);
    expect(ui.takeComplaints()).toEqual([expect.stringContaining('409')]);
  });

  it('is issued to the receiver that the form shows, also after an attempt that stored another', async () => {
    const id = await place({ invoicing: { zipcode: '00000', email: 'lucia@example.mx' } });
    await choose(id, 'Emitir lo que no se emitió');
    await dialog().getByLabel('Código postal').fill('64000');
    await dialog().getByLabel('Correo').fill('otra@example.mx');
    server.facturapi.script(({ method }) => (method === 'POST' ? refusal(500, 'invoice_stamping_failed') : undefined));
    await press(ui.page, 'Enter');
    await dialog().getByRole('alert').getByText('No todo quedó hecho').waitFor();
    expect((await server.stored(id)).invoicing?.email).toBe('otra@example.mx');
    server.facturapi.script();
    await dialog().getByLabel('Correo').fill('lucia@example.mx');
    await press(ui.page, 'Enter');
    await told('Emitir lo que no se emitió: hecho.');
    const { invoice, invoicing } = await server.stored(id);
    expect([invoice?.status, invoicing?.zipcode, invoicing?.email]).toEqual(['issued', '64000', 'lucia@example.mx']);
  });
});
