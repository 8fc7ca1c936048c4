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
  });

  it('lists all of its keys on ?, and gives the focus back', async () => {
    const { page } = desk;
    await page.getByRole('link', { name: 'Gráficas' }).focus();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Atajos de teclado' });
    const rows = await dialog.locator('tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split(/\s/)[0])).toEqual(
      expect.arrayContaining(['1', '2', '3', '4', '5', '6', '?', '/', 'r', 'Tab', 'Enter', 'Esc']),
    );
    await desk.expectFit();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(focusedText).toBe('Gráficas');
  });

  it('says what to do without the token or once its counter has ended, and goes on by the address of the next one', async () => {
    const first = await openTestCounter();
    const { port, origin } = new URL(first.address);
    const { page, takeComplaints, close } = await world.open({ address: `${origin}/`, refreshMs: 200 });
    const alert = page.getByRole('alert');
    const enter = (token: string) => page.evaluate(`location.hash = ${JSON.stringify(token)}`);
    await alert.getByText('abra la dirección completa que mostró la terminal').waitFor();
    expect(takeComplaints()).toEqual([]);
    await enter(first.token);
    await page.getByText('No hay órdenes aquí.').waitFor();
    await first.close();
    await alert.getByText('El mostrador no responde').waitFor();
    const next = await openCounter({ port: Number(port), operator: OPERATOR, place: 'Local: prueba', isLocal: true });
    await alert.getByText('abra la dirección completa que mostró la terminal').waitFor();
    await enter(next.token);
    await page.getByText('No hay órdenes aquí.').waitFor();
    expect(await alert.count()).toBe(0);
    // Chromium tells of every call without an answer.
    takeComplaints();
    await close();
    await next.close();
  });
});
