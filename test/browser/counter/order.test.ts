import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Order } from '../../../shared/order/order.ts';
import type { OrderPayment } from '../../../shared/payments/rules/order-payment.ts';
import {
  type CounterPage,
  DESK,
  drawnFrame,
  PHONE,
  press,
  SCREENS,
  showOrder,
} from '../../support/counter/counter-page.ts';
import {
  COLLEAGUE,
  type CounterWorld,
  NOON,
  OPERATOR,
  openCounterWorld,
  openTestCounter,
} from '../../support/counter/counter-world.ts';
import { placeOrder } from '../../support/counter/placed-orders.ts';
import { BLUE, drawnPdf, RED } from '../../support/counter/prescription-files.ts';
import { forceStored, getStoredEvents, getStoredOrder } from '../../support/orders/forced-order.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

let world: CounterWorld<TestServer>;
let server: TestServer;
/** The page of the cases that leave it as they found it. */
let desk: CounterPage;
/** The page of another operator, at a counter of their own. */
let colleague: CounterPage;
let second: Awaited<ReturnType<typeof openTestCounter>>;
beforeAll(async () => {
  world = await openCounterWorld(openServer, NOON);
  server = world.server;
  second = await openTestCounter(COLLEAGUE);
  [desk, colleague] = await Promise.all([world.open(), world.open({ address: second.address })]);
});
afterAll(async () => {
  await second.close();
  await world.close();
});

afterEach(async () => {
  for (const { page, takeComplaints } of [desk, colleague]) {
    await press(page, 'Escape');
    // A browser says of each answer that is a refusal.
    expect(takeComplaints().filter((said) => !/responded with a status of (400|409) /.test(said))).toEqual([]);
  }
});

type Placed = {
  readonly files?: readonly Buffer[];
  /** Returns what is different from the order as it was placed. */
  change?(order: Order): Partial<Order>;
  readonly shown?: CounterPage;
};

/** Places an order with these documents, and shows it. */
async function openNew({ files = [], change, shown = desk }: Placed = {}) {
  const id = await placeOrder(server, files);
  const order = await getStoredOrder(id);
  if (change) await forceStored(id, change(order));
  return { ...(await showOrder(shown, id)), id, prescriptions: order.prescriptions.map((each) => each.id) };
}

const twicePaid = (unmatchedCents: number): OrderPayment => ({
  ...{
    attempts: [],
    customer: 'cus_1',
    paidBy: null,
    unmatchedCents,
    handledCents: 0,
    isAccountWatched: false,
    renewals: 0,
  },
});

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });
const told = (page: Page, text: string) => page.locator('.notice').getByText(text).waitFor();

/** Presses keys, and waits until the page says that it is done. */
async function act(page: Page, text: string, ...keys: readonly string[]): Promise<void> {
  await press(page, ...keys);
  await told(page, text);
}

const NO_SIGNATURE = 'Sin firma o cédula de quien prescribe';

let documents = 0;
/** Returns a PDF that no other prescription has. */
const newPdf = (...pages: readonly string[]): Buffer =>
  drawnPdf((pages.length > 0 ? pages : [BLUE]).map((page) => `${page} % ${++documents}`));

describe('an order at the counter', () => {
  it('is verified, approved, paid and sent by keys alone', async () => {
    const known = { sex: 'F', birthdate: '1991-11-20', medicalCondition: 'Penicilina' } as const;
    const patientOnRecord = { firstName: 'Rosa', medicalCondition: 'Asma' };
    const change = ({ patient }: Order) => ({ patient: { ...patient, ...known }, sentPerson: known, patientOnRecord });
    const { id, page, expectFit } = await openNew({ files: [newPdf()], change });
    await page.getByText('35 años, sexo femenino').waitFor();
    await page.getByText('Alergias y padecimientos: Penicilina').waitFor();
    await press(page, 'v');
    const form = dialog(page, 'Verificar receta');
    const onRecord = 'De otra persona, Rosa Paz, alergias y padecimientos: Asma';
    for (const text of ['Ana Paz', 'Penicilina', onRecord, 'Se verifica para: 1 × Ibuprofeno 800 mg'])
      await form.getByText(text).first().waitFor();
    await press(page, 'Tab', '12345678', 'Enter');
    await form.getByText('Este campo es obligatorio.').waitFor();
    await press(page, 'Dra. Eva Luna', 'Tab', 'ControlOrMeta+a', '12-34', 'Enter');
    await form.getByText('Debe ser el número de una cédula').waitFor();
    expect(await page.evaluate('document.activeElement.value')).toBe('12-34');
    // One press verifies it and approves the order, of which the next step comes by one key.
    const rest = ['ControlOrMeta+a', '12345678', 'Tab', 'Calle 5, Puebla', 'Enter'];
    await act(page, 'La orden ahora está: Aprobada.', ...rest);
    await press(page, 'g');
    await dialog(page, 'Surtir').getByText('No está pagada: Sin pagar. Faltan $137.00 por cobrar.').waitFor();
    await expectFit();
    await act(page, 'Estado del pago: Pagada.', 'Escape', 'p', 'Tab', '28', 'Enter');
    // A change of the status is preset to the next step.
    for (const [status, ...keys] of [
      ['En surtido', 'm'],
      ['Lista', 'a'],
      ['Enviada', 'a', 'Estafeta', 'Tab', '9055'],
      ['Entregada', 'a'],
    ]) {
      await act(page, `La orden ahora está: ${status}.`, ...keys, 'Enter');
    }
    await page.getByText('Estafeta 9055', { exact: true }).waitFor();
    expect(await getStoredOrder(id)).toMatchObject({
      orderStatus: 'delivered',
      paymentStatus: 'paid',
      paymentForm: '28',
      shipments: [{ carrier: 'Estafeta', trackingNumber: '9055' }],
      prescriptions: [
        {
          verification: { by: OPERATOR, lines: [{ productId: 4, quantity: 1 }] },
          prescriber: { name: 'Dra. Eva Luna', licence: '12345678', address: 'Calle 5, Puebla' },
        },
      ],
    });
    // The prescriber is known, and nothing is left to be done.
    expect(await page.getByRole('group', { name: 'Acciones' }).getByRole('button').allTextContents()).toEqual([
      'Reembolsar',
      'Facturar…',
      'Nota…',
      'Etiquetas…',
      'Imprimir…',
    ]);
  });

  it('is filled by scanned barcodes, each of which ticks a piece off, while a wrong one is refused', async () => {
    const twice = ({ lines }: Order) => ({ lines: lines.map((line) => ({ ...line, quantity: 2 })) });
    const { id, page, expectFit } = await openNew({ change: twice });
    const form = dialog(page, 'Surtir');
    const [inactive, unknown] = ['7509999000020', '12345670'];
    const found = { '7509999000013': { id: 1, is_active: true }, [inactive]: { id: 2, is_active: true } };
    await page.route('**/commands/catalog-search', async (route) => {
      const { text } = route.request().postDataJSON();
      const product = { name: 'Naproxeno', ean_key: text, ...found[text.replace(/^0/, '') as keyof typeof found] };
      await route.fulfill({ json: { document: { products: text === unknown ? [] : [product] } } });
    });
    onTestFinished(() => page.unrouteAll());
    // A scan before the form is open goes nowhere.
    await press(page, ...'7509999000013', 'Enter', 'a');
    await form.getByText('0 de 2').waitFor();
    for (const [code, refusal] of [
      [inactive, 'No es de esta orden: Naproxeno.'],
      [unknown, 'No es de esta orden: 12345670.'],
    ] as const) {
      await press(page, code, 'Enter');
      await form.getByRole('alert').getByText(refusal).waitFor();
    }
    await expectFit();
    // As a scanner reads a GTIN-14, with two line ends, of which neither sends the form.
    await press(page, '07509999000013', 'Enter', 'Enter');
    await form.getByText('1 de 2').waitFor();
    expect([await form.getByRole('alert').count(), (await getStoredOrder(id)).orderStatus]).toEqual([0, 'approved']);
    // What is missing is told before it is filled all the same.
    await form.getByRole('button', { name: 'Surtir' }).press('Enter');
    await form.getByRole('alert').getByText('Faltan 1 por leer').waitFor();
    await form.getByLabel('Código de barras').focus();
    await press(page, '7509999000013', 'Enter');
    await form.getByText('2 de 2').waitFor();
    await press(page, '7509999000013', 'Enter');
    await form.getByText('ya están todas las piezas').waitFor();
    await form.getByLabel('Lote de Paracetamol').fill('B204');
    await press(page, 'Enter');
    await form.getByText('escriba el lote y su caducidad').waitFor();
    await form.getByLabel('Caducidad de Paracetamol').fill('05/27');
    await press(page, 'Enter');
    await form.getByText('El lote son letras, dígitos').waitFor();
    await form.getByLabel('Caducidad de Paracetamol').fill('2020-05');
    await press(page, 'Enter');
    await form.getByText('El lote B204 caducó (2020-05)').waitFor();
    await form.getByLabel('Caducidad de Paracetamol').fill('2027-05');
    await act(page, 'La orden ahora está: En surtido.', 'Enter');
    await page.getByText('2 del lote B204, caduca 2027-05').waitFor();
    const { dispensed, lines } = await getStoredOrder(id);
    expect(dispensed?.lots).toEqual([{ line: lines[0]?.id, lot: 'B204', expiry: '2027-05', quantity: 2 }]);
  });

  it('whose product was withdrawn is not filled by its barcode', async () => {
    const { page } = await openNew();
    await page.route('**/commands/catalog-search', (route) => route.fulfill({ json: { document: { products: [] } } }));
    onTestFinished(() => page.unrouteAll());
    await press(page, 'a', '7509999000013', 'Enter');
    await dialog(page, 'Surtir').getByText('ya no se vende').waitFor();
    expect(await dialog(page, 'Surtir').getByText('0 de 1').count()).toBe(1);
  });

  it('with an antibiotic asks who prescribes it before it is filled', async () => {
    const change = ({ lines, prescriptions }: Order): Partial<Order> => ({
      orderStatus: 'approved',
      lines: lines.map((line) => ({ ...line, isAntibiotic: true })),
      prescriptions: prescriptions.map((each) => {
        return { ...each, verification: { at: NOON.toISOString(), by: 'ana', lines: [{ productId: 4, quantity: 1 }] } };
      }),
    });
    const { page } = await openNew({ files: [newPdf()], change });
    await press(page, 'g');
    const form = dialog(page, 'Anotar quien prescribe');
    await press(page, 'Enter');
    expect(await form.getByText('Este campo es obligatorio.').count()).toBe(2);
    await act(page, 'verificada.', 'Dra. Eva Luna', 'Tab', '12345678', 'Enter');
    await press(page, 'g');
    await dialog(page, 'Surtir').getByLabel('Código de barras').waitFor();
  });

  it('that its patient collects is handed over without a carrier', async () => {
    const id = await placeOrder(server, [], 'ana@example.mx', { shipping: undefined, store: 1 });
    await forceStored(id, { orderStatus: 'ready', paymentStatus: 'paid' });
    const { page } = await showOrder(desk, id);
    await press(page, 'g');
    expect(await dialog(page, 'Entregar al paciente').getByRole('textbox').count()).toBe(0);
    await act(page, 'La orden ahora está: Entregada.', 'Enter');
    expect(await getStoredOrder(id)).toMatchObject({ orderStatus: 'delivered', shippingDate: null });
  });

  it('is refunded by pieces or by an amount, which the form does not fill in, and for a reason', async () => {
    const { id, page, expectFit } = await openNew({ change: () => ({ paymentStatus: 'paid', paymentForm: '03' }) });
    await press(page, 'd');
    const form = dialog(page, 'Reembolsar');
    const pieces = form.getByLabel('Piezas de Paracetamol');
    expect([await pieces.inputValue(), await form.getByLabel('Importe').inputValue()]).toEqual(['', '']);
    await expectFit();
    await press(page, 'Enter');
    await form.getByText('Este campo es obligatorio.').waitFor();
    await form.getByLabel('Motivo').fill('Caja golpeada');
    await press(page, 'Enter');
    await form.getByText('Escriba qué se devuelve.').waitFor();
    await pieces.fill('2');
    await press(page, 'Enter');
    await form.getByText('Escriba cuántas piezas, de 1 a 1.').waitFor();
    await pieces.fill('1');
    await form.getByLabel('Importe').fill('1.00');
    await press(page, 'Enter');
    await form.getByText('Deje en blanco el importe').waitFor();
    await form.getByLabel('Importe').fill('');
    await act(page, 'Reembolso de $28.50 registrado.', 'Enter');
    await page.getByRole('row', { name: /Reembolso: \$0.00 → \$28.50: Caja golpeada/ }).waitFor();
    await press(page, 'd');
    expect(await pieces.count()).toBe(0);
    await form.getByLabel('Envío').check();
    await form.getByLabel('Motivo').fill('Llegó tarde');
    await act(page, 'Reembolso de $79.00 registrado.', 'Enter');
    const { lines, refunds } = await getStoredOrder(id);
    expect(refunds?.map(({ parts }) => parts)).toEqual([
      [{ line: lines[0]?.id, quantity: 1, cents: 2_850 }],
      [{ line: null, quantity: 0, cents: 7_900 }],
    ]);
  });

  it('of which more came than its total gives back the rest as such', async () => {
    const change = ({ totalCents }: Order) => ({ paymentStatus: 'paid' as const, payment: twicePaid(totalCents) });
    const { id, page } = await openNew({ change });
    await press(page, 'd');
    const form = dialog(page, 'Reembolsar');
    await form.getByLabel('dinero aparte').check();
    await form.getByText('A lo más $107.50').waitFor();
    await form.getByLabel('Importe').fill('107.50');
    await form.getByLabel('Forma de pago').selectOption('03');
    await form.getByLabel('Motivo').fill('Pagó dos veces');
    await act(page, 'Reembolso de $107.50 registrado.', 'Enter');
    expect((await getStoredOrder(id)).refunds).toMatchObject([{ cents: 10_750, isSurplus: true, parts: [] }]);
  });

  it('has its prescriptions judged one by one, of which that one stays in view', async () => {
    const { id, page, prescriptions, expectFit } = await openNew({ files: [newPdf(), newPdf()] });
    const [first, second] = prescriptions;
    const heading = (prescription = 0) => page.getByRole('heading', { name: `Receta ${prescription} ·` });
    const named = (name: string) => page.getByRole('button', { name, exact: true });
    await press(page, 'v');
    await named('Acercar').focus();
    await press(page, 's', 'x', 'a', 'm', '2');
    for (const name of [`Receta ${second} · receta-2.pdf`, 'Cambiar estado…']) await named(name).click({ force: true });
    await dialog(page, `Verificar receta ${first}`).waitFor();
    expect([await heading(first).count(), await page.getByRole('dialog').count()]).toEqual([1, 1]);
    await press(page, 'Escape', 's');
    await heading(second).waitFor();
    await act(page, `Receta ${first} verificada.`, 's', 'v', 'Enter');
    await heading(second).waitFor();
    await named(`Verificada: Receta ${first} · receta-1.pdf`).waitFor();
    await named('Rechazar receta').focus();
    await act(page, `Receta ${second} rechazada.`, 'Enter', 'Sin firma', 'Enter');
    await page.getByText(`Rechazada: ${NO_SIGNATURE}`, { exact: true }).waitFor();
    await named(`Rechazada: Receta ${second} · receta-2.pdf`).waitFor();
    await expectFit();
    // The button of what was done is gone.
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    const rejection = { by: OPERATOR, reason: NO_SIGNATURE };
    expect((await getStoredOrder(id)).prescriptions[1]?.rejection).toMatchObject(rejection);
    // Another reason is written.
    await act(page, 'rechazada.', 's', 'x', 'Otro', 'Tab', 'Es de un veterinario', 'Enter');
    expect((await getStoredOrder(id)).prescriptions[0]?.rejection).toMatchObject({ reason: 'Es de un veterinario' });
  });

  it('gets a prescription that is attached at the counter, which is judged next', async () => {
    const { id, page, expectFit } = await openNew({ files: [newPdf()] });
    await act(page, 'rechazada.', 'x', 'Sin firma', 'Enter');
    await press(page, 't');
    const form = dialog(page, 'Agregar receta');
    const attach = form.getByRole('button', { name: 'Agregar receta' });
    await attach.press('Enter');
    await form.getByText('Este campo es obligatorio.').first().waitFor();
    const file = { name: 'nueva.pdf', mimeType: 'application/pdf', buffer: newPdf() };
    await form.getByLabel('Archivo').setInputFiles(file);
    await attach.click();
    await form.getByText('Este campo es obligatorio.').waitFor();
    await expectFit();
    await form.getByLabel('Expedida el').fill('2026-11-20');
    await form.getByLabel('Expedida el').press('Enter');
    await told(page, 'La receta se agregó: falta verificarla.');
    await page.getByRole('heading', { name: /^Receta \d+ · nueva.pdf$/ }).waitFor();
    await act(page, 'verificada.', 'v', 'Enter');
    const { prescriptions } = await getStoredOrder(id);
    const history = await getStoredEvents(id);
    expect(prescriptions.map(({ verification }) => verification !== null)).toEqual([false, true]);
    expect(history.find(({ what }) => what === 'prescription_attached')?.by).toEqual({ operator: OPERATOR });
  });

  it('has an old prescription verified only by who accepts its age', async () => {
    const change = ({ prescriptions }: Order) => ({
      prescriptions: prescriptions.map((each) => ({ ...each, issueDate: '2026-01-01' })),
    });
    const { id, page } = await openNew({ files: [newPdf()], change });
    await press(page, 'v', 'Enter');
    await dialog(page, 'Verificar receta').getByText('Este campo es obligatorio.').waitFor();
    await act(page, 'verificada.', ' ', 'Enter');
    expect((await getStoredOrder(id)).prescriptions[0]?.verification).toMatchObject({ isAgeAccepted: true });
  });

  it('names the orders that have the same document before it is verified, which asks', async () => {
    const file = newPdf();
    const { id: first } = await openNew({ files: [file] });
    const { id, page } = await openNew({ files: [file] });
    const link = page.getByRole('link', { name: `orden ${first}, receta` });
    await link.getByText(/de Ana Paz, .*, por aprobar, sin verificar$/).waitFor();
    expect(await link.getAttribute('href')).toBe(`#/orders/${first}`);
    await press(page, 'v', 'Enter');
    await dialog(page, 'Verificar receta').getByText('Este campo es obligatorio.').waitFor();
    expect((await getStoredOrder(id)).prescriptions[0]?.verification).toBeNull();
    // Verifying it does not take the warning away.
    await act(page, 'La orden ahora está: Aprobada.', ' ', 'Enter');
    expect(await link.count()).toBe(1);
  });

  it('is not cancelled unless that is chosen, though nothing else is possible', async () => {
    const { id, page } = await openNew({ files: [newPdf()], change: () => ({ orderStatus: 'shortage' }) });
    const form = dialog(page, 'Cambiar el estado de la orden');
    await press(page, 'm', 'Enter');
    await form.getByText('Este campo es obligatorio.').waitFor();
    expect((await getStoredOrder(id)).orderStatus).toBe('shortage');
    await press(page, 'ArrowDown');
    await form.getByText('Una orden cancelada queda así').waitFor();
    await act(page, 'La orden ahora está: Cancelada.', 'Enter');
    expect((await getStoredOrder(id)).orderStatus).toBe('cancelled');
  });

  it('of an erased patient tells which documents are kept, and until when', async () => {
    const change = ({ prescriptions: documents }: Order) => ({
      prescriptions: [],
      retained: { documents, documentsUntil: '2027-11-23', receiverUntil: null, copiesUntil: null },
    });
    const { page, prescriptions } = await openNew({ files: [newPdf()], change });
    await page.getByText(`Receta ${prescriptions[0]}, hasta el 23 nov 2027`).waitFor();
  });

  it('is printed as a plain sheet with what is needed to prepare it, and nothing to press', async () => {
    const { page } = await openNew({ shown: await world.open({ screen: { ...DESK, theme: 'dark' } }) });
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('header, button, .viewer').filter({ visible: true }).count()).toBe(0);
    await page.getByText('06700 Ciudad de México, CDMX, 55 5555 0199, Timbre azul').waitFor();
    await page.getByRole('row', { name: /^Paracetamol 500 mg.* Código de barras 7509999000013 1 / }).waitFor();
    const colours =
      '({ ground: getComputedStyle(document.documentElement).backgroundColor, ' +
      "text: getComputedStyle(document.querySelector('.facts dd')).color })";
    expect(await page.evaluate(colours)).toEqual({ ground: 'rgb(255, 255, 255)', text: 'rgb(0, 0, 0)' });
  });

  it('is changed by two people, of whom the second sees it and loses nothing that they typed', async () => {
    const { id, page: eva } = await openNew({ files: [newPdf()] });
    const { page: luis } = await showOrder(colleague, id);
    await press(luis, 'x', 'Sin firma');
    await act(eva, 'verificada.', 'v', 'Enter');
    await press(luis, 'Enter');
    await dialog(luis, 'Rechazar receta')
      .getByText(/^Receta verificada: \d+ \(Eva Farmacéutica\)$/)
      .waitFor();
    expect(await dialog(luis, 'Rechazar receta').getByLabel('Motivo').inputValue()).toBe(NO_SIGNATURE);
    expect((await getStoredOrder(id)).prescriptions[0]?.rejection).toBeNull();
    await act(luis, 'rechazada.', 'Enter');
    // The first one learns of it by themselves, and keeps the focus.
    await eva.getByRole('button', { name: 'Cambiar estado…' }).focus();
    await eva.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await eva.getByText(/^Receta rechazada: \d+: Sin firma .*\(Luis Químico\)$/).waitFor();
    expect(await eva.evaluate('document.activeElement.textContent')).toBe('Cambiar estado…');
    await eva.getByText('Verificada, ').waitFor();
    await press(eva, 'u');
    await eva.getByText(`Rechazada: ${NO_SIGNATURE}`, { exact: true }).waitFor();
    await eva.getByRole('row', { name: /Receta verificada: \d+ Eva Farmacéutica$/ }).waitFor();
    await eva.getByRole('row', { name: /Receta rechazada: \d+: Sin firma .* Luis Químico$/ }).waitFor();
  });

  it('has the step taken that was asked for or none, when somebody else was faster', async () => {
    const { id, page: eva, expectFit } = await openNew({ change: () => ({ orderStatus: 'pending_approval' }) });
    const { page: luis } = await showOrder(colleague, id);
    await press(eva, 'a');
    await act(luis, 'La orden ahora está: Aprobada.', 'a', 'Enter');
    await press(eva, 'Enter');
    const form = dialog(eva, 'Aprobar');
    await form.getByText('La orden, como está ahora, ya no lo permite').waitFor();
    await form.getByText('Estado: Por aprobar → Aprobada (Luis Químico)').waitFor();
    expect(await form.getByRole('button', { name: 'Aprobar' }).isDisabled()).toBe(true);
    await expectFit();
    await press(eva, 'Enter', 'Escape', 'a');
    await dialog(eva, 'Surtir').getByText('Aprobada → En surtido').waitFor();
    await act(eva, 'La orden ahora está: En surtido.', 'Enter');
    const moves = (await getStoredEvents(id)).filter(({ what, by }) => what === 'moved' && by !== 'system');
    expect(moves.map(({ to, by }) => [to, by])).toEqual([
      ['approved', { operator: COLLEAGUE }],
      ['in_process', { operator: OPERATOR }],
    ]);
  });

  it('warns of a payment while the step is possible, and no longer once a colleague has cancelled the order', async () => {
    const { id, page: eva } = await openNew();
    const { page: luis } = await showOrder(colleague, id);
    await press(eva, 'a');
    const form = dialog(eva, 'Surtir');
    await form.getByText('No está pagada').waitFor();
    await act(luis, 'La orden ahora está: Cancelada.', 'm', 'Can', 'Enter');
    await press(eva, 'Enter');
    await form.getByText('La orden, como está ahora, ya no lo permite').waitFor();
    expect(await form.getByText('No está pagada').count()).toBe(0);
  });

  it('is read once when its tab is looked at again, and not when it is hidden', async () => {
    const { id, page } = await openNew();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const see = (state: string) =>
      page.evaluate(`
        Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
        document.dispatchEvent(new Event('visibilitychange'));
      `);
    await see('hidden');
    await forceStored(id, { comments: 'Tocar tres veces' });
    await see('visible');
    await page.locator('.notice').getByText('La orden cambió entretanto:').waitFor();
    expect(asked.filter((path) => path === '/commands/orders-show')).toHaveLength(1);
  });

  it('keeps a form that is being sent, which then says what came of it', async () => {
    const { id, page } = await openNew();
    const { promise: isChanged, resolve: goOn } = Promise.withResolvers<void>();
    await page.route('**/commands/orders-move', (route) => isChanged.then(() => route.continue()));
    onTestFinished(() => page.unrouteAll());
    await press(page, 'a', 'Enter');
    const form = dialog(page, 'Surtir');
    await form.locator('[aria-busy=true]').waitFor();
    // A browser closes a dialog on the second Escape without asking.
    await press(page, 'Escape', 'Escape');
    for (const name of ['Cerrar', 'No hacer nada']) await form.getByRole('button', { name }).click({ force: true });
    await forceStored(id, { comments: 'Tocar dos veces' });
    goOn();
    await form.getByText('La orden cambió entretanto').waitFor();
    await press(page, 'Escape');
    await form.waitFor({ state: 'detached' });
  });

  it('takes one step for an Enter, however long it is held', async () => {
    const { id, page } = await openNew();
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
    expect((await getStoredOrder(id)).orderStatus).toBe('in_process');
  });

  it.each([
    ['beside the form on a desk', DESK, 400],
    ['above the form on a phone', PHONE, 330],
  ] as const)('has its prescription read %s that asks what it says', async (_, screen, height) => {
    const { page } = await openNew({ files: [newPdf(BLUE, RED)], shown: await world.open({ screen }) });
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
    await page.getByLabel('Domicilio de quien prescribe').focus();
    const focused = () => page.evaluate('document.activeElement.title || document.activeElement.textContent');
    while ((await focused()) !== 'Página siguiente') await press(page, 'Tab');
    await press(page, 'Enter');
    await drawnFrame(page, 'página 2 de 2');
    await press(page, 'ArrowLeft');
    await drawnFrame(page, 'página 1 de 2');
    while ((await focused()) !== (await page.locator('iframe').getAttribute('title'))) await press(page, 'Tab');
    await expect.poll(() => press(page, 'ArrowDown').then(() => frame.evaluate('scrollY'))).toBeGreaterThan(0);
    // The frame keeps what is pressed in it to itself, and Tab leads out of it.
    await press(page, 'Escape', 'Shift+Tab');
    expect(await page.getByLabel('Nombre de quien prescribe').inputValue()).toBe('Dra. Eva Luna');
    await press(page, 'Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect([await focused(), await page.evaluate('scrollY')]).toEqual(['Verificar receta', before]);
  });

  it.each(SCREENS)('is accessible and fits the screen, with its dialogs: %s', async (_, screen) => {
    const { page, takeComplaints, expectFit } = await openNew({
      files: [newPdf(), newPdf()],
      shown: await world.open({ screen }),
    });
    const patient = await page.locator('.patient').boundingBox();
    expect((patient?.y ?? screen.height) + (patient?.height ?? 0)).toBeLessThan(screen.height / 2);
    await expectFit();
    await press(page, 'v');
    await dialog(page, 'Verificar receta').waitFor();
    await expectFit();
    await press(page, 'Escape', 'x', 'Enter');
    await dialog(page, 'Rechazar receta').getByText('Revise los campos marcados.').waitFor();
    await expectFit();
    takeComplaints();
  });
});
