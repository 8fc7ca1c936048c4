import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Counter } from '../../../infra/ops/counter/server/server.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { listItems } from '../../../shared/store/order-lists/entries.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { changeOrderWrites } from '../../../shared/store/orders/order-writes.ts';
import { getOrderOfAnyClient } from '../../../shared/store/orders/orders.ts';
import { openTable } from '../../../shared/store/table.ts';
import {
  type CounterBrowser,
  type CounterPage,
  DESK,
  openTestCounter,
  PHONE,
  startBrowser,
} from '../../support/counter/counter-page.ts';
import { forceVersion } from '../../support/orders/forced-order.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

// This is noon on a Monday in Mexico City.
const NOON = new Date('2026-11-23T18:00:00.000Z');
const DAY_MS = 86_400_000;

let server: TestServer;
let counter: Counter;
let browser: CounterBrowser;
let desk: CounterPage;
let token: string;
const ids = { late: 0, ready: 0, prescribed: 0, refund: 0 };

type Placing = { readonly daysAgo?: number; readonly product?: number; readonly name?: object };

async function place(email: string, { daysAgo = 0, product = 1, name = {} }: Placing = {}): Promise<number> {
  setClock(new Date(NOON.getTime() - daysAgo * DAY_MS));
  const { user, ...rest } = orderBody(email, { details: [{ product, quantity: 1 }] });
  const body = { ...rest, user: { ...user, ...name } };
  const answer = await server.request('POST', '/api/orders/resources/', { token, body });
  setClock(NOON);
  expect(answer.status).toBe(201);
  return answer.body.id;
}

/** Writes an order in a state, whatever its moves allow. */
async function force(id: number, state: Partial<Order>): Promise<void> {
  const before = await getOrderOfAnyClient(openTable(), id);
  if (!before) throw new Error(`no order ${id}`);
  await openTable().transact(changeOrderWrites(before, forceVersion(before, state)));
}

beforeAll(async () => {
  setClock(NOON);
  server = await openTestServer();
  token = await server.login('aseguradora@demo.example');
  ids.late = await place('late@example.mx', { daysAgo: 7, name: { first_name: 'Xóchitl', last_name: 'Ibáñez' } });
  ids.ready = await place('ready@example.mx', { daysAgo: 6 });
  ids.prescribed = await place('receta@example.mx', { product: 4 });
  ids.refund = await place('refund@example.mx');
  await force(ids.ready, { orderStatus: 'ready', paymentStatus: 'paid' });
  await force(ids.refund, { orderStatus: 'cancelled', paymentStatus: 'paid' });
  counter = await openTestCounter();
  browser = await startBrowser();
  desk = await browser.open(counter);
});
afterAll(async () => {
  setClock();
  await browser?.close();
  await counter.close();
  await server.close();
});

const folio = (id: number): string => `RX-${String(id).padStart(8, '0')}`;
const rows = ({ page }: CounterPage = desk): Promise<string[]> =>
  page.locator('tbody th').evaluateAll((cells) => cells.map(({ textContent }) => textContent ?? ''));
const chip = (name: string) => desk.page.getByRole('group', { name: 'Mostrar' }).getByRole('button', { name });
const focusedText = (): Promise<string> => desk.page.evaluate('document.activeElement.textContent');
const press = (key: string): Promise<void> => desk.page.keyboard.press(key);

describe('the queue', { timeout: 60_000 }, () => {
  it('opens on what is due now, what is due first at its head, with what each order waits for', async () => {
    await expect.poll(() => rows()).toEqual([folio(ids.late), folio(ids.ready), folio(ids.refund)]);
    expect(await chip('Para hoy 3').getAttribute('aria-pressed')).toBe('true');
    const [late, ready, refund] = await desk.page.locator('tbody tr').allInnerTexts();
    expect(late).toMatch(/Surtido · Pago/);
    expect(late).toMatch(/7 días\s+Aprobada\s+Sin pagar\s+Xóchitl Ibáñez\s+\$107\.50$/);
    expect(ready).toMatch(/Envío\s/);
    expect(refund).toMatch(/Reembolso\s/);
  });

  it('is limited to a state by its chip', async () => {
    await chip('Por aprobar 1').click();
    await expect.poll(() => rows()).toEqual([folio(ids.prescribed)]);
    expect(await desk.page.locator('tbody td.waits').innerText()).toBe('Receta · Pago');
    await chip('Todas 4').click();
    await expect
      .poll(() => rows())
      .toEqual([folio(ids.late), folio(ids.ready), folio(ids.refund), folio(ids.prescribed)]);
  });

  it('is gone through by j, k and the arrows, opened by Enter, and comes back as it was', async () => {
    await press('j');
    expect(await focusedText()).toBe(folio(ids.late));
    await press('ArrowDown');
    await press('ArrowDown');
    await press('k');
    expect(await focusedText()).toBe(folio(ids.ready));
    await press('Enter');
    await desk.page.waitForURL(`**/#/orders/${ids.ready}`);
    await press('1');
    await expect.poll(() => rows()).toHaveLength(4);
    expect(await desk.page.locator('tr.current th').innerText()).toBe(folio(ids.ready));
    await press('ArrowUp');
    expect(await focusedText()).toBe(folio(ids.late));
  });

  it('shows an order that comes by itself, announces it, and leaves the focus where it is', async () => {
    await press('ArrowDown');
    const id = await place('new@example.mx');
    await expect.poll(() => rows(), { timeout: 20_000 }).toContain(folio(id));
    expect(await focusedText()).toBe(folio(ids.ready));
    await expect.poll(() => desk.page.getByRole('status').innerText()).toBe(`Llegó una orden nueva: ${folio(id)}.`);
  });
});

describe('the search', { timeout: 60_000 }, () => {
  const search = async (text: string) => {
    await press('/');
    await desk.page.keyboard.type(text);
  };

  it.each([
    ['a folio', () => folio(ids.ready), () => [folio(ids.ready)], 'Una orden de «'],
    ['an e-mail', () => 'late@example.mx', () => [folio(ids.late)], 'Una orden de «'],
    ['a part of a name', () => 'ibanez', () => [folio(ids.late)], 'Una orden de «'],
    ['what nobody has', () => 'nadie', () => [], 'Ninguna orden de «'],
  ])('finds by %s, and Escape leads back', async (_, text, found, told) => {
    await search(text());
    await desk.page.locator('main').getByText(`${told}${text()}»`).first().waitFor();
    expect(await rows()).toEqual(found());
    await press('Escape');
    await expect.poll(() => rows()).toHaveLength(5);
    expect(await desk.page.getByRole('searchbox').inputValue()).toBe('');
  });

  it('asks for more of a name that is too common', async () => {
    await search('xo');
    await press('Enter');
    await desk.page.locator('main').getByText('Demasiados pacientes').waitFor();
    await press('Escape');
  });
});

describe('a tab that is loaded anew', { timeout: 60_000 }, () => {
  it('keeps the filter, the selected order and the search', async () => {
    await chip('Por aprobar 1').click();
    await press('j');
    expect(await focusedText()).toBe(folio(ids.prescribed));
    await desk.page.reload();
    await expect.poll(() => rows()).toEqual([folio(ids.prescribed)]);
    expect(await chip('Por aprobar 1').getAttribute('aria-pressed')).toBe('true');
    expect(await desk.page.locator('tr.current th').innerText()).toBe(folio(ids.prescribed));
    await press('/');
    await desk.page.keyboard.type('ibanez');
    await expect.poll(() => rows()).toEqual([folio(ids.late)]);
    await desk.page.reload();
    await expect.poll(() => rows()).toEqual([folio(ids.late)]);
    expect(await desk.page.getByRole('searchbox').inputValue()).toBe('ibanez');
  });

  it('is led from the search to what is found by the down arrow', async () => {
    await press('/');
    await press('ArrowDown');
    expect(await focusedText()).toBe(folio(ids.late));
    await press('/');
    await press('Escape');
    await chip('Todas 5').click();
    await expect.poll(() => rows()).toHaveLength(5);
  });
});

describe('the queue on every screen', { timeout: 60_000 }, () => {
  it('has complained of nothing', () => {
    expect(desk.takeComplaints()).toEqual([]);
  });

  it.each([
    ['a desk, light', { ...DESK, theme: 'light' }],
    ['a desk, dark', { ...DESK, theme: 'dark' }],
    ['a phone, light', { ...PHONE, theme: 'light' }],
    ['a phone, dark', { ...PHONE, theme: 'dark' }],
  ] as const)('is accessible and fits: %s', async (_, screen) => {
    const opened = await browser.open(counter, { ...screen, language: 'en' });
    await expect.poll(() => rows(opened)).not.toEqual([]);
    expect(await opened.page.evaluate('document.documentElement.scrollWidth')).toBe(screen.width);
    expect(await opened.findAxeViolations()).toEqual([]);
    expect(opened.takeComplaints()).toEqual([]);
    await opened.close();
  });
});

// Comes last: its orders would be in every other list.
describe('a long queue', { timeout: 60_000 }, () => {
  it('has all of its orders, announces none of them, and is read anew as often as a short one', async () => {
    const orders = Array.from({ length: 260 }, (_, index) =>
      syntheticOrder({ id: 1_000 + index, clientId: server.client.id, orderStatus: 'in_process' }),
    );
    await openTable().putAll(orders.flatMap(listItems));
    const { page, close } = await browser.open(counter);
    await page.getByRole('button', { name: 'En surtido 260' }).click();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(100);
    expect(await page.getByRole('status').innerText()).toBe('');
    await page.getByRole('button', { name: 'Mostrar las 260' }).click();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(260);
    const id = await place('later@example.mx');
    const announced = () => page.getByRole('status').innerText();
    await expect.poll(announced, { timeout: 20_000 }).toBe(`Llegó una orden nueva: ${folio(id)}.`);
    await close();
  });
});
