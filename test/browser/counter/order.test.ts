import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Order } from '../../../shared/order/order.ts';
import type { OrderPayment } from '../../../shared/payments/rules/order-payment.ts';
import { type CounterPage, DESKTOP, press, seeTab, showOrder } from '../../support/counter/counter-page.ts';
import {
  COLLEAGUE,
  NOON,
  OPERATOR,
  openTestCounter,
  placeOrder,
  useCounterWorld,
} from '../../support/counter/counter-world.ts';
import { BLUE, drawnPdf } from '../../support/counter/prescription-files.ts';
import { operate } from '../../support/operators/operator.ts';
import { forceStored, getStoredEvents, getStoredOrder } from '../../support/orders/forced-order.ts';
import { openServer } from '../../support/servers/test-server.ts';

const world = useCounterWorld(openServer, NOON);
/** The page of all cases, each of which leaves it without a form. */
let ui: CounterPage;
/** The page of another operator, at a counter of their own. */
let colleague: CounterPage;
let second: Awaited<ReturnType<typeof openTestCounter>>;
beforeAll(async () => {
  second = await openTestCounter(COLLEAGUE);
  [ui, colleague] = await Promise.all([world.open(), world.open({ address: second.address })]);
});
afterAll(() => second.close());

afterEach(async () => {
  for (const { page, takeComplaints } of [ui, colleague]) {
    await press(page, 'Escape');
    // A browser says of each answer that is a refusal.
    expect(takeComplaints().filter((said) => !/responded with a status of (400|409) /.test(said))).toEqual([]);
  }
});

type Placed = {
  readonly files?: readonly Buffer[];
  /** Returns what is different from the order as it was placed. */
  change?(order: Order): Partial<Order>;
};

/** Places an order with these documents, and shows it. */
async function openNew({ files = [], change }: Placed = {}) {
  const id = await placeOrder(world.server, files);
  const order = await getStoredOrder(id);
  if (change) await forceStored(id, change(order));
  return { ...(await showOrder(ui, id)), id, prescriptions: order.prescriptions.map((each) => each.id) };
}

const twicePaid = (unmatchedCents: number): OrderPayment => ({
  ...{ attempts: [], customer: 'cus_1', paidBy: null, renewals: 0 },
  ...{ unmatchedCents, handledCents: 0, isAccountWatched: false },
});

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });
const told = (page: Page, text: string) => page.locator('.notice').getByText(text).waitFor();

/** Presses keys, and waits until the page says that it is done. */
async function act(page: Page, text: string, ...keys: readonly string[]): Promise<void> {
  await press(page, ...keys);
  await told(page, text);
}

const REQUIRED = 'Este campo es obligatorio.';
const NO_SIGNATURE = 'Sin firma o cédula de quien prescribe';

let documents = 0;
/** Returns a PDF that no other prescription has. */
const newPdf = (...pages: readonly string[]): Buffer =>
  drawnPdf((pages.length > 0 ? pages : [BLUE]).map((page) => `${page} % ${++documents}`));

describe('an order at the counter', () => {
  it('is verified, approved, paid and sent by keys alone', async () => {
    const known = { sex: 'F', birthdate: '1991-11-20', medicalCondition: 'Penicilina' } as const;
    const change = ({ patient }: Order) => ({ patient: { ...patient, ...known }, sentPerson: known });
    const { id, page, expectFit, expectDark } = await openNew({ files: [newPdf()], change });
    await page.getByText('Alergias y padecimientos: Penicilina').waitFor();
    const patient = await page.locator('.patient').boundingBox();
    expect((patient?.y ?? DESKTOP.height) + (patient?.height ?? 0)).toBeLessThan(DESKTOP.height / 2);
    await press(page, 'v');
    const form = dialog(page, 'Verificar receta');
    await form.getByText('Penicilina').waitFor();
    await press(page, 'Dra. Eva Luna', 'Tab', '12-34', 'Enter');
    await form.getByText('Debe ser el número de una cédula').waitFor();
    expect(await page.evaluate('document.activeElement.value')).toBe('12-34');
    await expectFit();
    await expectDark();
    // One press verifies it and approves the order, of which the next step comes by one key.
    await act(page, 'La orden ahora está: Aprobada.', 'ControlOrMeta+a', '12345678', 'Enter');
    await press(page, 'g');
    await dialog(page, 'Surtir').getByText('Faltan $137.00 por cobrar.').waitFor();
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
    expect(await getStoredOrder(id)).toMatchObject({
      ...{ orderStatus: 'delivered', paymentStatus: 'paid', paymentForm: '28' },
      shipments: [{ carrier: 'Estafeta', trackingNumber: '9055' }],
      prescriptions: [
        {
          verification: { by: OPERATOR, lines: [{ productId: 4, quantity: 1 }] },
          prescriber: { name: 'Dra. Eva Luna', licence: '12345678' },
        },
      ],
    });
    // The prescriber is known, and nothing is left to be done.
    const offered = page.getByRole('group', { name: 'Acciones' }).getByRole('button');
    expect(await offered.allTextContents()).not.toContain('Verificar receta');
  });

  it('is filled by scanned barcodes, each of which ticks a piece off, while a wrong one is refused', async () => {
    const twice = ({ lines }: Order) => ({ lines: lines.map((line) => ({ ...line, quantity: 2 })) });
    const { id, page, expectFit } = await openNew({ change: twice });
    const form = dialog(page, 'Surtir');
    const withdrawn = '07509999000013';
    await page.route('**/commands/catalog-search', async (route) => {
      const { text: ean_key } = route.request().postDataJSON();
      const product = { name: 'Naproxeno', ean_key, is_active: true };
      await route.fulfill({ json: { document: { products: ean_key === withdrawn ? [] : [product] } } });
    });
    onTestFinished(() => page.unrouteAll());
    // A scan before the form is open goes nowhere. A key after the other would come too late on a busy machine.
    await page.evaluate(`for (const key of [...'7509999000013', 'Enter'])
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))`);
    await press(page, 'a');
    await form.getByText('0 de 2').waitFor();
    await press(page, '7509999000020', 'Enter');
    await form.getByRole('alert').getByText('No es de esta orden: Naproxeno.').waitFor();
    await expectFit();
    await press(page, withdrawn, 'Enter');
    await form.getByRole('alert').getByText('ya no se vende').waitFor();
    // Of the two line ends of a scanner, between which no time passes, neither sends the form.
    await page.evaluate('window.realNow = Date.now; Date.now = () => 1');
    await press(page, '7509999000013', 'Enter', 'Enter');
    await page.evaluate('Date.now = realNow; undefined');
    await form.getByText('1 de 2').waitFor();
    expect([await form.getByRole('alert').count(), (await getStoredOrder(id)).orderStatus]).toEqual([0, 'approved']);
    // What is missing is told before it is filled all the same.
    await form.getByLabel('Lote de Paracetamol').fill('B204');
    await form.getByLabel('Caducidad de Paracetamol').fill('2027-05');
    await press(page, 'Enter');
    await form.getByRole('alert').getByText('Faltan 1 por leer').waitFor();
    await form.getByLabel('Código de barras').focus();
    await press(page, '7509999000013', 'Enter');
    await form.getByText('2 de 2').waitFor();
    await press(page, '7509999000013', 'Enter');
    await form.getByText('ya están todas las piezas').waitFor();
    await form.getByLabel('Caducidad de Paracetamol').fill('');
    await press(page, 'Enter');
    await form.getByText('escriba el lote y su caducidad').waitFor();
    await form.getByLabel('Caducidad de Paracetamol').fill('2027-05');
    await act(page, 'La orden ahora está: En surtido.', 'Enter');
    const { dispensed, lines } = await getStoredOrder(id);
    expect(dispensed?.lots).toEqual([{ line: lines[0]?.id, lot: 'B204', expiry: '2027-05', quantity: 2 }]);
  });

  it('that its patient collects is handed over without a carrier', async () => {
    const id = await placeOrder(world.server, [], 'ana@example.mx', { shipping: undefined, store: 1 });
    await forceStored(id, { orderStatus: 'ready', paymentStatus: 'paid' });
    const { page } = await showOrder(ui, id);
    await press(page, 'g');
    expect(await dialog(page, 'Entregar al paciente').getByRole('textbox').count()).toBe(0);
    await act(page, 'La orden ahora está: Entregada.', 'Enter');
    expect(await getStoredOrder(id)).toMatchObject({ orderStatus: 'delivered', shippingDate: null });
  });

  it('gets a note, tags, a claim and the reason of its cancellation, which has to be chosen', async () => {
    const { id, page } = await openNew({ files: [newPdf()], change: () => ({ orderStatus: 'shortage' }) });
    await act(page, 'La nota está en la orden.', 'n', 'Llamar antes', 'Enter');
    await press(page, 'e', 'frio, a b', 'Tab', 'Env', 'Enter');
    await page.getByText('Deben ser hasta 10 etiquetas').waitFor();
    await act(page, 'Las etiquetas y la reclamación quedaron', 'ControlOrMeta+a', 'frio,urgente', 'Enter');
    await press(page, 'm', 'Enter');
    await dialog(page, 'Cambiar el estado de la orden').getByText(REQUIRED).waitFor();
    await act(page, 'La orden ahora está: Cancelada.', 'Can', 'Tab', 'Sin existencias', 'Enter');
    expect(await getStoredOrder(id)).toMatchObject({
      ...{ notes: [{ by: OPERATOR, text: 'Llamar antes' }], tags: ['frio', 'urgente'] },
      ...{ insuranceRefundStatus: 'sent_to_broker', orderStatus: 'cancelled' },
    });
    expect((await getStoredEvents(id)).at(-1)).toMatchObject({ what: 'cancelled', reason: 'Sin existencias' });
  });

  it('gives back pieces, money beside its total, and all that is left once it is cancelled', async () => {
    const paid = { paymentStatus: 'paid', paymentForm: '03', payment: twicePaid(10_750) } as const;
    const { id, page } = await openNew({ change: () => paid });
    const form = dialog(page, 'Reembolsar');
    const pieces = form.getByLabel('Piezas de Paracetamol');
    await press(page, 'd');
    await form.getByLabel('Motivo').fill('Caja golpeada');
    await press(page, 'Enter');
    await form.getByText('Escriba qué se devuelve.').waitFor();
    await pieces.fill('2');
    await press(page, 'Enter');
    await form.getByText('Escriba cuántas piezas, de 1 a 1.').waitFor();
    await pieces.fill('1');
    await act(page, 'Reembolso de $28.50 registrado.', 'Enter');
    await press(page, 'd');
    await form.getByLabel('dinero aparte').check();
    await form.getByText('A lo más $107.50').waitFor();
    await form.getByLabel('Importe').fill('107.50');
    await form.getByLabel('Forma de pago').selectOption('03');
    await form.getByLabel('Motivo').fill('Pagó dos veces');
    await act(page, 'Reembolso de $107.50 registrado.', 'Enter');
    await act(page, 'La orden ahora está: Cancelada.', 'm', 'Can', 'Enter');
    await act(page, 'Reembolso de $79.00 registrado.', 'd', 'Enter');
    const { lines, refunds } = await getStoredOrder(id);
    expect(refunds).toMatchObject([
      { reason: 'Caja golpeada', parts: [{ line: lines[0]?.id, quantity: 1, cents: 2_850 }] },
      { cents: 10_750, isSurplus: true, parts: [] },
      { form: '03', reason: 'Orden cancelada', parts: [{ line: null, quantity: 0, cents: 7_900 }] },
    ]);
  });

  it('is printed on sheets of one page each, without names of the staff', async () => {
    const { id, page, expectFit } = await openNew();
    await operate('pipe', 'orders', 'note', String(id), 'Interna');
    await press(page, 'i');
    await expectFit();
    for (const [paper, size, text] of [
      ['slip', '612 792', 'Durango 245'],
      ['label', '282.95999 175.92', 'Una cada 8 horas'],
      ['receipt', '227.03999 567.12', '$107.50'],
    ] as const) {
      await page.getByLabel('Hoja').selectOption(paper);
      if (paper === 'label') await page.getByLabel('Indicación de Paracetamol 500 mg').fill(text);
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
      expect(pdf.match(/\/MediaBox \[[^\]]*\]/g)).toEqual([`/MediaBox [0 0 ${size}]`]);
      await page.emulateMedia({ media: 'print' });
      const seen = await page.locator('body').innerText();
      for (const expected of ['RX-0', 'Ana Paz', text]) expect(seen).toContain(expected);
      expect(seen).not.toMatch(/Eva Farmacéutica|Interna|Historial|Trabaja como/);
      await page.emulateMedia({ media: null });
    }
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
    expect((await getStoredOrder(id)).orderStatus).toBe('in_process');
  });
});

describe('the prescriptions of an order', () => {
  it('are judged one by one, of which that one stays in view, and another is attached', async () => {
    const { id, page, prescriptions } = await openNew({ files: [newPdf(), newPdf()] });
    const [first = 0, second = 0] = prescriptions;
    const heading = (prescription: number) => page.getByRole('heading', { name: `Receta ${prescription} ·` });
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
    await named(`Rechazada: Receta ${second} · receta-2.pdf`).waitFor();
    // The button of what was done is gone.
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    await act(page, `Receta ${first} rechazada.`, 's', 'x', 'Otro', 'Tab', 'Es de un veterinario', 'Enter');
    const judged = await getStoredOrder(id);
    expect(judged.prescriptions.map(({ rejection }) => rejection?.reason)).toEqual([
      'Es de un veterinario',
      NO_SIGNATURE,
    ]);
    await press(page, 't');
    const form = dialog(page, 'Agregar receta');
    await form
      .getByLabel('Archivo')
      .setInputFiles({ name: 'nueva.pdf', mimeType: 'application/pdf', buffer: newPdf() });
    await form.getByLabel('Expedida el').press('Enter');
    await form.getByText(REQUIRED).waitFor();
    await form.getByLabel('Expedida el').fill('2026-11-20');
    await form.getByLabel('Expedida el').press('Enter');
    await told(page, 'La receta se agregó: falta verificarla.');
    await page.getByRole('heading', { name: /^Receta \d+ · nueva.pdf$/ }).waitFor();
    expect((await getStoredEvents(id)).at(-1)).toMatchObject({
      what: 'prescription_attached',
      by: { operator: OPERATOR },
    });
  });

  it('name the orders that have the same document, of which the verification asks', async () => {
    const file = newPdf();
    const { id: first } = await openNew({ files: [file] });
    const { id, page } = await openNew({ files: [file] });
    const link = page.getByRole('link', { name: `orden ${first}, receta` });
    expect(await link.getAttribute('href')).toBe(`#/orders/${first}`);
    await press(page, 'v', 'Enter');
    await dialog(page, 'Verificar receta').getByText(REQUIRED).waitFor();
    expect((await getStoredOrder(id)).prescriptions[0]?.verification).toBeNull();
    await act(page, 'La orden ahora está: Aprobada.', ' ', 'Enter');
  });
});

describe('an order that two people change', () => {
  it('is shown as it is now to the second one, who loses nothing that they typed', async () => {
    const { id, page: eva } = await openNew({ files: [newPdf()] });
    const { page: luis } = await showOrder(colleague, id);
    await press(luis, 'x', 'Sin firma');
    await act(eva, 'verificada.', 'v', 'Enter');
    await press(luis, 'Enter');
    const form = dialog(luis, 'Rechazar receta');
    await form.getByText(/^Receta verificada: \d+ \(Eva Farmacéutica\)$/).waitFor();
    expect(await form.getByLabel('Motivo').inputValue()).toBe(NO_SIGNATURE);
    expect((await getStoredOrder(id)).prescriptions[0]?.rejection).toBeNull();
    await act(luis, 'rechazada.', 'Enter');
    // The first one learns of it when they look at their tab again, and keeps the focus.
    await eva.getByRole('button', { name: 'Cambiar estado…' }).focus();
    for (const state of ['hidden', 'visible'] as const) await seeTab(eva, state);
    await eva.getByText(/^Receta rechazada: \d+: Sin firma .*\(Luis Químico\)$/).waitFor();
    expect(await eva.evaluate('document.activeElement.textContent')).toBe('Cambiar estado…');
    await eva.getByText('Verificada, ').waitFor();
    await press(eva, 'u');
    await eva.getByText(`Rechazada: ${NO_SIGNATURE}`, { exact: true }).waitFor();
  });

  it('has the step taken that was asked for or none, when somebody else was faster', async () => {
    const { id, page: eva } = await openNew({ change: () => ({ orderStatus: 'pending_approval' }) });
    const { page: luis } = await showOrder(colleague, id);
    await press(eva, 'a');
    await act(luis, 'La orden ahora está: Aprobada.', 'a', 'Enter');
    await press(eva, 'Enter');
    const form = dialog(eva, 'Aprobar');
    await form.getByText('La orden, como está ahora, ya no lo permite').waitFor();
    await form.getByText('Estado: Por aprobar → Aprobada (Luis Químico)').waitFor();
    await press(eva, 'Enter', 'Escape', 'a');
    await dialog(eva, 'Surtir').getByText('Aprobada → En surtido').waitFor();
    await act(eva, 'La orden ahora está: En surtido.', 'Enter');
    const moves = (await getStoredEvents(id)).filter(({ what, by }) => what === 'moved' && by !== 'system');
    expect(moves.map(({ to, by }) => [to, by])).toEqual([
      ['approved', { operator: COLLEAGUE }],
      ['in_process', { operator: OPERATOR }],
    ]);
  });
});
