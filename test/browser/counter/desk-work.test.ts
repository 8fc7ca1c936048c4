import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encodeCode128 } from '../../../infra/counter/page/order/code128.ts';
import { type CounterPage, press, SCREENS, showOrder } from '../../support/counter/counter-page.ts';
import { type CounterWorld, NOON, OPERATOR, openCounterWorld } from '../../support/counter/counter-world.ts';
import { placeOrder } from '../../support/counter/placed-orders.ts';
import { operate } from '../../support/operators/operator.ts';
import { getStoredEvents, getStoredOrder } from '../../support/orders/forced-order.ts';
import { openServer, type ServerWith } from '../../support/servers/test-server.ts';

let world: CounterWorld<ServerWith<'invoices'>>;
let desk: CounterPage;
beforeAll(async () => {
  world = await openCounterWorld(() => openServer({ invoices: true }), NOON);
  desk = await world.open();
});
afterAll(() => world.close());
afterEach(async () => {
  await press(desk.page, 'Escape');
  expect(desk.takeComplaints().filter((said) => !/responded with a status of (400|409) /.test(said))).toEqual([]);
});

const told = (page: Page, text: string) => page.locator('.notice').getByText(text).waitFor();

async function openNew(more: Readonly<Record<string, unknown>> = {}) {
  const id = await placeOrder(world.server, [], 'ana@example.mx', more);
  await showOrder(desk, id);
  return { id, page: desk.page };
}

describe('an order at the counter', () => {
  it('gets notes, tags, a claim and the reason of its cancellation, by keys alone', async () => {
    const { id, page } = await openNew();
    await press(page, 'n', 'Llamar antes', 'Enter');
    await told(page, 'La nota está en la orden.');
    await page.getByRole('row', { name: /^Llamar antes .* Eva Farmacéutica$/ }).waitFor();
    await press(page, 'e', 'frio, a b', 'Tab', 'Env', 'Enter');
    await page.getByText('Deben ser hasta 10 etiquetas').waitFor();
    await press(page, 'ControlOrMeta+a', 'frio,urgente', 'Enter');
    await told(page, 'Las etiquetas y la reclamación quedaron como se escribieron.');
    await press(page, 'm', 'Can', 'Tab', 'Sin existencias', 'Enter');
    await told(page, 'La orden ahora está: Cancelada.');
    expect(await getStoredOrder(id)).toMatchObject({
      ...{ notes: [{ by: OPERATOR, text: 'Llamar antes' }], tags: ['frio', 'urgente'] },
      ...{ insuranceRefundStatus: 'sent_to_broker', orderStatus: 'cancelled' },
    });
    expect((await getStoredEvents(id)).at(-1)).toMatchObject({ what: 'cancelled', reason: 'Sin existencias' });
  });

  it('keeps a note that is being written while somebody else changes the order, and names them', async () => {
    const { id, page } = await openNew();
    await press(page, 'n', 'Llamar antes');
    await operate('pipe', 'orders', 'update', String(id), '--tags', 'frio');
    await press(page, 'Enter');
    const dialog = page.getByRole('dialog', { name: 'Agregar nota' });
    await dialog.getByText(/^Etiquetas cambiadas \(.+\)$/).waitFor();
    expect(await dialog.getByLabel('Nota').inputValue()).toBe('Llamar antes');
    await press(page, 'Enter');
    await told(page, 'La nota está en la orden.');
  });

  it('is refunded in one press with all that is owed, once it is cancelled', async () => {
    const { id, page } = await openNew();
    for (const to of [
      ['pay', '--status', 'paid', '--form', '01'],
      ['move', '--to', 'cancelled'],
    ] as const)
      await operate('pipe', 'orders', to[0], String(id), ...to.slice(1));
    await page.reload();
    await showOrder(desk, id);
    await press(page, 'd', 'Enter');
    await told(page, 'Reembolso de $107.50 registrado.');
    const { lines, refunds } = await getStoredOrder(id);
    expect(refunds).toMatchObject([
      {
        ...{ cents: 10_750, form: '01', reason: 'Orden cancelada' },
        parts: [
          { line: lines[0]?.id, quantity: 1, cents: 2_850 },
          { line: null, quantity: 0, cents: 7_900 },
        ],
      },
    ]);
  });

  it('is invoiced to who asks, judged as the API does, with what was typed kept', async () => {
    const { id, page } = await openNew();
    await press(page, 'f', 'XAXX010101000', 'Tab', 'LUZ MORA', 'Tab', '605', 'Tab', 'Tab', '06700', 'Enter');
    const dialog = page.getByRole('dialog', { name: 'Facturar' });
    await dialog.locator('[aria-invalid]').waitFor();
    expect(await dialog.getByLabel('Nombre').inputValue()).toBe('LUZ MORA');
    await press(page, 'ControlOrMeta+a', 'MOXL900412AB1', 'Enter');
    await told(page, 'Facturar: hecho.');
    expect(await getStoredOrder(id)).toMatchObject({
      invoice: { status: 'issued' },
      invoicing: { rfc: 'MOXL900412AB1', fiscal_regime: '605', cfdi_use: 'S01', zipcode: '06700' },
    });
  });
});

describe('a sheet', () => {
  it.each([
    ['slip', '612 792', 'Durango 245'],
    ['label', '282.95999 175.92', 'Una cada 8 horas'],
    ['receipt', '227.03999 567.12', '$107.50'],
  ])('that is a %s is one page of %s points, without names of the staff', async (paper, size, text) => {
    const { page } = await openNew();
    await operate('pipe', 'orders', 'note', String(await page.evaluate('location.hash.slice(9)')), 'Interna');
    await press(page, 'i');
    await page.getByLabel('Hoja').selectOption(paper);
    if (paper === 'label') await page.getByLabel('Indicación de Paracetamol 500 mg').fill('Una cada 8 horas');
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    expect(pdf.match(/\/MediaBox \[[^\]]*\]/g)).toEqual([`/MediaBox [0 0 ${size}]`]);
    await page.emulateMedia({ media: 'print' });
    const seen = await page.locator('body').innerText();
    for (const expected of ['RX-0', 'Ana Paz', text]) expect(seen).toContain(expected);
    expect(seen).not.toMatch(/Eva Farmacéutica|Interna|Historial|Trabaja como/);
    await page.emulateMedia({ media: null });
  });

  it('has the folio as Code 128', () => {
    // The values of R, X, - and 1 are 50, 56, 13 and 17; the check is (104 + 1×50 + 2×56 + 3×13 + 4×17) mod 103 = 64.
    expect(encodeCode128('RX-1').join('')).toBe(
      ['211214', '231131', '331121', '122132', '123221', '111422', '2331112'].join(''),
    );
  });
});

describe.each(SCREENS)('the till, on %s', (_, screen) => {
  it('adds up what came and went back, and fits', async () => {
    const id = await placeOrder(world.server);
    await operate('pipe', 'orders', 'pay', String(id), '--status', 'paid', '--form', '28');
    const { page, expectFit } = await world.open({ screen, route: '#/cash' });
    await page.getByRole('row', { name: /28 Tarjeta de débito .*Envío .*\$0.00$/ }).waitFor();
    await expectFit();
    await page.getByLabel('Día').fill('2026-11-22');
    await page.getByText('Nada se pagó ni se devolvió.').waitFor();
  });
});

describe.each(SCREENS)('the forms of an order, on %s', (_, screen) => {
  it('fit', async () => {
    const id = await placeOrder(world.server);
    await operate('pipe', 'orders', 'note', String(id), 'Llamar antes');
    const opened = await showOrder(await world.open({ screen }), id);
    for (const key of ['n', 'e', 'f', 'i']) {
      await press(opened.page, key);
      await opened.page.getByRole('dialog').waitFor();
      await opened.expectFit();
      await press(opened.page, 'Escape');
      await opened.page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });
});
