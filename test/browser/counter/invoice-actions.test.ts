import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DocumentMail } from '../../../shared/domain/invoices/tax-document.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { type CounterPage, press } from '../../support/counter/counter-page.ts';
import { type CounterWorld, NOON, openCounterWorld } from '../../support/counter/counter-world.ts';
import { cancelOnlyOrder, folioOf } from '../../support/counter/placed-orders.ts';
import { drawnPdf } from '../../support/counter/prescription-files.ts';
import { refusal } from '../../support/engines/facturapi-server.ts';
import { type InvoicingServer, openInvoicingServer } from '../../support/servers/invoicing-server.ts';

let world: CounterWorld<InvoicingServer>;
let server: InvoicingServer;
let desk: CounterPage;
beforeAll(async () => {
  world = await openCounterWorld(openInvoicingServer, NOON);
  server = world.server;
  desk = await world.open();
});
beforeEach(() => setClock(NOON));
// A browser says of each answer that is a refusal.
const REFUSED = /responded with a status of (400|409) /;
afterEach(async () => {
  server.facturapi.script();
  await press(desk.page, 'Escape');
  expect(desk.takeComplaints().filter((said) => !REFUSED.test(said))).toEqual([]);
});
afterAll(() => world.close());

/** Places an order of 136.00 whose invoice is asked for. */
async function place(asked: { readonly order?: object; readonly invoicing?: object } = {}): Promise<number> {
  const { status, body } = await server.place({ invoicing: {}, ...asked });
  expect(status).toBe(201);
  return body.id;
}

const failToStamp = () =>
  server.facturapi.script(({ method }) => (method === 'POST' ? refusal(500, 'invoice_stamping_failed') : undefined));

/** Places an order whose invoice was not issued within its 72 hours, as the provider failed. */
async function placeUnissued(): Promise<number> {
  failToStamp();
  const id = await place();
  setClock(new Date('2026-11-27T18:00:00.000Z'));
  await server.settleAfter(0);
  return id;
}

/** Places and cancels an order, the cancellation of whose invoice the receiver rejects. */
async function placeUncancelled(): Promise<number> {
  const id = await place();
  await cancelOnlyOrder(server, id);
  return id;
}

async function forceMail(id: number, mail: DocumentMail): Promise<void> {
  const { invoice } = await server.stored(id);
  if (!invoice) throw new Error('the order has an invoice');
  await server.force(id, { invoice: { ...invoice, mail } });
}

async function openOrder(id: number): Promise<void> {
  await desk.page.evaluate(`location.hash = '#/orders/${id}'`);
  await desk.page.getByRole('heading', { name: folioOf(id) }).waitFor();
  await desk.page.getByRole('group', { name: 'Acciones' }).waitFor();
}

const dialog = (name: string) => desk.page.getByRole('dialog', { name });
const told = (text: string) => desk.page.locator('.notice').getByText(text).waitFor();
const alerted = (text: string | RegExp) => desk.page.getByRole('dialog').getByRole('alert').getByText(text).waitFor();
/** Waits for a document of the order: `Factura emitida`. */
const documented = (text: string) =>
  desk.page.getByRole('table', { name: 'Factura y documentos fiscales' }).getByRole('row', { name: text }).waitFor();

/** Returns what the order's page offers for its invoice, and leaves the choice open. */
async function listChoices(): Promise<string[]> {
  await press(desk.page, 'f');
  await dialog('Qué hacer con la factura').waitFor();
  return dialog('Qué hacer con la factura').locator('form').getByRole('button').allTextContents();
}

/** Opens the form of an action on the invoice. */
async function choose(action: string): Promise<void> {
  const choices = await listChoices();
  expect(choices).toContain(action);
  await press(desk.page, ...choices.slice(0, choices.indexOf(action)).map(() => 'Tab'), 'Enter');
  await dialog(action).waitFor();
}

describe('the invoice of an order', { timeout: 60_000 }, () => {
  it('is replaced for a corrected receiver, whose faults stand at their fields', async () => {
    const id = await place();
    await openOrder(id);
    await choose('Sustituir la factura');
    await press(desk.page, 'ControlOrMeta+a', 'XAXX010101000', 'Enter');
    await alerted('Revise los campos marcados.');
    const rfc = dialog('Sustituir la factura').getByLabel('RFC');
    expect([await rfc.inputValue(), await rfc.getAttribute('aria-invalid')]).toEqual(['XAXX010101000', 'true']);
    expect(await desk.page.evaluate('document.activeElement.value')).toBe('XAXX010101000');
    expect((await server.stored(id)).documents).toEqual([]);
    const receiver = (await server.stored(id)).invoicing;
    await press(desk.page, 'ControlOrMeta+a', receiver?.rfc ?? '', 'Tab', 'Tab', 'Tab', 'Tab');
    await press(desk.page, 'ControlOrMeta+a', '64000', 'Enter');
    await told('Sustituir la factura: hecho.');
    await documented('Factura por intentarse de nuevo');
    // The job issues the new one first, and then cancels the old one.
    await server.settleAfter(2);
    await server.settleAfter(2);
    await desk.page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    // An earlier offer may be of the order between the two.
    await desk.page.locator('.changes').getByText('Factura cancelada').waitFor();
    await press(desk.page, 'u');
    await documented('Factura cancelada');
    await documented('Factura emitida');
    await desk.page.getByText(`${receiver?.rfc}, ${receiver?.full_name}, 64000`).waitFor();
  });

  it('is marked as handled for what the form names, also for what has come between once it names it', async () => {
    const id = await place();
    await server.force(id, { paymentStatus: 'credit' });
    await openOrder(id);
    await choose('Marcar como atendida');
    const listed = () => dialog('Marcar como atendida').locator('form > .changes > li').allTextContents();
    const unpaid = 'PUE sin pagar Dice que se paga en su mes (PUE), y no se pagó o pasó a crédito.';
    expect(await listed()).toEqual([unpaid]);
    await forceMail(id, { status: 'given_up', tries: 9 });
    await press(desk.page, 'Enter');
    await dialog('Marcar como atendida').getByText('La orden cambió entretanto:').waitFor();
    expect(await listed()).toEqual([
      unpaid,
      'Correo no enviado Un correo no se pudo enviar, y ningún proceso lo vuelve a intentar.',
    ]);
    expect((await server.stored(id)).invoice?.handled).toEqual([]);
    await press(desk.page, 'Enter');
    await told('Marcar como atendida: hecho.');
    expect((await server.stored(id)).invoice?.handled).toEqual(['pue_unpaid', 'mail_given_up']);
  });

  it('is issued to the receiver that the form shows, also after an attempt that stored another', async () => {
    const id = await place({ invoicing: { zipcode: '00000', email: 'lucia@example.mx' } });
    await openOrder(id);
    await choose('Emitir lo que no se emitió');
    const form = dialog('Emitir lo que no se emitió');
    await form.getByLabel('Código postal').fill('64000');
    await form.getByLabel('Correo').fill('otra@example.mx');
    failToStamp();
    await press(desk.page, 'Enter');
    await alerted('No todo quedó hecho');
    expect((await server.stored(id)).invoicing?.email).toBe('otra@example.mx');
    server.facturapi.script();
    await form.getByLabel('Correo').fill('lucia@example.mx');
    await press(desk.page, 'Enter');
    await told('Emitir lo que no se emitió: hecho.');
    const { invoice, invoicing } = await server.stored(id);
    expect([invoice?.status, invoicing?.zipcode, invoicing?.email]).toEqual(['issued', '64000', 'lucia@example.mx']);
  });
});

/** Places an order that waits for its prescription to be verified. */
const placePrescribed = () => {
  const prescriptions = [{ document: drawnPdf().toString('base64'), issue_date: '2026-11-20' }];
  return place({ order: { details: [{ product: 4, quantity: 1 }], prescriptions } });
};

async function placePaid(): Promise<number> {
  const id = await place();
  await server.force(id, { paymentStatus: 'paid', paymentForm: '03' });
  return id;
}

const pressing =
  (...keys: readonly string[]) =>
  () =>
    press(desk.page, ...keys);
const choosing = (action: string) => [action, () => choose(action)] as const;

describe('an order that somebody has changed meanwhile', { timeout: 60_000 }, () => {
  it.each([
    [
      'waits for a prescription',
      placePrescribed,
      [
        ['Verificar receta', pressing('v')],
        ['Rechazar receta', pressing('x', 'Sin firma')],
        ['Cambiar el estado de la orden', pressing('m')],
        ['Cambiar el estado del pago', pressing('p')],
      ],
    ],
    [
      'is paid',
      placePaid,
      [
        ['Surtir', pressing('a')],
        ['Reembolsar', pressing('d')],
      ],
    ],
    ['has no invoice', placeUnissued, [choosing('Emitir lo que no se emitió'), choosing('Marcar como atendida')]],
    ['is cancelled, its invoice not', placeUncancelled, [choosing('Pedir de nuevo la cancelación')]],
    [
      'has an invoice',
      place,
      [choosing('Sustituir la factura'), choosing('Enviar de nuevo el correo'), choosing('Nota de crédito')],
    ],
  ] as const)('says so in each form before it does anything: one that %s', async (_, placeOne, forms) => {
    const id = await placeOne();
    await openOrder(id);
    for (const [name, open] of forms) {
      await open();
      await dialog(name).waitFor();
      await server.force(id, {});
      const before = await server.stored(id);
      await press(desk.page, 'Enter');
      await dialog(name).getByText('La orden cambió entretanto:').waitFor();
      expect(await server.stored(id)).toEqual(before);
      await press(desk.page, 'Escape');
      await dialog(name).waitFor({ state: 'detached' });
    }
  });
});
