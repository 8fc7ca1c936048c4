import { SESClient, SendEmailCommand } from '@aws-sdk/client-ses';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { composeDocumentMail } from '../../shared/invoices/document-mail.ts';
import { openMailer } from '../../shared/mail/send.ts';
import { startBrowser } from '../support/engines/browser.ts';
import { openMailbox } from '../support/engines/ses-relay.ts';
import { sendHttp } from '../support/http/http.ts';
import { documentMail } from '../support/invoices/document-mail.ts';

const PDF = '%PDF-1.4\nla factura';

let engine: Awaited<ReturnType<typeof openMailbox>>;
beforeAll(async () => {
  engine = await openMailbox();
  for (const [name, value] of Object.entries(inject('serverEnvironment'))) vi.stubEnv(name, value);
  vi.stubEnv('AWS_ENDPOINT_URL_SES', engine.url);
  const { sender, sellerName, send } = openMailer();
  const to = 'ana.munoz@demo.example';
  const files = { pdf: Buffer.from(PDF), xml: Buffer.from('<cfdi:Comprobante Nombre="MUÑOZ"/>') };
  const mail = documentMail({ to, folio: 'RX-77000042', sellerName, sender, files });
  expect(await send(await composeDocumentMail(mail), to)).toMatchObject({ outcome: 'sent' });
});
afterAll(() => engine?.close());

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

it('shows a mail, its HTML and its attachments, in a browser without internet', async () => {
  const page = await browser.newPage();
  const elsewhere: string[] = [];
  await page.route('**', (route) => {
    const isOurs = route.request().url().startsWith(`${engine.url}/`);
    if (!isOurs) elsewhere.push(route.request().url());
    return isOurs ? route.continue() : route.abort();
  });
  await page.goto(engine.url);
  const mail = page.locator('.email', { hasText: 'RX-77000042' });
  expect(await mail.innerText()).toContain('Factura del pedido RX-77000042 – Botica');
  expect(await mail.innerText()).toContain('ana.munoz@demo.example');

  await mail.getByRole('button', { name: 'Toggle HTML view' }).click();
  const html = mail.frameLocator('iframe').locator('body');
  await expect.poll(() => html.innerText()).toContain('Recibe este correo porque esta dirección se indicó');
  expect(await html.innerText()).toContain('$819.84 MXN');

  await mail.getByRole('button', { name: 'Toggle text view' }).click();
  expect(await mail.locator('.email-text').innerText()).toContain('Pedido: RX-77000042');

  expect(await openedFrom(page, 'factura-F-12.pdf')).toEqual(['application/pdf', PDF]);
  const xml = '<cfdi:Comprobante Nombre="MUÑOZ"/>';
  expect(await openedFrom(page, 'factura-F-12.xml')).toEqual(['application/xml', xml]);
  expect(elsewhere).toEqual([]);
  await page.close();
});

/** Returns the type and the text of the attachment that a click on its link opens. */
const openedFrom = (page: Page, name: string): Promise<[string | null, string]> =>
  page.getByRole('link', { name }).evaluate(async (link): Promise<[string | null, string]> => {
    const opened = await fetch((link as unknown as { href: string }).href);
    return [opened.headers.get('content-type'), await opened.text()];
  });

it('keeps the latest 100 mails, in memory', async () => {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const ses = new SESClient({ region: 'us-east-1', credentials, endpoint: engine.url });
  for (let number = 1; number <= 102; number += 1) await ses.send(toMail(`mail ${number}`));
  ses.destroy();
  const { emails } = (await sendHttp(engine.url, '/store', { method: 'GET' })).body;
  expect(emails).toHaveLength(100);
  expect([emails[0].subject, emails[99].subject]).toEqual(['mail 3', 'mail 102']);
});

const toMail = (subject: string): SendEmailCommand =>
  new SendEmailCommand({
    Source: 'facturas@botica.example',
    Destination: { ToAddresses: ['ana.munoz@demo.example'] },
    Message: { Subject: { Data: subject }, Body: { Text: { Data: 'Hola' } } },
  });
