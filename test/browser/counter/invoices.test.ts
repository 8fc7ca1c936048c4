import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaxDocument } from '../../../shared/domain/invoices/tax-document.ts';
import { type CounterPage, press, SCREENS, showOrder } from '../../support/counter/counter-page.ts';
import { type CounterWorld, NOON, OPERATOR, openCounterWorld } from '../../support/counter/counter-world.ts';
import { cancelOnlyOrder, folioOf } from '../../support/counter/placed-orders.ts';
import { refusal } from '../../support/engines/facturapi-server.ts';
import { operate } from '../../support/operators/operator.ts';
import { type InvoicingServer, openInvoicingServer } from '../../support/servers/invoicing-server.ts';

let world: CounterWorld<InvoicingServer>;
let server: InvoicingServer;
let desk: CounterPage;
/** The orders by what their invoices wait for. */
const orders = { refused: 0, differing: 0, valid: 0, unpaid: 0, complement: 0, unconfirmed: 0, mail: 0 };
beforeAll(async () => {
  world = await openCounterWorld(openInvoicingServer, NOON);
  server = world.server;
  orders.valid = await place();
  await cancelOnlyOrder(server, orders.valid);
  orders.refused = await place({ invoicing: { zipcode: '00000' } });
  orders.differing = await place();
  await forceInvoice(orders.differing, { issuedCents: 13_601 });
  orders.unpaid = await place();
  await operate('pipe', 'orders', 'pay', String(orders.unpaid), '--status', 'credit');
  orders.complement = await place({ order: { payment_method: 2 } });
  await operate('pipe', 'orders', 'pay', String(orders.complement), '--status', 'paid', '--form', '03');
  orders.unconfirmed = await place({ order: { payment_method: 2 } });
  await forceInvoice(orders.unconfirmed, { mail: { status: 'unconfirmed', tries: 1 } });
  orders.mail = await place({ order: { payment_method: 2 } });
  await forceInvoice(orders.mail, { mail: { status: 'given_up', tries: 9 } });
  desk = await world.open({ route: '#/invoices' });
});
afterAll(async () => {
  expect(desk.takeComplaints()).toEqual([]);
  await world.close();
});

async function place(asked: Parameters<InvoicingServer['place']>[0] = {}): Promise<number> {
  const { status, body } = await server.place({ invoicing: {}, ...asked });
  expect(status).toBe(201);
  return body.id;
}

async function forceInvoice(id: number, changes: Partial<TaxDocument>): Promise<void> {
  const { invoice } = await server.stored(id);
  if (!invoice) throw new Error('the order has an invoice');
  await server.force(id, { invoice: { ...invoice, ...changes } });
}

const rowOf = (order: number) => desk.page.getByRole('row', { name: new RegExp(`^${folioOf(order)} `) });
const focusedText = (): Promise<string> => desk.page.evaluate('document.activeElement.textContent');
const dialog = () => desk.page.getByRole('dialog');
const show = (label: string) => desk.page.getByLabel('Mostrar').selectOption(label);

describe('the invoices that wait for a person', () => {
  it('stand there the most urgent first, with what has happened and what to do', async () => {
    await rowOf(orders.mail).waitFor();
    const found = desk.page.getByRole('table', { name: 'Facturas' }).locator('tbody tr');
    const shown: string[][] = await found.evaluateAll((rows) =>
      rows.map((row) => ['th a', '.badge'].map((part) => row.querySelector(part)?.textContent ?? '')),
    );
    expect(shown).toEqual([
      [folioOf(orders.refused), 'No emitida'],
      [folioOf(orders.differing), 'Otro total'],
      [folioOf(orders.valid), 'Cancelación rechazada'],
      [folioOf(orders.unpaid), 'PUE sin pagar'],
      [folioOf(orders.complement), 'Complemento por emitir'],
      [folioOf(orders.unconfirmed), 'Correo sin confirmar'],
      [folioOf(orders.mail), 'Correo no enviado'],
    ]);
    const rows: string[] = await found.evaluateAll((each) =>
      each.map((row) => [...row.children].map((cell) => cell.textContent).join(' | ')),
    );
    expect(rows[0]).toBe(
      `${folioOf(orders.refused)}cliente 1 | ` +
        'No emitida No se emitió, y ningún proceso lo vuelve a intentar.El proveedor o el SAT rechaza sus datos. | ' +
        'Corrija lo que dice el motivo y emítala; o márquela como atendida si ya no se debe.' +
        'Emitir lo que no se emitióMarcar como atendida | $136.00 | 23 nov 2026, 12:00',
    );
    expect(rows[4]).toContain(' A más tardar el 5 dic 2026.');
    const link = rowOf(orders.unpaid).getByRole('link');
    expect(await link.getAttribute('href')).toBe(`#/orders/${orders.unpaid}`);
  });
});

describe('the invoices of a status', () => {
  it('stand there with what it means', async () => {
    await show('Vigente');
    await desk.page.getByRole('main').getByText('Ninguna factura tiene este estado.').waitFor();
    await show('PUE sin pagar');
    await rowOf(orders.unpaid).waitFor();
    expect(await desk.page.getByRole('table', { name: 'Facturas' }).locator('tbody tr').count()).toBe(1);
    await show('Lo que espera a una persona');
    await rowOf(orders.refused).waitFor();
  });
});

describe('the invoices of another status', () => {
  it('take the place of the former ones, which are dimmed until then, and gone if they cannot be read', async () => {
    const { page, close } = await world.open({ route: '#/invoices' });
    const rows = page.getByRole('table', { name: 'Facturas' }).locator('tbody tr');
    await rows.nth(6).waitFor();
    const answered = Promise.withResolvers<void>();
    await page.route('**/commands/invoices-list', async (route) => {
      await answered.promise;
      await route.abort();
    });
    await page.getByLabel('Mostrar').selectOption('Vigente');
    await page.locator('.loaded[aria-busy=true]').getByText('Leyendo…').waitFor();
    expect(await rows.count()).toBe(7);
    answered.resolve();
    await page.getByRole('alert').waitFor();
    expect(await rows.count()).toBe(0);
    await close();
  });
});

describe('the invoices on the screen', () => {
  it.each(SCREENS)('are accessible and fit: %s', async (_, screen) => {
    const opened = await world.open({ screen, route: '#/invoices' });
    const { page } = opened;
    await page.locator('main tbody tr').nth(6).waitFor();
    await opened.expectFit();
    expect(opened.takeComplaints()).toEqual([]);
    await opened.close();
  });
});

/** Does what the row of an order offers, by keyboard. */
async function act(order: number, action: string): Promise<void> {
  await rowOf(order).getByRole('button', { name: action }).press('Enter');
  await dialog().getByRole('button', { name: action }).press('Enter');
  await desk.page
    .getByText(`${action}: hecho. Orden ${folioOf(order)}.`)
    .first()
    .waitFor();
}

describe('an action', () => {
  it('has the focus where its work begins, and tells a fault of a pair at its field', async () => {
    const focused = (found: Locator) => found.and(desk.page.locator(':focus')).waitFor();
    await rowOf(orders.mail).getByRole('button', { name: 'Enviar de nuevo el correo' }).press('Enter');
    await focused(dialog().getByRole('button', { name: 'Enviar de nuevo el correo' }));
    await press(desk.page, 'Escape');
    await dialog().waitFor({ state: 'detached' });
    await rowOf(orders.unpaid).getByRole('button', { name: 'Sustituir la factura' }).press('Enter');
    await focused(dialog().getByLabel('RFC'));
    await dialog().getByLabel('Régimen fiscal').selectOption('601');
    await press(desk.page, 'Enter');
    await dialog().getByRole('alert').getByText('Revise los campos marcados.').waitFor();
    expect(await dialog().getByLabel('Régimen fiscal').getAttribute('aria-invalid')).toBe('true');
    expect(desk.takeComplaints()).toEqual([expect.stringContaining('400')]);
    await press(desk.page, 'Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  it('asks for a cancellation again', async () => {
    await act(orders.valid, 'Pedir de nuevo la cancelación');
    await rowOf(orders.valid).waitFor({ state: 'detached' });
    // Its button is gone with its row, and the next row takes the focus.
    await expect.poll(focusedText).toBe(folioOf(orders.unpaid));
    expect((await server.stored(orders.valid)).invoice?.status).toBe('cancelled');
  });

  it('that fails says so, and the list stays', async () => {
    await rowOf(orders.refused).getByRole('button', { name: 'Emitir lo que no se emitió' }).click();
    await dialog().getByRole('button', { name: 'Emitir lo que no se emitió' }).click();
    await dialog().getByText('No todo quedó hecho; el estado de la factura dice el motivo.').waitFor();
    await desk.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await rowOf(orders.refused).waitFor();
  });

  it('tells the faults of a correction at their fields, and replaces once they are mended', async () => {
    await rowOf(orders.unpaid).getByRole('button', { name: 'Sustituir la factura' }).click();
    const zipcode = dialog().getByLabel('Código postal');
    await zipcode.fill('123');
    await dialog().getByRole('button', { name: 'Sustituir la factura' }).click();
    await dialog().getByText('El código postal debe tener 5 dígitos.').waitFor();
    await dialog().getByRole('alert').getByText('Revise los campos marcados.').waitFor();
    await desk.expectFit();
    expect(desk.takeComplaints()).toEqual([expect.stringContaining('400')]);
    await zipcode.fill('64000');
    await dialog().getByRole('button', { name: 'Sustituir la factura' }).click();
    await desk.page
      .getByText(`Sustituir la factura: hecho. Orden ${folioOf(orders.unpaid)}.`)
      .first()
      .waitFor();
    await rowOf(orders.unpaid).waitFor({ state: 'detached' });
    expect((await server.stored(orders.unpaid)).replacementInvoicing?.zipcode).toBe('64000');
  });
});

/** Opens an order, and the form of an action on its invoice, by keys. */
async function choose(id: number, action: string): Promise<void> {
  await showOrder(desk, id);
  await press(desk.page, 'f');
  const choices = await dialog().locator('form').getByRole('button').allTextContents();
  await press(desk.page, ...choices.slice(0, choices.indexOf(action)).map(() => 'Tab'), 'Enter');
  await desk.page.getByRole('dialog', { name: action }).waitFor();
}

describe('the invoice of an order', () => {
  const told = (text: string) => desk.page.locator('.notice').getByText(text).waitFor();

  it('is marked as handled for what the form names, also for what has come between once it names it', async () => {
    const id = await place();
    await server.force(id, { paymentStatus: 'credit' });
    await choose(id, 'Marcar como atendida');
    const listed = () => dialog().locator('form > .changes > li').allTextContents();
    const unpaid = 'PUE sin pagar Dice que se paga en su mes (PUE), y no se pagó o pasó a crédito.';
    expect(await listed()).toEqual([unpaid]);
    await forceInvoice(id, { mail: { status: 'given_up', tries: 9 } });
    await press(desk.page, 'Enter');
    await dialog().getByText('La orden cambió entretanto:').waitFor();
    expect(await listed()).toEqual([
      unpaid,
      'Correo no enviado Un correo no se pudo enviar, y ningún proceso lo vuelve a intentar.',
    ]);
    expect((await server.stored(id)).invoice?.handled).toEqual([]);
    await press(desk.page, 'Enter');
    await told('Marcar como atendida: hecho.');
    const { invoice, history } = await server.stored(id);
    expect(invoice?.handled).toEqual(['pue_unpaid', 'mail_given_up']);
    expect(history.at(-1)?.by).toEqual({ operator: OPERATOR });
    expect(desk.takeComplaints()).toEqual([expect.stringContaining('409')]);
  });

  it('is issued to the receiver that the form shows, also after an attempt that stored another', async () => {
    const id = await place({ invoicing: { zipcode: '00000', email: 'lucia@example.mx' } });
    await choose(id, 'Emitir lo que no se emitió');
    await dialog().getByLabel('Código postal').fill('64000');
    await dialog().getByLabel('Correo').fill('otra@example.mx');
    server.facturapi.script(({ method }) => (method === 'POST' ? refusal(500, 'invoice_stamping_failed') : undefined));
    await press(desk.page, 'Enter');
    await dialog().getByRole('alert').getByText('No todo quedó hecho').waitFor();
    expect((await server.stored(id)).invoicing?.email).toBe('otra@example.mx');
    server.facturapi.script();
    await dialog().getByLabel('Correo').fill('lucia@example.mx');
    await press(desk.page, 'Enter');
    await told('Emitir lo que no se emitió: hecho.');
    const { invoice, invoicing } = await server.stored(id);
    expect([invoice?.status, invoicing?.zipcode, invoicing?.email]).toEqual(['issued', '64000', 'lucia@example.mx']);
  });
});
