import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import { describe, expect, it, vi } from 'vitest';
import { composeWebhookNotice, type WebhookNotice } from '../../../shared/events/webhooks/watch-endpoints.ts';
import { composeDocumentMail, type DocumentMessage } from '../../../shared/invoices/document-mail.ts';
import { mailConfig } from '../../../shared/runtime/config.ts';
import { expectHarmlessMail, hostileText } from '../../support/hostile/hostile-texts.ts';
import { documentMail } from '../../support/invoices/tax-documents.ts';
import { tries } from '../../support/proofs/proof.ts';

/* The mails of documents and webhooks as messages: their receivers, attachments and bytes, whatever their texts are. */

const sent = async (changes: Partial<DocumentMessage> = {}) =>
  simpleParser(Buffer.from(await composeDocumentMail(documentMail(changes))));

const NOTICE: WebhookNotice = {
  ...{ to: 'dev@demo.example', sender: { name: 'Botica', address: 'a@botica.example' }, sellerName: 'Botica' },
  ...{ endpointId: 7, host: 'demo.example', reason: 'gone', disabledAt: '2026-11-23' },
};
const RECEIPT = { receipt: Buffer.from('<Acuse/>') };
const SUBSTITUTE = '5FB2822E-396D-4725-8521-CDC4BDD20CCF';

describe('the mail of a document', () => {
  it('has the sender and the one receiver, is marked as sent automatically, and carries the files byte by byte', async () => {
    const sender = { name: 'Botica Ñandú', address: 'facturas@botica.example' };
    const { from, to, headers, attachments, text, html } = await sent({ sender, amountCents: 1_081_984 });
    expect(from?.value).toEqual([sender]);
    expect(to?.value).toEqual([{ name: '', address: 'ana.munoz@demo.example' }]);
    expect(headers.get('auto-submitted')).toBe('auto-generated');
    expect(attachments).toMatchObject([
      { filename: 'factura-F-12.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF-1.4\nñ') },
      { filename: 'factura-F-12.xml', contentType: 'application/xml', content: Buffer.from('<cfdi:Comprobante/>') },
    ]);
    for (const part of ['RX-00000012', '$10,819.84 MXN', '39C85A3F-275B-4341-B259-E8971D9F8A94']) {
      expect(text).toContain(part);
      expect(html).toContain(part);
    }
  });

  it('that was cancelled carries the receipt, and names what replaces it', async () => {
    const cancelled = { subject: 'invoice_cancelled', files: RECEIPT } as const;
    const { attachments, text } = await sent({ ...cancelled, substituteUuid: SUBSTITUTE });
    expect(attachments.map(({ filename, content }) => [filename, content.toString()])).toEqual([
      ['factura-F-12-acuse.xml', '<Acuse/>'],
    ]);
    expect(text).toContain(SUBSTITUTE);
    expect((await sent({ ...cancelled, files: {} })).attachments).toEqual([]);
  });

  it('has the message id of its document, in the domain of its sender, whenever it is composed', async () => {
    const { messageId } = await sent();
    expect(messageId).toMatch(/^<[0-9a-f]{32}@botica\.example>$/);
    expect((await sent({ amountCents: 1 })).messageId).toBe(messageId);
    expect((await sent({ reference: 'order-12-b' })).messageId).not.toBe(messageId);
    expect((await sent({ subject: 'invoice_cancelled' })).messageId).not.toBe(messageId);
  });
});

it.each([
  ['a document', () => composeDocumentMail(documentMail())],
  ['a webhook', () => composeWebhookNotice(NOTICE)],
])(
  'the mail of %s ends each line with CR and LF, after at most 998 characters (RFC 5322, 2.1.1 and 2.3)',
  async (_, compose) => {
    const raw = Buffer.from(await compose()).toString('latin1');
    expect(raw.match(/(?<!\r)\n|\r(?!\n)/g)).toBeNull();
    expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
  },
);

describe('hostile texts', () => {
  const RECEIVER = 'ana@demo.example';
  const SENDER = { name: 'Botica', address: 'facturas@botica.example' };
  const RUNS = tries(60, 1_500);
  type Words = { readonly to: string; readonly folio: string; readonly sellerName: string };
  const compose = (words: Words) => composeDocumentMail(documentMail({ ...words, sender: SENDER }));

  it('as an address are refused, or are one address', { timeout: 3_600_000 }, async () => {
    const address = fc.oneof(
      hostileText,
      fc.tuple(hostileText, fc.constantFrom('@', ''), hostileText).map((parts) => parts.join('')),
      fc.tuple(fc.constant(RECEIVER), hostileText).map((parts) => parts.join('')),
      fc.emailAddress(),
    );
    let composed = 0;
    await fc.assert(
      fc.asyncProperty(address, async (to) => {
        const made = await compose({ to, folio: 'RX-1', sellerName: 'Botica' }).catch((error: unknown) => error);
        if (!(made instanceof Uint8Array)) {
          expect(made).toBeInstanceOf(RangeError);
          return;
        }
        composed += 1;
        await expectHarmlessMail(made, { from: SENDER, to });
      }),
      { numRuns: RUNS },
    );
    expect(composed).toBeGreaterThan(RUNS / 15);
  });

  it.each([
    'a@demo.example\r\nBcc: b@demo.example',
    'Ana <a@demo.example>',
    '"a@evil.example, b"@demo.example',
    'group: a@demo.example;',
    'a(comment)@demo.example',
    'a@[127.0.0.1]',
    'a\u2028@demo.example',
    'a@demo_example',
    '',
    `${'a'.repeat(250)}@d.mx`,
  ])('are no address: %j', async (to) => {
    await expect(composeDocumentMail(documentMail({ to }))).rejects.toThrow(RangeError);
  });
});

it.each([
  ['Farmacia Ñandú, S.A. <a@b.mx>', { name: 'Farmacia Ñandú, S.A.', address: 'a@b.mx' }],
  ['facturas@botica.example', undefined],
  ['<facturas@botica.example>', undefined],
  ['Botica <facturas>', undefined],
  ['Botica <a@b.mx>, Otra <c@d.mx>', undefined],
  ['Botica <a@b.mx,c@d.mx>', undefined],
  ['Botica\r\nBcc: c@d.mx <a@b.mx>', undefined],
  ['Botica "x" <a@b.mx>', undefined],
])('the setting MAIL_SENDER %j is %j', (written, sender) => {
  vi.stubEnv('MAIL_SENDER', written);
  if (sender) expect(mailConfig().MAIL_SENDER).toEqual(sender);
  else expect(() => mailConfig()).toThrow('MAIL_SENDER is not valid');
});
