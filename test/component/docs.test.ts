import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sendHttp } from '../support/http/http.ts';
import { openTestServer, type TestServer } from '../support/servers/test-server.ts';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

let server: TestServer;
let browser: Browser;
beforeAll(async () => {
  if (!existsSync(CHROMIUM)) throw new Error(`no browser at ${CHROMIUM}: apt-get install chromium, or set CHROMIUM`);
  server = await openTestServer();
  // A container has no user of its own for the sandbox; the pages are ours.
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
  await server.close();
});

const origin = () => new URL(server.url).origin;
let complaints: string[] = [];
let strangers: string[] = [];
afterEach(() => {
  expect(complaints).toEqual([]);
  expect(strangers).toEqual([]);
});

/** The reference in a browser; a complaint of the console or a request to elsewhere fails the test. */
async function open({ width, height } = { width: 1280, height: 900 }): Promise<Page> {
  complaints = [];
  strangers = [];
  const context = await browser.newContext({
    viewport: { width, height },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin()) strangers.push(request.url());
  });
  await page.goto(`${origin()}/docs`);
  return page;
}

async function logIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('Logged in as aseguradora@demo.example.').waitFor();
}

/** Sends the form of an operation as it stands, and reads what the page shows of the answer. */
async function send(page: Page, operation: string) {
  const form = page.locator(`#${operation} form`);
  await form.getByRole('button', { name: 'Send' }).click();
  const body = form.locator('output pre').first();
  await body.waitFor();
  const status = await form.locator('output .status').textContent();
  return { status, body: JSON.parse((await body.textContent()) ?? '') };
}

describe('the reference page of the server', () => {
  it('logs in, quotes and orders, shows the answers, and keeps the token', async () => {
    const page = await open();
    expect(await page.title()).toBe('Botica API');
    const quote = await send(page, 'quote');
    expect(quote).toMatchObject({ status: '201', body: { total: '192.40', coupon: { code: 'BIENVENIDA10' } } });

    await logIn(page);
    await page.locator('#createOrder [name=Idempotency-Key]').fill('from-the-page-0001');
    const placed = await send(page, 'createOrder');
    expect(placed).toMatchObject({ status: '201', body: { order_status: 'approved', total: '130.30' } });
    const again = await send(page, 'createOrder');
    expect(again.body.id).toBe(placed.body.id);
    await page.locator('#createOrder output summary').click();
    await page.getByText('idempotent-replayed: true').waitFor();

    await page.locator('#getOrder [name=id]').fill(String(placed.body.id));
    expect((await send(page, 'getOrder')).body.id).toBe(placed.body.id);
    await page.locator('#listProducts [name=search]').fill('paracetamol 500');
    await page.locator('#listProducts [name=limit]').fill('1');
    expect((await send(page, 'listProducts')).body.results).toHaveLength(1);

    const token = await page.locator('[name=token]').inputValue();
    await page.reload();
    expect(await page.locator('[name=token]').inputValue()).toBe(token);
    await page.close();
  });

  it('fills its examples with the address, the key and the token, so that they run when pasted', async () => {
    const page = await open();
    await logIn(page);
    for (const operation of ['issueToken', 'quote', 'createOrder', 'listOrders', 'getOrder', 'listProducts']) {
      const curl = (await page.locator(`#sample-${operation}-curl`).textContent()) ?? '';
      const { stdout } = await promisify(execFile)('sh', ['-c', `${curl} -s -o /dev/null -w '%{http_code}'`]);
      expect(stdout, curl).toMatch(/^20[01]$/);
    }
    await page.locator('#quote').getByRole('tab', { name: 'TypeScript' }).click();
    expect(await page.locator('#sample-createOrder-ts').isVisible()).toBe(true);
    expect(await page.locator('#sample-createOrder-curl').isVisible()).toBe(false);
    await page.locator('#quote').getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toContain(`baseUrl: '${server.url}'`);
    await page.close();
  });

  it('finds operations and schemas by their words, and leads to what a search has hidden', async () => {
    const page = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('idempotency_key_reused');
    expect(await page.locator('.entry:visible').evaluateAll((entries) => entries.map(({ id }) => id))).toEqual([
      'createOrder',
    ]);
    await page.locator('#createOrder').getByRole('link', { name: 'NewOrder' }).click();
    expect(await page.locator('#schema-NewOrder').isVisible()).toBe(true);
    expect(await page.locator('#search').inputValue()).toBe('');
    await page.locator('#search').fill('no such word');
    expect(await page.getByText('Nothing here has these words.').isVisible()).toBe(true);
    await page.close();
  });

  it('says why an answer is refused, in the language asked for', async () => {
    const page = await open();
    await page.locator('[name=language]').selectOption('es');
    await page.locator('#quote textarea').fill('{"details": []}');
    const refused = await send(page, 'quote');
    expect(refused).toEqual({ status: '400', body: { details: ['Debe tener 1 o más elementos.'] } });
    expect(complaints.splice(0)).toEqual([expect.stringContaining('400 (Bad Request)')]);
    await page.close();
  });

  it.each([
    ['a desk', 1280, 900],
    ['a phone', 390, 844],
  ])('fits the screen of %s', async (_, width, height) => {
    const page = await open({ width, height });
    await logIn(page);
    await send(page, 'quote');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    const isDesk = width > 960;
    expect(await page.getByRole('link', { name: 'Quote a basket' }).isVisible()).toBe(isDesk);
    if (!isDesk) await page.getByText('Contents', { exact: true }).click();
    await page.getByRole('link', { name: 'Quote a basket' }).click();
    const heading = await page.getByRole('heading', { name: 'Quote a basket' }).boundingBox();
    expect(heading?.y).toBeGreaterThan(50);
    expect(heading?.y).toBeLessThan(200);
    await page.close();
  });
});

describe('the files of the reference page', () => {
  const get = (target: string, method = 'GET') => sendHttp(server.url, target, { method });

  it('are the page and what it needs, under a policy that allows nothing else', async () => {
    const page = await get('/docs/');
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-cache',
    });
    expect((await get('/docs/openapi.json')).body.openapi).toMatch(/^3\.1\./);
    expect(await get('/docs')).toMatchObject({ status: 308, headers: { location: '/docs/' } });
  });

  it.each([
    ['GET', '/docs/../package.json'],
    ['GET', '/docs/%2e%2e/package.json'],
    ['GET', '/docs//etc/passwd'],
    ['GET', '/docs/__proto__'],
    ['POST', '/docs/'],
    ['GET', '/docsx'],
  ])('are not %s %s', async (method, target) => {
    expect((await get(target, method)).status).toBe(404);
  });
});
