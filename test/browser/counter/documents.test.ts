import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CounterPage, drawnFrame, press, seeTab, showOrder } from '../../support/counter/counter-page.ts';
import { NOON, placeOrder, useCounterWorld } from '../../support/counter/counter-world.ts';
import { BLUE, drawnPdf, endlessPdf, PNG, RED, scannedPdf } from '../../support/counter/prescription-files.ts';
import { forceStored, getStoredOrder } from '../../support/orders/forced-order.ts';
import { openServer } from '../../support/servers/test-server.ts';

const world = useCounterWorld(openServer, NOON);
/** The page of the cases that leave it as they found it. */
let ui: CounterPage;
beforeAll(async () => {
  ui = await world.open();
});

/** Shows a new order with this document. */
const openOrderWith = async (file: Buffer, shown = ui): Promise<CounterPage> =>
  showOrder(shown, await placeOrder(world.server, [file]));

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

describe('the document of a prescription', () => {
  it('is drawn page by page if it is a PDF, by keys', async () => {
    const { page } = await openOrderWith(drawnPdf([BLUE, RED]));
    const frame = await drawnFrame(page, 'página 1 de 2');
    expect(await middleOf(frame)).toEqual(['0 0 255', 'high']);
    await press(page, 'ArrowRight');
    await drawnFrame(page, 'página 2 de 2');
    await expect.poll(() => middleOf(frame)).toEqual(['255 0 0', 'high']);
    await press(page, 'r');
    await expect.poll(() => middleOf(frame)).toEqual(['255 0 0', 'wide']);
    await press(page, '+');
    await expect.poll(() => frame.evaluate(`document.querySelector('canvas').style.width`)).toBe('150%');
  });

  it('is drawn if it is a picture', async () => {
    const { page } = await openOrderWith(PNG);
    const frame = await drawnFrame(page, 'página 1 de 1');
    expect(await middleOf(frame)).toEqual(['200 30 30', 'wide']);
    await press(page, 'r');
    await expect.poll(() => middleOf(frame)).toEqual(['200 30 30', 'high']);
  });

  it('is shown as not looked into if it could not be, and is not drawn once an antivirus has found something', async () => {
    const objects =
      '9 0 obj\n<</Type/ObjStm/N 1/First 4/Filter/LZWDecode/Length 1>>\nstream\nx\nendstream\nendobj\n%%EOF\n';
    const id = await placeOrder(world.server, [Buffer.concat([drawnPdf([BLUE]), Buffer.from(objects)])]);
    const { prescriptions } = await getStoredOrder(id);
    const scan = (scan: 'pending' | 'threat') =>
      forceStored(id, { prescriptions: prescriptions.map((each) => ({ ...each, scan })) });
    await scan('pending');
    const { page } = await showOrder(ui, id);
    await page.getByText('Documento protegido, sin revisar.').waitFor();
    await page.getByText('sin revisar todavía').waitFor();
    await scan('threat');
    await openOrderWith(drawnPdf([BLUE]));
    await drawnFrame(page, 'página 1 de 1');
    expect(await page.getByText('Documento protegido, sin revisar.').count()).toBe(0);
    await showOrder(ui, id);
    await page.getByText('tiene software malicioso y no se puede abrir').waitFor();
    expect(await page.locator('.viewer').count()).toBe(0);
  });

  it('is asked for again after it could not be read, and says so if it cannot be drawn', async () => {
    const { page, takeComplaints } = ui;
    const html = { body: '<script>parent.document.title = "in"</script>', contentType: 'text/html' };
    const json = { code: 'failed', text: 'S3 no responde.' };
    await page.route('**/documents/**', (route) => route.fulfill(html));
    await page.route('**/documents/**', (route) => route.fulfill({ status: 500, json }), { times: 1 });
    onTestFinished(() => page.unrouteAll());
    await openOrderWith(drawnPdf([BLUE]));
    await page.getByRole('alert').getByText('S3 no responde.').waitFor();
    await page.getByRole('button', { name: 'Intentar de nuevo' }).click();
    await page.getByRole('alert').getByText('El documento no se puede mostrar').waitFor();
    expect(await page.title()).toMatch(/^Orden RX-\d{8} · Botica$/);
    expect(takeComplaints()).toEqual([expect.stringContaining('responded with a status of 500 ')]);
  });

  it('shows its other pages if one of them cannot be decoded, and none of them blank', async () => {
    const { page } = await openOrderWith(scannedPdf('CCITTFaxDecode', 'JPXDecode'));
    const frame = await drawnFrame(page, 'página 1 de 2');
    await press(page, 'ArrowRight');
    await page.getByText('Esta página no se puede mostrar').waitFor();
    expect(await frame.locator('canvas').count()).toBe(0);
    await press(page, 'ArrowLeft');
    expect(await middleOf(await drawnFrame(page, 'página 1 de 2'))).toEqual(['0 0 0', 'high']);
    await page.getByText('Esta página no se puede mostrar').waitFor({ state: 'detached' });
  });

  /** Lets the seconds pass so many times as fast in a page, from here on. */
  const hasten = ({ page }: CounterPage, times: number): Promise<void> =>
    page.evaluate(`window.real ??= setTimeout; window.setTimeout = (run, ms) => real(run, ms / ${times}); undefined`);

  it('is given up if it takes too long, while the page goes on', async () => {
    const shown = await openOrderWith(endlessPdf(), await world.open());
    const { page, close } = shown;
    await page.getByText('Página 1 de 1').waitFor();
    // The page counts anew for each drawing.
    await hasten(shown, 40);
    await press(page, 'r', 'x');
    await page.getByRole('dialog', { name: 'Rechazar receta' }).waitFor();
    await page.getByText('El documento no se puede mostrar').waitFor();
    expect(page.frames()).toHaveLength(1);
    await close();
  });

  it('is not given up while its tab is hidden, in which a browser draws nothing', async () => {
    const { page } = ui;
    await hasten(ui, 100);
    const arrived = Promise.withResolvers<void>();
    await page.route('**/viewer.js', (route) => arrived.promise.then(() => route.continue()));
    onTestFinished(() => page.unrouteAll());
    await seeTab(page, 'hidden');
    await openOrderWith(drawnPdf([BLUE]));
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 40_000))');
    expect(await page.getByRole('alert').count()).toBe(0);
    await seeTab(page, 'visible');
    await page.getByRole('alert').getByText('tardó demasiado').waitFor();
    arrived.resolve();
    await hasten(ui, 1);
    await page.getByRole('button', { name: 'Intentar de nuevo' }).click();
    await drawnFrame(page, 'página 1 de 1');
  });

  it('could reach neither the page nor anybody else, whatever it ran', async () => {
    const shown = await openOrderWith(drawnPdf([BLUE]), await world.open());
    const frame = await drawnFrame(shown.page, 'página 1 de 1');
    let reached = 0;
    const stranger = createServer((_, response) => response.end(String(++reached))).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const elsewhere = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/`;
    const load = (what: string, address: string) =>
      `new Promise((done, fail) => Object.assign(${what}, { onload: done, onerror: () => fail(new Error()), src: '${address}' }))`;
    const attempts = [
      ['parent.document.title', 'SecurityError'],
      [`sessionStorage.getItem('token')`, 'SecurityError'],
      ['document.cookie', 'SecurityError'],
      [`fetch('/session')`, 'TypeError'],
      [`fetch('${elsewhere}')`, 'TypeError'],
      [load(`new Worker('/viewer.js')`, ''), 'TypeError'],
      [`top.location = '${elsewhere}'`, 'SecurityError'],
      [load('new Image()', elsewhere), 'Error'],
    ] as const;
    for (const [attempt, error] of attempts) {
      const came = `(async () => ${attempt})().then(() => 'done', (error) => error.name)`;
      expect([attempt, await frame.evaluate(came)]).toEqual([attempt, error]);
    }
    expect(await frame.evaluate('self.origin')).toBe('null');
    await frame.evaluate(`void (location.href = '${elsewhere}?secret')`);
    const said: string[] = [];
    const reasons = ["connect-src 'none'", 'TrustedScriptURL', 'sandboxed', "'img-src' was not", "frame-src 'self'"];
    for (const reason of reasons) {
      await expect.poll(() => said.push(...shown.takeComplaints()) && said.join('\n')).toContain(reason);
    }
    // A request that was blocked is told too.
    const BLOCKED = /Security Policy|TrustedScriptURL|window is sandboxed|^request to /;
    expect(said.filter((line) => !BLOCKED.test(line))).toEqual([]);
    expect(reached).toBe(0);
    stranger.close();
    // The browser says twice of some attempts that it blocked them, the second time when it likes.
    await shown.page.close();
    shown.takeComplaints();
  });
});
