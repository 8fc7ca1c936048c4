import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CounterWorld, NOON, openCounterWorld } from '../../support/counter/counter-world.ts';
import { placeOrder } from '../../support/counter/placed-orders.ts';
import { drawnPdf, endlessPdf } from '../../support/counter/prescription-files.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

let world: CounterWorld<TestServer>;
beforeAll(async () => {
  world = await openCounterWorld(openTestServer, NOON);
});
afterAll(() => world.close());

const LATE = 'El documento no se puede mostrar: tardó demasiado en abrirse o en dibujarse.';

// The patience of the page is the only timer of it that takes seconds.
const HOLD_PATIENCE = `{
  const running = new Map();
  const [start, end] = [setTimeout, clearTimeout];
  window.setTimeout = (run, ms, ...more) => {
    const timer = start(run, ms, ...more);
    if (ms >= 5000) running.set(timer, run);
    return timer;
  };
  window.clearTimeout = (timer) => {
    running.delete(timer);
    end(timer);
  };
  window.countPatience = () => running.size;
  window.endPatience = () => running.forEach((run, timer) => {
    clearTimeout(timer);
    run();
  });
}`;

/** Draws nothing in a frame until it may, as a browser does in a tab that is hidden. */
const HOLD_DRAWING = `if (self !== top) {
  const real = requestAnimationFrame;
  const held = [];
  window.requestAnimationFrame = (draw) => held.push(draw);
  window.letDraw = () => {
    window.requestAnimationFrame = real;
    held.forEach((draw) => real(draw));
  };
}`;

/** Opens a page in which a test decides when the patience with a document is over. */
async function openPage(): Promise<Page> {
  const { page, close, takeComplaints } = await world.open();
  onTestFinished(async () => {
    expect(takeComplaints()).toEqual([]);
    await close();
  });
  await page.evaluate(HOLD_PATIENCE);
  return page;
}

const showOrder = (page: Page, id: number) => page.evaluate(`location.hash = '#/orders/${id}'`);
const countPatience = (page: Page): Promise<number> => page.evaluate('countPatience()');
const endPatience = (page: Page) => page.evaluate('endPatience()');
const drawn = (page: Page) => page.frameLocator('iframe').getByRole('img', { name: 'página 1 de 1' }).waitFor();

function frameOf(page: Page): Frame {
  const frame = page.frames().find((each) => each.url().endsWith('/viewer.html'));
  if (!frame) throw new Error('no frame');
  return frame;
}

const see = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(`{
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);

describe('a document that takes longer than the patience of the page', { timeout: 60_000 }, () => {
  it('is drawn once the tab is visible, if the tab was hidden meanwhile', async () => {
    const page = await openPage();
    await page.addInitScript(HOLD_DRAWING);
    await showOrder(page, await placeOrder(world.server, [drawnPdf()]));
    await page.getByText('Página 1 de 1').waitFor();
    await expect.poll(() => countPatience(page)).toBe(1);
    await see(page, 'hidden');
    await endPatience(page);
    expect([await countPatience(page), await page.getByRole('alert').count()]).toEqual([0, 0]);
    await see(page, 'visible');
    // It has the whole time again.
    expect(await countPatience(page)).toBe(1);
    await frameOf(page).evaluate('letDraw()');
    await drawn(page);
    await expect.poll(() => countPatience(page)).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('is drawn if it was its download that took so long', async () => {
    const page = await openPage();
    const arrived = Promise.withResolvers<void>();
    await page.route('**/documents/**', async (route) => {
      await arrived.promise;
      await route.continue();
    });
    await showOrder(page, await placeOrder(world.server, [drawnPdf()]));
    await expect.poll(() => page.frames().length).toBe(2);
    await expect.poll(() => countPatience(page)).toBe(0);
    await endPatience(page);
    await page.getByText('Abriendo el documento…').waitFor();
    arrived.resolve();
    await drawn(page);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('is given up if it was looked at all the time, and said to be late, not damaged', async () => {
    const page = await openPage();
    await showOrder(page, await placeOrder(world.server, [endlessPdf()]));
    await page.getByText('Página 1 de 1').waitFor();
    await expect.poll(() => countPatience(page)).toBe(1);
    await endPatience(page);
    await page.getByRole('alert').getByText(LATE).waitFor();
    expect(page.frames()).toHaveLength(1);
    await page.getByRole('button', { name: 'Intentar de nuevo' }).click();
    await page.getByText('Página 1 de 1').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
