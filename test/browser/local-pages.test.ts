import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, inject, it, onTestFinished, vi } from 'vitest';
import { SandboxPayments } from '../../infra/local/payments/sandbox/sandbox.ts';
import { composeDocumentMail } from '../../shared/invoices/document-mail.ts';
import { openMailer } from '../../shared/mail/send.ts';
import { now } from '../../shared/runtime/clock.ts';
import { openTable } from '../../shared/store/table.ts';
import { openPage } from '../support/counter/counter-page.ts';
import { startBrowser } from '../support/engines/browser.ts';
import { openMailbox } from '../support/engines/ses-relay.ts';
import { sendHttp } from '../support/http/http.ts';
import { documentMail } from '../support/invoices/document-mail.ts';
import { inTime, newAttempt } from '../support/payments/payment-suite.ts';
import { openTestGateway } from '../support/servers/test-gateway.ts';

/* A person uses the pages of the local server beside the counter and the reference. */

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());
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

it('the mailbox shows a mail, its HTML and its attachments, in a browser without internet, and keeps the latest', async () => {
  const engine = await openMailbox(2);
  onTestFinished(() => engine.close());
  vi.stubEnv('AWS_ENDPOINT_URL_SES', engine.url);
  const { sender, sellerName, send } = openMailer();
  const to = 'ana.munoz@demo.example';
  const sendMail = async (folio: string) => {
    const files = { pdf: Buffer.from(PDF), xml: Buffer.from(XML) };
    const mail = await composeDocumentMail(documentMail({ to, folio, sellerName, sender, files }));
    expect(await send(mail, to)).toMatchObject({ outcome: 'sent' });
  };
  await sendMail('RX-77000042');
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

  for (const folio of ['RX-1', 'RX-2']) await sendMail(folio);
  const { emails } = (await sendHttp(engine.url, '/store', { method: 'GET' })).body;
  const subjects: string[] = emails.map(({ subject }: { subject: string }) => subject);
  expect(subjects.map((subject) => /RX-\d+/.exec(subject)?.[0])).toEqual(['RX-1', 'RX-2']);
});

/** Returns the type and the text of the attachment that a click on its link opens. */
const openedFrom = (page: Page, name: string): Promise<[string | null, string]> =>
  page.getByRole('link', { name }).evaluate(async (link): Promise<[string | null, string]> => {
    const opened = await fetch((link as unknown as { href: string }).href);
    return [opened.headers.get('content-type'), await opened.text()];
  });
