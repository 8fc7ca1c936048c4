import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { composeInvoiceMail, type InvoiceMail } from '../../../shared/mail/compose-invoice.ts';

const mail = (changes: Partial<InvoiceMail> = {}): InvoiceMail => ({
  to: 'ana.munoz@demo.example',
  folio: 'RX-00000012',
  totalCents: 1_081_984,
  sellerName: 'Botica Ñandú',
  sender: { name: 'Botica Ñandú', address: 'facturas@botica.example' },
  files: { pdf: Buffer.from('%PDF-1.4\nñ'), xml: Buffer.from('<cfdi:Comprobante Total="10819.84"/>') },
  ...changes,
});

const sent = async (changes: Partial<InvoiceMail> = {}) =>
  simpleParser(Buffer.from(await composeInvoiceMail(mail(changes))));

describe('the mail of an invoice', () => {
  it('has the sender, the one receiver, and the folio in its subject', async () => {
    const { from, to, subject } = await sent();
    expect(from?.value).toEqual([{ name: 'Botica Ñandú', address: 'facturas@botica.example' }]);
    expect(to?.value).toEqual([{ name: '', address: 'ana.munoz@demo.example' }]);
    expect(subject).toBe('Factura del pedido RX-00000012 – Botica Ñandú');
  });

  it.each([
    ['an encoded word', '=?utf-8?Q?=0D=0ABcc:_b@demo.example?=', '=?utf-8?Q?=0D=0ABcc:_b@demo.example?='],
    ['ends of line', 'RX-1\r\nBcc: b@demo.example\u2028\u0085x', 'RX-1 Bcc: b@demo.example x'],
    ['writing turned around', 'RX-1\u202Efdp.exe', 'RX-1 fdp.exe'],
  ])('treats %s in a folio as text', async (_, folio, shown) => {
    const { subject, attachments } = await sent({ folio });
    expect(subject).toBe(`Factura del pedido ${shown} – Botica Ñandú`);
    expect(attachments[0]?.filename).toBe(`${shown.replace(/[^A-Za-z0-9_-]/g, '_')}.pdf`);
  });

  it('has the same content in text and in HTML, with accents', async () => {
    const { text, html } = await sent();
    expect(text).toContain('Si algún dato no es correcto');
    expect(text).toContain('Pedido: RX-00000012\nTotal: $10,819.84 MXN\n');
    expect(html).toContain('<html lang="es">');
    expect(html).toContain('Si algún dato no es correcto');
    expect(html).toContain('$10,819.84 MXN');
  });

  it('says why it came, and what to do when it should not have', async () => {
    const { text, html } = await sent({ sellerName: 'Botica & Hijos' });
    const reason =
      'Recibe este correo porque esta dirección se indicó para la factura del pedido RX-00000012 en Botica';
    expect(text).toContain(`${reason} & Hijos. Si no fue usted, responda a este correo y díganoslo`);
    expect(html).toContain(`${reason} &amp; Hijos. Si no fue usted, responda a este correo y díganoslo`);
  });

  it('carries the PDF and the XML, byte by byte, under the name of the folio', async () => {
    const { attachments } = await sent();
    const seen = attachments.map(({ filename, contentType, contentDisposition, content }) => [
      filename,
      contentType,
      contentDisposition,
      content.toString(),
    ]);
    expect(seen).toEqual([
      ['RX-00000012.pdf', 'application/pdf', 'attachment', '%PDF-1.4\nñ'],
      ['RX-00000012.xml', 'application/xml', 'attachment', '<cfdi:Comprobante Total="10819.84"/>'],
    ]);
  });

  it('has the message id of its invoice, in the domain of its sender, whenever it is composed', async () => {
    const first = await sent();
    expect(first.messageId).toMatch(/^<[0-9a-f]{32}@botica\.example>$/);
    expect((await sent({ totalCents: 1 })).messageId).toBe(first.messageId);
    const other = { pdf: Buffer.from('%PDF-'), xml: Buffer.from('<cfdi:Comprobante Total="1.00"/>') };
    expect((await sent({ files: other })).messageId).not.toBe(first.messageId);
  });

  it('is marked as sent automatically', async () => {
    const { headers } = await sent();
    expect(headers.get('auto-submitted')).toBe('auto-generated');
  });

  it.each([
    'a@demo.example, b@demo.example',
    'a@demo.example\r\nBcc: b@demo.example',
    'a@demo.example\n',
    'Ana <a@demo.example>',
    '<a@demo.example>',
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
    'a@',
    '',
    `${'a'.repeat(250)}@d.mx`,
  ])('is not composed to %j', async (to) => {
    await expect(composeInvoiceMail(mail({ to }))).rejects.toThrow(RangeError);
  });
});
