import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { buildSite } from '../../infra/docs/site.ts';
import { SandboxPayments } from '../../infra/local/payments/sandbox/sandbox.ts';
import { DEMO_API_KEY } from '../../infra/local/seed.ts';
import { composeDocumentMail } from '../../shared/invoices/document-mail.ts';
import { openMailer } from '../../shared/mail/send.ts';
import { now } from '../../shared/runtime/clock.ts';
import { openTable } from '../../shared/store/table.ts';
import { DESKTOP, openPage, PHONE } from '../support/counter/counter-page.ts';
import { startBrowser } from '../support/engines/browser.ts';
import { openMailbox } from '../support/engines/ses-relay.ts';
import { sendHttp } from '../support/http/http.ts';
import { documentMail } from '../support/invoices/tax-documents.ts';
import { inTime, newAttempt } from '../support/payments/payment-suite.ts';
import { openTestGateway } from '../support/servers/test-gateway.ts';
import { useServer } from '../support/servers/test-server.ts';

/* The reference of the API, and the other pages of the local server beside the counter. */

/** A host of static files, which sends no headers of its own. */
const host = createServer().listen(0, '127.0.0.1');
await once(host, 'listening');
const hostedAt = `http://localhost:${(host.address() as AddressInfo).port}`;
const server = useServer({ settings: { CORS_ORIGINS: hostedAt } });
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  host.close();
});

const origin = () => new URL(server.url).origin;
let errors: string[] = [];
let foreignRequests: string[] = [];
afterEach(() => {
  expect(errors).toEqual([]);
  expect(foreignRequests).toEqual([]);
});

function collectErrors(page: Page): void {
  errors = [];
  page.on('console', (message) => {
    if (message.type() !== 'info') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
}

/** Opens the reference in a browser; a console error or a request to another host fails the test. */
async function open(): Promise<Page> {
  foreignRequests = [];
  const context = await browser.newContext({ viewport: DESKTOP, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  // A busy machine takes seconds to open a form.
  page.setDefaultTimeout(30_000);
  collectErrors(page);
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin()) foreignRequests.push(request.url());
  });
  await page.goto(`${origin()}/docs`);
  await page.getByRole('heading', { name: 'Botica' }).waitFor();
  return page;
}

const section = (page: Page, summary: string): Locator => page.getByRole('region', { name: summary });

/** Opens the form to try the operation that the contents list under this summary. */
async function openForm(page: Page, summary: string): Promise<Locator> {
  await page.getByRole('link', { name: summary }).first().click();
  await section(page, summary)
    .getByRole('button', { name: /^Test Request/ })
    .click();
  const form = page.getByRole('dialog', { name: 'API Client' });
  await form.getByRole('region', { name: `Request: ${summary}` }).waitFor();
  return form;
}

const close = (form: Locator): Promise<void> => form.getByRole('button', { name: 'Close Client' }).click();

/** Sends the request of a form that was just opened, and returns the answer as soon as the page shows it. */
async function send(form: Locator) {
  const button = form.getByRole('button', { name: /^Send (get|post) / });
  const [response] = await Promise.all([form.page().waitForResponse(/\/v2\/api\//), button.click()]);
  const shown = form.getByRole('region', { name: 'Response', exact: true });
  await shown.getByRole('link', { name: `${response.status()} ${response.statusText()}` }).waitFor();
  const [firstField = ''] = Object.keys(await response.json());
  await shown.getByText(`"${firstField}"`).first().waitFor();
  return { status: response.status(), body: await response.json() };
}

/** Copies a code sample by its button and returns it from the clipboard. */
async function copySample(page: Page, summary: string, label: 'Curl' | 'TypeScript'): Promise<string> {
  await page.getByRole('link', { name: summary }).first().click();
  const example = section(page, summary).getByRole('group', { name: /^Request Example/ });
  await example
    .getByRole('button', { name: /^(Shell Curl|TypeScript)$/ })
    .first()
    .click();
  await page.getByRole('option', { name: label, exact: true }).click();
  // The button appears under the pointer.
  await example.locator('code').hover();
  await example.getByRole('button', { name: /Copy$/ }).click();
  return page.evaluate('navigator.clipboard.readText()');
}

/** Returns the statuses of the answers to a quote whose tabs are cut off or covered. */
async function listHiddenStatuses(page: Page): Promise<string[]> {
  const tabs = section(page, 'Quote a basket').getByRole('tab', { name: /^Status:/ });
  await tabs.last().scrollIntoViewIfNeeded();
  expect(await tabs.allTextContents()).toHaveLength(8);
  return tabs.evaluateAll((all) =>
    all
      .filter((tab) => {
        const { x, y, width, height } = tab.getBoundingClientRect();
        const top = tab.ownerDocument.elementFromPoint(x + width / 2, y + height / 2);
        return top?.closest('[role=tab]') !== tab;
      })
      .map((tab) => tab.textContent ?? ''),
  );
}

const pageWidth = (page: Page): Promise<number> => page.evaluate('document.documentElement.scrollWidth');

describe('the reference page of the server', { timeout: 120_000 }, () => {
  // Opened once, as it takes seconds; each test closes the forms that it opens.
  let page: Page;
  beforeAll(async () => {
    page = await open();
  }, 120_000);
  afterAll(() => page?.close());

  /** Expects that a section and its form are no wider than the screen; returns the answer to the form if it is sent. */
  async function expectFit({ width }: typeof DESKTOP, isSent = false) {
    const form = await openForm(page, 'Quote a basket');
    const answer = isSent ? await send(form) : undefined;
    expect(await pageWidth(page)).toBe(width);
    await close(form);
    expect(await listHiddenStatuses(page)).toEqual([]);
    return answer;
  }

  it('quotes with the key of the demonstration, and shows the answer', async () => {
    expect(await page.title()).toBe('Botica API');
    expect(await page.getByRole('link', { name: 'Quote a basket' }).first().isVisible()).toBe(true);
    const quoted = await expectFit(DESKTOP, true);
    expect(quoted).toMatchObject({ status: 201, body: { total: '192.40', coupon: { code: 'BIENVENIDA10' } } });
  });

  it('has samples with the address, the key and the token, so that they run when pasted', async () => {
    const curl = await copySample(page, 'Place an order', 'Curl');
    const { stdout } = await promisify(execFile)('sh', ['-c', `${curl} -s -o /dev/null -w '%{http_code}'`]);
    expect(stdout, curl).toBe('201');
    const program = await copySample(page, 'Quote a basket', 'TypeScript');
    expect(program).toContain(`baseUrl: '${server.url}'`);
    expect(program).toContain('await botica.quote({');
  });

  it('fits the screen of a phone', async () => {
    await page.setViewportSize(PHONE);
    expect(await page.getByRole('link', { name: 'Quote a basket' }).first().isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Open Menu' }).click();
    await expectFit(PHONE);
  });
});

describe('the reference page on another host', { timeout: 120_000 }, () => {
  let page: Page;
  beforeAll(async () => {
    const files = await buildSite({ baseUrl: server.url });
    host.on('request', ({ url = '' }, response) => {
      const file = files.get(url.slice(1) || 'index.html');
      response.writeHead(file ? 200 : 404, { 'Content-Type': file?.type ?? 'text/plain' }).end(file?.body);
    });
    page = await browser.newPage();
  }, 120_000);
  afterAll(() => page?.close());

  it('opens and calls the API under the policy that it brings along, without a violation', async () => {
    collectErrors(page);
    await page.goto(`${hostedAt}/`);
    await page.getByRole('heading', { name: 'Botica' }).waitFor();
    await page.getByRole('link', { name: 'Quote a basket' }).first().click();
    await section(page, 'Quote a basket').waitFor();
    const asked = `fetch('${server.url}/api/diseases/', { headers: { 'X-API-Key': '${DEMO_API_KEY}' } })`;
    expect(await page.evaluate(`${asked}.then((it) => it.status)`)).toBe(200);
    expect(errors).toEqual([]);
  });

  it('runs no script but its own, and sends nothing elsewhere', async () => {
    const evil = createServer((_, response) => {
      const headers = { 'Content-Type': 'text/javascript', 'Access-Control-Allow-Origin': '*' };
      response.writeHead(200, headers).end('window.evil = 1');
    }).listen(0, '127.0.0.1');
    await once(evil, 'listening');
    const evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
    for (const script of [`${evilUrl}/evil.js`, 'data:text/javascript,window.evil=1']) {
      await expect(page.addScriptTag({ url: script }), script).rejects.toThrow();
      expect(errors.splice(0).join('\n')).toMatch(violation('script-src'));
    }
    await expect(page.addScriptTag({ content: 'window.evil = 1' })).rejects.toThrow(/Content Security Policy/);
    expect(errors.splice(0).join('\n')).toMatch(violation('script-src'));
    expect(await page.evaluate('window.evil')).toBeUndefined();
    await expect(page.evaluate(`fetch('${evilUrl}/')`)).rejects.toThrow(/Failed to fetch/);
    expect(errors.splice(0).join('\n')).toMatch(violation('connect-src'));
    evil.close();
  });

  const violation = (directive: string): RegExp =>
    new RegExp(`violates the following Content Security Policy directive:? ["']${directive} 'self'`);
});

describe('the files of the reference page', () => {
  const get = (target: string, method = 'GET') => sendHttp(server.url, target, { method });

  it('are the page and its assets, under a policy that allows nothing else', async () => {
    const page = await get('/docs/');
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-cache',
    });
    expect((await get('/docs/openapi.json')).body.openapi).toMatch(/^3\.1\./);
    expect(await get('/docs')).toMatchObject({ status: 308, headers: { location: '/docs/' } });
  });

  it('are compressed for whoever takes gzip, and sent once', async () => {
    const load = (headers: Record<string, string>) => fetch(new URL('/docs/scalar.js', server.url), { headers });
    const [packed, plain] = await Promise.all([load({}), load({ 'Accept-Encoding': 'identity' })]);
    expect([packed, plain].map(({ headers }) => headers.get('content-encoding'))).toEqual(['gzip', null]);
    expect(await packed.text()).toBe(await plain.text());
    expect((await load({ 'If-None-Match': packed.headers.get('etag') ?? '' })).status).toBe(304);
  });

  it.each([
    ['GET', '/docs/%2e%2e/package.json'],
    ['GET', '/docs/__proto__'],
    ['POST', '/docs/'],
  ])('are not %s %s', async (method, target) => {
    expect((await get(target, method)).status).toBe(404);
  });
});

describe('the other pages of the local server', () => {
  beforeEach(() => {
    for (const [name, value] of Object.entries(inject('serverEnvironment'))) vi.stubEnv(name, value);
  });

  it('the page of a payment shows a voucher, and takes its outcome', async () => {
    const gateway = await openTestGateway();
    onTestFinished(() => gateway.close());
    const { origin } = new URL(gateway.url);
    const sandbox = new SandboxPayments({ table: openTable(), pageUrl: `${origin}/sandbox-payments`, now });
    const term = { createdAt: now().toISOString(), expiresAt: '2099-01-01T00:00:00.000Z' };
    const { id, reference } = await sandbox.request(newAttempt('oxxo', term), inTime());
    const { page, expectFit, close } = await openPage(browser, reference.externalUrl);
    onTestFinished(close);

    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Pedido RX-00000123');
    expect(await page.locator('.total').innerText()).toMatch(/Total\s+\$819\.84\s+MXN/);
    await expectFit();
    await page.getByRole('button', { name: 'Pagado' }).click();
    await page.getByRole('status').getByText('Se recibió el pago.').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    expect((await sandbox.look(id, inTime())).state).toMatchObject({ status: 'paid', receivedCents: 81_984 });
  });

  const PDF = '%PDF-1.4\nla factura';
  const XML = '<cfdi:Comprobante Nombre="MUÑOZ"/>';

  it('the mailbox shows a mail, its HTML and its attachments, in a browser without internet', async () => {
    const engine = await openMailbox();
    onTestFinished(() => engine.close());
    vi.stubEnv('AWS_ENDPOINT_URL_SES', engine.url);
    const { sender, sellerName, send } = openMailer();
    const to = 'ana.munoz@demo.example';
    const files = { pdf: Buffer.from(PDF), xml: Buffer.from(XML) };
    const sent = await composeDocumentMail(documentMail({ to, folio: 'RX-77000042', sellerName, sender, files }));
    expect(await send(sent, to)).toMatchObject({ outcome: 'sent' });
    const page = await browser.newPage();
    const elsewhere: string[] = [];
    await page.route('**', (route) => {
      const isOurs = route.request().url().startsWith(`${engine.url}/`);
      if (!isOurs) elsewhere.push(route.request().url());
      return isOurs ? route.continue() : route.abort();
    });
    await page.goto(engine.url);
    const mail = page.locator('.email', { hasText: 'RX-77000042' });
    await mail.getByRole('button', { name: 'Toggle HTML view' }).click();
    await expect.poll(() => mail.frameLocator('iframe').locator('body').innerText()).toContain('$819.84 MXN');
    expect(await openedFrom(page, 'factura-F-12.pdf')).toEqual(['application/pdf', PDF]);
    expect(await openedFrom(page, 'factura-F-12.xml')).toEqual(['application/xml', XML]);
    expect(elsewhere).toEqual([]);
    await page.close();
  });

  /** Returns the type and the text of the attachment that a click on its link opens. */
  const openedFrom = (page: Page, name: string): Promise<[string | null, string]> =>
    page.getByRole('link', { name }).evaluate(async (link): Promise<[string | null, string]> => {
      const opened = await fetch((link as unknown as { href: string }).href);
      return [opened.headers.get('content-type'), await opened.text()];
    });
});
