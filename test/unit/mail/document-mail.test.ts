import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { composeWebhookNotice, type WebhookNotice } from '../../../shared/events/webhooks/watch-endpoints.ts';
import { composeDocumentMail, type DocumentMessage } from '../../../shared/invoices/document-mail.ts';
import { documentMail } from '../../support/invoices/document-mail.ts';

const mail = (changes: Partial<DocumentMessage> = {}) =>
  documentMail({
    amountCents: 1_081_984,
    sellerName: 'Botica Ñandú',
    sender: { name: 'Botica Ñandú', address: 'facturas@botica.example' },
    files: { pdf: Buffer.from('%PDF-1.4\nñ'), xml: Buffer.from('<cfdi:Comprobante Total="10819.84"/>') },
    ...changes,
  });

const sent = async (changes: Partial<DocumentMessage> = {}) =>
  simpleParser(Buffer.from(await composeDocumentMail(mail(changes))));

const NOTICE: WebhookNotice = {
  ...{ to: 'dev@demo.example', sender: { name: 'Botica', address: 'a@botica.example' }, sellerName: 'Botica' },
  ...{ endpointId: 7, host: 'demo.example', reason: 'gone', disabledAt: '2026-11-23' },
};
const RECEIPT = Buffer.from('<Acuse/>');
const SUBSTITUTE = '5FB2822E-396D-4725-8521-CDC4BDD20CCF';

describe('the mail of a document', () => {
  it.each([
    ['invoice', 'Factura del pedido', 'Adjuntamos la factura (CFDI 4.0) del pedido', 'Total'],
    ['replacement', 'Factura corregida del pedido', 'Adjuntamos la factura corregida (CFDI 4.0) del pedido', 'Total'],
    ['payment', 'Complemento de pago del pedido', 'Adjuntamos el complemento de pago (CFDI 4.0) del pedido', 'Importe'],
    ['credit', 'Nota de crédito del pedido', 'Adjuntamos la nota de crédito (CFDI 4.0) del pedido', 'Importe'],
  ] as const)('that is a %s says so', async (kind, title, opening, amount) => {
    const { subject, text, html } = await sent({ subject: kind });
    expect(subject).toBe(`${title} RX-00000012 – Botica Ñandú`);
    expect(text).toContain(`${opening} en dos archivos: el PDF, para leer e imprimir, y el XML`);
    expect(html).toContain(`${opening} en dos archivos: el <strong>PDF</strong>`);
    expect(text).toContain(`${amount}: $10,819.84 MXN\nFolio fiscal: 39C85A3F-275B-4341-B259-E8971D9F8A94\n`);
  });

  it.each([
    ['invoice_cancelled', 'Cancelación de la factura', 'la factura'],
    ['payment_cancelled', 'Cancelación del complemento de pago', 'el complemento de pago'],
    ['credit_cancelled', 'Cancelación de la nota de crédito', 'la nota de crédito'],
  ] as const)('%s says so, with the receipt', async (kind, title, name) => {
    const { subject, text, attachments } = await sent({ subject: kind, files: { receipt: RECEIPT } });
    expect(subject).toBe(`${title} del pedido RX-00000012 – Botica Ñandú`);
    expect(text).toContain(`Se canceló ante el SAT ${name} (CFDI 4.0) del pedido: el comprobante ya no tiene efectos`);
    expect(text).toContain('Adjuntamos el acuse de cancelación del SAT.');
    expect(attachments.map(({ filename, content }) => [filename, content.toString()])).toEqual([
      ['factura-F-12-acuse.xml', '<Acuse/>'],
    ]);
  });

  it('that was cancelled names what replaces it, and no receipt where there is none', async () => {
    const { text, attachments } = await sent({ subject: 'invoice_cancelled', substituteUuid: SUBSTITUTE, files: {} });
    expect(text).toContain(`Lo sustituye el CFDI con folio fiscal ${SUBSTITUTE}.`);
    expect(text).not.toContain('acuse');
    expect(attachments).toEqual([]);
  });
});

describe.each([
  ['a document', () => composeDocumentMail(mail())],
  ['a cancellation', () => composeDocumentMail(mail({ subject: 'invoice_cancelled', files: { receipt: RECEIPT } }))],
  ['a webhook', () => composeWebhookNotice(NOTICE)],
])('the bytes of the mail of %s', (_, compose) => {
  // RFC 5322, 2.1.1 and 2.3.
  it('end each line with CR and LF, after at most 998 characters', async () => {
    const raw = Buffer.from(await compose()).toString('latin1');
    expect(raw.match(/(?<!\r)\n|\r(?!\n)/g)).toBeNull();
    expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
  });
});

describe('the mail of an invoice', () => {
  it('has the sender and the one receiver, and is marked as sent automatically', async () => {
    const { from, to, headers } = await sent();
    expect(from?.value).toEqual([{ name: 'Botica Ñandú', address: 'facturas@botica.example' }]);
    expect(to?.value).toEqual([{ name: '', address: 'ana.munoz@demo.example' }]);
    expect(headers.get('auto-submitted')).toBe('auto-generated');
  });

  it.each([
    ['an encoded word', '=?utf-8?Q?=0D=0ABcc:_b@demo.example?=', '=?utf-8?Q?=0D=0ABcc:_b@demo.example?='],
    ['ends of line', 'RX-1\r\nBcc: b@demo.example\u2028\u0085x', 'RX-1 Bcc: b@demo.example x'],
    ['writing turned around', 'RX-1\u202Efdp.exe', 'RX-1 fdp.exe'],
  ])('treats %s in a folio as text', async (_, folio, shown) => {
    const { subject } = await sent({ folio });
    expect(subject).toBe(`Factura del pedido ${shown} – Botica Ñandú`);
  });

  it('has the same content in text and in HTML, with accents, and says why it came', async () => {
    const { text, html } = await sent({ sellerName: 'Botica & Hijos' });
    expect(text).toContain('Pedido: RX-00000012\nTotal: $10,819.84 MXN\n');
    for (const part of ['<html lang="es">', '$10,819.84 MXN']) expect(html).toContain(part);
    const reason =
      'Recibe este correo porque esta dirección se indicó para la factura del pedido RX-00000012 en Botica';
    for (const [content, and] of [
      [text, '&'],
      [html, '&amp;'],
    ]) {
      expect(content).toContain('Si algún dato no es correcto');
      expect(content).toContain(`${reason} ${and} Hijos. Si no fue usted, responda a este correo y díganoslo`);
    }
  });

  it('carries the PDF and the XML, byte by byte, under their name', async () => {
    const { attachments } = await sent();
    const attached = { contentDisposition: 'attachment' };
    const [pdf, xml] = [Buffer.from('%PDF-1.4\nñ'), Buffer.from('<cfdi:Comprobante Total="10819.84"/>')];
    expect(attachments).toMatchObject([
      { ...attached, filename: 'factura-F-12.pdf', contentType: 'application/pdf', content: pdf },
      { ...attached, filename: 'factura-F-12.xml', contentType: 'application/xml', content: xml },
    ]);
  });

  it('has the colours of the dark beside its own, and a width that Outlook knows', async () => {
    const html = String((await sent()).html);
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    expect(html).toContain('<meta name="supported-color-schemes" content="light dark">');
    expect(html).toContain('@media (prefers-color-scheme:dark)');
    expect(html).toContain('<!--[if mso]><table role="presentation" width="560"');
    for (const [table] of html.matchAll(/<table[^>]*>/g)) expect(table).toMatch(/ width="(100%|560)"/);
  });

  it('has the message id of its document, in the domain of its sender, whenever it is composed', async () => {
    const first = await sent();
    expect(first.messageId).toMatch(/^<[0-9a-f]{32}@botica\.example>$/);
    expect((await sent({ amountCents: 1 })).messageId).toBe(first.messageId);
    expect((await sent({ reference: 'order-12-b' })).messageId).not.toBe(first.messageId);
    expect((await sent({ subject: 'invoice_cancelled' })).messageId).not.toBe(first.messageId);
  });

  it.each([
    'a@demo.example\r\nBcc: b@demo.example',
    'Ana <a@demo.example>',
    '"a@evil.example, b"@demo.example',
    'a@evil.example@demo.example',
    'group: a@demo.example;',
    'a(comment)@demo.example',
    'a@[127.0.0.1]',
    'a\u2028@demo.example',
    '=?utf-8?q?a=40demo.example=2C?=@',
    'a@demo_example',
    'a b@demo.example',
    '@demo.example',
    '',
    `${'a'.repeat(250)}@d.mx`,
  ])('is not composed to %j', async (to) => {
    await expect(composeDocumentMail(mail({ to }))).rejects.toThrow(RangeError);
  });
});
