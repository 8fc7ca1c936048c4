import { createHash } from 'node:crypto';
import type { Cents } from '../domain/money.ts';
import type { MailSender } from '../runtime/config.ts';
import { invoiceHtml, invoiceText } from './invoice-text.ts';

export type InvoiceMail = {
  readonly to: string;
  readonly folio: string;
  readonly totalCents: Cents;
  readonly sellerName: string;
  readonly sender: MailSender;
  readonly files: { readonly pdf: Uint8Array; readonly xml: Uint8Array };
};

// One plain address: no comma, comment, group, quote or angle bracket.
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/i;
const MAX_ADDRESS_LENGTH = 254;

/**
 * Composes the mail of an invoice as an RFC 5322 message: text and HTML in Spanish, PDF and XML attached under the name of
 * the folio. Throws RangeError if `to` is not exactly one plain address. No text can add a header or a recipient.
 */
export async function composeInvoiceMail(mail: InvoiceMail): Promise<Uint8Array> {
  const { to, sender, files } = mail;
  if (to.length > MAX_ADDRESS_LENGTH || !ADDRESS.test(to)) throw new RangeError('not one plain address');
  const folio = oneLine(mail.folio);
  const words = { ...mail, folio, sellerName: oneLine(mail.sellerName) };
  const fileName = folio.replace(/[^\w-]/g, '_');
  // Imported late: the composer is 140 KB, which a function that sends no mail should not load.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composer = new MailComposer({
    // An object, because a string could be parsed as several addresses.
    from: sender,
    to: { name: '', address: to },
    subject: `Factura del pedido ${words.folio} – ${words.sellerName}`,
    messageId: createMessageId(files.xml, sender),
    // RFC 3834: suppresses automatic replies such as out-of-office notices.
    headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': 'es' },
    text: invoiceText(words),
    html: invoiceHtml(words),
    attachments: [
      { filename: `${fileName}.pdf`, contentType: 'application/pdf', content: Buffer.from(files.pdf) },
      { filename: `${fileName}.xml`, contentType: 'application/xml', content: Buffer.from(files.xml) },
    ],
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

// Replaces control characters, line ends of every kind, and characters that change the writing direction.
const oneLine = (text: string): string => text.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim();

/** Returns the same id for the same invoice, so that mail programs recognise a duplicate. */
function createMessageId(xml: Uint8Array, { address }: MailSender): string {
  const digest = createHash('sha256').update(xml).digest('hex').slice(0, 32);
  return `<${digest}@${address.slice(address.lastIndexOf('@') + 1)}>`;
}
