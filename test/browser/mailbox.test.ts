import { SESClient, SendEmailCommand } from '@aws-sdk/client-ses';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { composeDocumentMail } from '../../shared/mail/document-mail.ts';
import { openMailer } from '../../shared/mail/send.ts';
import { startBrowser } from '../support/engines/browser.ts';
import { openMailbox } from '../support/engines/mailbox.ts';
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
afterAll(() => engine?.stop());

describe('the mailbox of the local server', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  /** Opens the mailbox in a browser without internet, and collects its requests to other hosts. */
  async function openMailbox(width: number): Promise<{ page: Page; elsewhere: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const elsewhere: string[] = [];
    await page.route('**', (route) => {
      const isOurs = route.request().url().startsWith(`${engine.url}/`);
      if (!isOurs) elsewhere.push(route.request().url());
      return isOurs ? route.continue() : route.abort();
    });
    await page.goto(engine.url);
    return { page, elsewhere };
  }

  it.each([1_280, 390])('shows a mail, its HTML and its attachments, without internet, %d wide', async (width) => {
    const { page, elsewhere } = await openMailbox(width);
    const mail = page.locator('.email', { hasText: 'RX-77000042' });
    expect(await mail.innerText()).toContain('Factura del pedido RX-77000042 – Botica');
    expect(await mail.innerText()).toContain('ana.munoz@demo.example');

    await mail.getByRole('button', { name: 'Toggle HTML view' }).click();
    const html = mail.frameLocator('iframe').locator('body');
    await expect.poll(() => html.innerText()).toContain('Recibe este correo porque esta dirección se indicó');
    expect(await html.innerText()).toContain('$819.84 MXN');

    await mail.getByRole('button', { name: 'Toggle text view' }).click();
    expect(await mail.locator('.email-text').innerText()).toContain('Pedido: RX-77000042');

    expect(await openedFrom(page, 'RX-77000042.pdf')).toEqual(['application/pdf', PDF]);
    expect(await openedFrom(page, 'RX-77000042.xml')).toEqual([
      'application/xml',
      '<cfdi:Comprobante Nombre="MUÑOZ"/>',
    ]);
    expect(elsewhere).toEqual([]);
    await page.close();
  });
});

/** Returns the type and the text of the attachment that a click on its link opens. */
const openedFrom = (page: Page, name: string): Promise<[string | null, string]> =>
  page.getByRole('link', { name }).evaluate(async (link): Promise<[string | null, string]> => {
    const opened = await fetch((link as unknown as { href: string }).href);
    return [opened.headers.get('content-type'), await opened.text()];
  });

describe('the mailbox, which is in memory', () => {
  it('keeps the latest 100 mails', async () => {
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const ses = new SESClient({ region: 'us-east-1', credentials, endpoint: engine.url });
    for (let number = 1; number <= 102; number += 1) await ses.send(toMail(`mail ${number}`));
    ses.destroy();
    const { body } = await sendHttp(engine.url, '/store', { method: 'GET' });
    const { emails } = body;
    expect(emails).toHaveLength(100);
    expect([emails[0].subject, emails[99].subject]).toEqual(['mail 3', 'mail 102']);
  });
});

const toMail = (subject: string): SendEmailCommand =>
  new SendEmailCommand({
    Source: 'facturas@botica.example',
    Destination: { ToAddresses: ['ana.munoz@demo.example'] },
    Message: { Subject: { Data: subject }, Body: { Text: { Data: 'Hola' } } },
  });
