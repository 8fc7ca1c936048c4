import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCounter } from '../../../infra/counter/server/server.ts';
import type { CounterPage } from '../../support/counter/counter-page.ts';
import { type CounterWorld, OPERATOR, openCounterWorld, openTestCounter } from '../../support/counter/counter-world.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

let world: CounterWorld<TestServer>;
let desk: CounterPage;
beforeAll(async () => {
  world = await openCounterWorld(openServer);
  desk = await world.open();
});
afterAll(() => world.close());

const focusedText = (): Promise<string> => desk.page.evaluate('document.activeElement.textContent');

describe('the page of the counter', () => {
  it('takes the token out of its address, and leads to each view by its link and a key, with its title and the focus on its heading', async () => {
    const { page } = desk;
    expect(page.url()).not.toContain(world.counter.token);
    await page.getByText('Local: prueba').waitFor();
    await page.getByText(`Trabaja como ${OPERATOR}`).waitFor();
    await page.getByRole('link', { name: 'Catálogo' }).click();
    await expect.poll(() => page.title()).toBe('Catálogo · Botica');
    await expect.poll(focusedText).toBe('Catálogo');
    expect(await page.getByRole('link', { name: 'Catálogo' }).getAttribute('aria-current')).toBe('page');
    await page.keyboard.press('3');
    await expect.poll(focusedText).toBe('Facturas');
    expect(new URL(page.url()).hash).toBe('#/invoices');
    await page.goBack();
    await expect.poll(focusedText).toBe('Catálogo');
    await page.keyboard.press('1');
    await expect.poll(() => page.title()).toBe('Órdenes · Botica');
  });

  it('lists all of its keys on ?, and gives the focus back', async () => {
    const { page } = desk;
    await page.getByRole('link', { name: 'Gráficas' }).focus();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Atajos de teclado' });
    const rows = await dialog.locator('tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split(/\s/)[0])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '?',
      '/',
      '↓',
      'j',
      '↑',
      'k',
      'g',
      'Tab',
      'Enter',
      'Esc',
    ]);
    await desk.expectFit();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(focusedText).toBe('Gráficas');
  });

  it('of a counter that has ended says so, and goes on by the address of the next one', async () => {
    const first = await openTestCounter();
    const { page, takeComplaints, close } = await world.open({ address: first.address, route: '#/catalog' });
    await page.getByRole('heading', { name: 'Catálogo' }).waitFor();
    await first.close();
    await page.keyboard.press('1');
    await page.getByRole('alert').getByText('El mostrador no responde').waitFor();
    const port = Number(new URL(first.address).port);
    const next = await openCounter({ port, operator: OPERATOR, place: 'Local: prueba', isLocal: true });
    await page.getByRole('alert').getByText('abra la dirección completa que mostró la terminal').waitFor();
    await page.evaluate(`location.hash = ${JSON.stringify(next.token)}`);
    await page.getByText('No hay órdenes aquí.').waitFor({ timeout: 15_000 });
    expect(await page.getByRole('alert').count()).toBe(0);
    // Chromium tells of every call without an answer.
    takeComplaints();
    await close();
    await next.close();
  });

  it('without the token says what to do, and opens once it has it', async () => {
    const { page, takeComplaints } = await world.open({ address: new URL('/', world.counter.address).href });
    await page.getByRole('alert').getByText('abra la dirección completa que mostró la terminal').waitFor();
    expect(takeComplaints()).toEqual([]);
    await page.evaluate(`location.hash = ${JSON.stringify(world.counter.token)}`);
    await page.getByRole('heading', { name: 'Órdenes' }).waitFor();
  });
});
