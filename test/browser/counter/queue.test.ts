import { beforeAll, describe, expect, it } from 'vitest';
import { listItems } from '../../../shared/order/lists/entries.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { type CounterPage, seeTab } from '../../support/counter/counter-page.ts';
import { NOON, useCounterWorld } from '../../support/counter/counter-world.ts';
import { forceStored } from '../../support/orders/forced-order.ts';
import { folioOf, orderBody } from '../../support/orders/samples.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';
import { openServer } from '../../support/servers/test-server.ts';

const DAY_MS = 86_400_000;

const world = useCounterWorld(openServer, NOON);
let ui: CounterPage;
const ids = { late: 0, ready: 0, prescribed: 0, refund: 0 };

type Placing = { readonly daysAgo?: number; readonly product?: number; readonly name?: object };

async function place(email: string, { daysAgo = 0, product = 1, name = {} }: Placing = {}): Promise<number> {
  setClock(new Date(NOON.getTime() - daysAgo * DAY_MS));
  const { user } = orderBody(email);
  const order = { details: [{ product, quantity: 1 }] };
  const { id } = await world.server.placeOrder(email, order, { user: { ...user, ...name } });
  setClock(NOON);
  return id;
}

beforeAll(async () => {
  ids.late = await place('late@example.mx', { daysAgo: 7, name: { first_name: 'Xóchitl', last_name: 'Ibáñez' } });
  ids.ready = await place('ready@example.mx', { daysAgo: 6 });
  ids.prescribed = await place('receta@example.mx', { product: 4 });
  ids.refund = await place('refund@example.mx');
  await forceStored(ids.ready, { orderStatus: 'ready', paymentStatus: 'paid' });
  await forceStored(ids.refund, { orderStatus: 'cancelled', paymentStatus: 'paid' });
  ui = await world.open({ refreshMs: 500 });
});

const rows = (): Promise<string[]> =>
  ui.page.locator('tbody th').evaluateAll((cells) => cells.map(({ textContent }) => textContent ?? ''));
const chip = (name: string) => ui.page.getByRole('group', { name: 'Mostrar' }).getByRole('button', { name });
const focusedText = (): Promise<string> => ui.page.evaluate('document.activeElement.textContent');
const press = (key: string): Promise<void> => ui.page.keyboard.press(key);

describe('the queue', () => {
  it('opens on what is due now, what is due first at its head, with what each order waits for', async () => {
    await expect.poll(rows).toEqual([folioOf(ids.late), folioOf(ids.ready), folioOf(ids.refund)]);
    expect(await chip('Para hoy 3').getAttribute('aria-pressed')).toBe('true');
    const [late, ready, refund] = await ui.page.locator('tbody tr').allInnerTexts();
    expect(late).toMatch(/Surtido · Pago\s.*7 días\s+Aprobada\s+Sin pagar\s+Xóchitl Ibáñez\s+\$107\.50\s*$/s);
    expect(ready).toMatch(/Envío\s/);
    expect(refund).toMatch(/Reembolso\s/);
    await ui.expectFit();
  });

  it('is limited by its chips, gone through by j, k and the arrows, and comes back as it was', async () => {
    const selected = async (...keys: string[]) => {
      for (const key of keys) await press(key);
      return focusedText();
    };
    await chip('Por verificar 1').click();
    await expect.poll(rows).toEqual([folioOf(ids.prescribed)]);
    expect(await selected('j')).toBe(folioOf(ids.prescribed));
    expect(await selected('ArrowDown')).toBe(folioOf(ids.prescribed));
    await chip('Todas 4').click();
    await expect.poll(rows).toHaveLength(4);
    expect(await selected('k')).toBe(folioOf(ids.refund));
    expect(await selected('k', 'ArrowUp', 'ArrowUp')).toBe(folioOf(ids.late));
    expect(await selected('ArrowDown')).toBe(folioOf(ids.ready));
    await press('Enter');
    await ui.page.getByRole('heading', { name: folioOf(ids.ready) }).waitFor();
    // A digit counts once no other key has followed it: the queue must be drawn before the next.
    await press('1');
    await ui.page.getByRole('heading', { name: 'Órdenes' }).waitFor();
    await expect.poll(rows).toHaveLength(4);
    expect(await ui.page.locator('tr.current th').innerText()).toBe(folioOf(ids.ready));
    expect(await selected('ArrowUp')).toBe(folioOf(ids.late));
  });

  it('shows an order that comes by itself, tells of it, and leaves the focus and the rows where they are', async () => {
    await press('ArrowDown');
    const placeOfRows = () => ui.page.locator('tbody').evaluate((table) => table.getBoundingClientRect().top);
    const before = await placeOfRows();
    const id = await place('new@example.mx');
    await expect.poll(rows, { timeout: 20_000 }).toContain(folioOf(id));
    expect(await focusedText()).toBe(folioOf(ids.ready));
    await expect.poll(() => ui.page.getByRole('status').innerText()).toContain(folioOf(id));
    expect(await ui.page.locator('.arrivals').getByRole('link').getAttribute('href')).toBe(`#/orders/${id}`);
    expect(await placeOfRows()).toBe(before);
  });
});

describe('the search', () => {
  const search = async (text: string) => {
    await press('/');
    await ui.page.keyboard.type(text);
  };

  it('tells what it finds, and Escape leads back', async () => {
    await search('nadie');
    await ui.page.locator('main').getByText('Ninguna orden de «nadie»').first().waitFor();
    expect(await rows()).toEqual([]);
    await press('Escape');
    await expect.poll(rows).toHaveLength(5);
    expect(await ui.page.getByRole('searchbox').inputValue()).toBe('');
  });

  /** Holds the answers to searches until the keys of `work` are pressed. */
  async function beforeFound(work: () => Promise<void>): Promise<void> {
    const pressed = Promise.withResolvers<void>();
    await ui.page.route('**/commands/orders-search', async (route) => {
      await pressed.promise;
      await route.continue();
    });
    await work();
    pressed.resolve();
    await ui.page.unrouteAll({ behavior: 'wait' });
  }

  it('stays while another view is looked at, and leaves the focus in its box when the reader types on', async () => {
    await beforeFound(async () => {
      await search('Xóchitl');
      await press('ArrowDown');
      await press('Backspace');
    });
    await ui.page.locator('main').getByText('Una orden de «Xóchit»').first().waitFor();
    expect(await ui.page.evaluate('document.activeElement.type')).toBe('search');
    await ui.page.evaluate(`location.hash = '#/catalog'`);
    await ui.page.getByRole('heading', { name: 'Catálogo' }).waitFor();
    await press('1');
    await expect.poll(rows).toEqual([folioOf(ids.late)]);
    // The button that leads back goes away with what was found.
    await ui.page.getByRole('button', { name: 'Volver a las órdenes' }).press('Enter');
    await expect.poll(rows).toHaveLength(5);
    expect(await focusedText()).toBe('Órdenes');
  });

  it('is led by the down arrow to what it finds, also before it has found it', async () => {
    await beforeFound(async () => {
      await search(String(ids.prescribed));
      await press('ArrowDown');
    });
    await expect.poll(focusedText).toBe(folioOf(ids.prescribed));
    await press('Enter');
    await ui.page.getByRole('heading', { name: folioOf(ids.prescribed) }).waitFor();
    await press('1');
    await ui.page.getByRole('heading', { name: 'Órdenes' }).waitFor();
  });

  it('opens the order of a folio that is scanned or typed in full, and is over on the way back', async () => {
    await search(folioOf(ids.late));
    await ui.page.waitForURL(`**/#/orders/${ids.late}`);
    await ui.page.goBack();
    await expect.poll(rows).toHaveLength(5);
    expect(await ui.page.locator('tr.current th').innerText()).toBe(folioOf(ids.late));
  });
});

describe('a queue', () => {
  it('opens on what is due, or on all while nothing is, anew at each opening, until its reader chooses', async () => {
    const { page } = ui;
    const pressed = () => page.getByRole('group', { name: 'Mostrar' }).locator('[aria-pressed=true]').innerText();
    const nothing = { tab: 'all', page: 1, pages: 1, counts: {}, orders: [], stores: [], newest: [] };
    const nothingDue = { body: JSON.stringify({ document: nothing }) };
    await page.route('**/commands/orders-queue', (route) => route.fulfill(nothingDue));
    await page.evaluate(`location.hash = '#/'`);
    await page.reload();
    await expect.poll(pressed).toMatch(/^Todas/);
    await page.unrouteAll({ behavior: 'wait' });
    await page.evaluate(`location.hash = '#/catalog'`);
    await page.getByRole('heading', { name: 'Catálogo' }).waitFor();
    await page.evaluate(`location.hash = '#/'`);
    await expect.poll(pressed).toMatch(/^Para hoy/);
  });

  it('is limited to a store, and its selected order is taken a step further by one key', async () => {
    const placed = await world.server.placeOrder('tienda@example.mx', { shipping: undefined, store: 1 });
    await ui.page.getByLabel('Sucursal').selectOption('Sucursal Del Valle');
    await expect.poll(rows).toEqual([folioOf(placed.id)]);
    await press('j');
    await press('g');
    await ui.page.getByRole('dialog', { name: 'Surtir' }).waitFor();
    await ui.page.goBack();
    await expect.poll(rows).toEqual([folioOf(placed.id)]);
    // Its refreshes would take time from the pages below.
    await ui.page.close();
  });

  it('in a tab that is hidden counts in its title what comes, and tells it by the browser with nothing about a person', async () => {
    const { page, close } = await world.open();
    await page.locator('tbody th').first().waitFor();
    // A browser without windows shows no notifications.
    await page.evaluate(`{
      window.told = [];
      window.Notification = class { static permission = 'granted'; constructor(...shown) { told.push(shown); } };
      const real = setTimeout;
      window.setTimeout = (run, ms) => real(run, ms / 60);
    }`);
    await page.evaluate(`location.hash = '#/catalog'`);
    await page.getByRole('heading', { name: 'Catálogo' }).waitFor();
    await seeTab(page, 'hidden');
    await place('unseen@example.mx', { name: { first_name: 'Xóchitl', last_name: 'Ibáñez' } });
    await expect.poll(() => page.title()).toBe('(1) Catálogo · Botica');
    expect(await page.evaluate('told')).toEqual([
      ['Botica', { body: 'Llegó una orden nueva.', tag: 'arrivals', icon: '/icon.svg' }],
    ]);
    await seeTab(page, 'visible');
    await expect.poll(() => page.title()).toBe('Catálogo · Botica');
    await close();
  });

  // Comes last: its orders would be in every other list.
  it('that is long comes by pages, opens any of its orders, and announces none of them', async () => {
    const orders = Array.from({ length: 260 }, (_, index) =>
      syntheticOrder({ id: 1_000 + index, clientId: world.server.client.id, orderStatus: 'shipped' }),
    );
    await openTable().putAll(orders.flatMap(listItems));
    const { page, close } = await world.open({ refreshMs: 500 });
    await page.getByRole('button', { name: 'Por entregar 260' }).click();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(100);
    expect(await page.getByRole('status').innerText()).toBe('');
    const shown = page.locator('[data-order]');
    await shown.nth(50).focus();
    await page.keyboard.press('2');
    await page.getByRole('heading', { name: 'Catálogo' }).waitFor();
    await page.keyboard.press('1');
    await page.getByRole('heading', { name: 'Órdenes' }).waitFor();
    const isSeen = `(() => {
      const { top, bottom } = document.querySelector('tr.current')?.getBoundingClientRect() ?? { top: -1, bottom: 0 };
      return top >= 0 && bottom <= innerHeight + 1;
    })()`;
    await expect.poll(() => page.evaluate(isSeen)).toBe(true);
    // Two rows go in one refresh, and the one behind them takes the focus.
    const [first = 0, second, third] = await shown.evaluateAll((links) =>
      links.slice(0, 3).map((link) => Number(link.dataset.order)),
    );
    await shown.first().focus();
    await page.route('**/commands/orders-queue', async (route) => {
      const response = await route.fetch();
      const { document } = await response.json();
      const left = document.orders.filter(({ id }: { readonly id: number }) => id !== first && id !== second);
      await route.fulfill({ response, json: { document: { ...document, orders: left } } });
    });
    await expect
      .poll(() => page.evaluate('document.activeElement.textContent'), { timeout: 20_000 })
      .toBe(folioOf(third ?? 0));
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('button', { name: 'Por entregar 260' }).waitFor({ timeout: 20_000 });
    const focused = () => page.evaluate('document.activeElement.textContent');
    await page.keyboard.press('ArrowRight');
    await expect.poll(focused).toBe(folioOf(1_100));
    await page.getByRole('button', { name: 'Página siguiente' }).click();
    await expect.poll(focused).toBe(folioOf(1_200));
    await page.getByText('Página 3 de 3').waitFor();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(60);
    await page.waitForURL(/page=3/);
    await page.reload();
    await page.getByText('Página 3 de 3').waitFor();
    // It is not on this page.
    await page.keyboard.press('/');
    await page.keyboard.type(folioOf(ids.late));
    await page.getByRole('heading', { name: folioOf(ids.late) }).waitFor();
    await page.keyboard.press('1');
    await page.getByText('Página 3 de 3').waitFor();
    await close();
  });
});
