import { createHash } from 'node:crypto';
import type { Cents } from '../domain/money.ts';
import type { MailSender } from '../runtime/config.ts';
import { invoiceHtml, invoiceText } from './invoice-text.ts';

export type InvoiceMail = {
  readonly to: string;
  readonly folio: string;
  readonly receiverName: string;
  readonly totalCents: Cents;
  readonly sellerName: string;
  readonly sender: MailSender;
  readonly files: { readonly pdf: Uint8Array; readonly xml: Uint8Array };
};

// One plain address as the interface takes them: nothing of it is a comma, a comment, a group, a quote or an angle.
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/i;
const MAX_ADDRESS_LENGTH = 254;

/**
 * The mail that brings an invoice, as it goes over the wire (RFC 5322): text and HTML in Spanish, the PDF and the XML
 * under the name of the folio. RangeError if `to` is not exactly one plain address. Whatever else the other texts hold,
 * they add no header and no recipient.
 */
export async function composeInvoiceMail(mail: InvoiceMail): Promise<Uint8Array> {
  const { to, sender, files } = mail;
  if (to.length > MAX_ADDRESS_LENGTH || !ADDRESS.test(to)) throw new RangeError('not one plain address');
  const folio = oneLine(mail.folio);
  const words = { ...mail, folio, receiverName: oneLine(mail.receiverName), sellerName: oneLine(mail.sellerName) };
  const fileName = folio.replace(/[^\w-]/g, '_');
  // Only now: what composes is 140 KB, which a function that mails nothing does not have to read.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composer = new MailComposer({
    // As an object, so that nothing in it is taken for another address.
    from: sender,
    to: { name: '', address: to },
    subject: `Factura de su pedido ${words.folio} – ${words.sellerName}`,
    messageId: messageIdOf(files.xml, sender),
    // RFC 3834: nobody's absence is announced to whoever reads the bounces.
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

// Controls, ends of line of every kind, and what turns the direction of writing around.
const oneLine = (text: string): string => text.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim();

/** The same for the same invoice, so that mail programs can tell a mail that arrived twice. */
function messageIdOf(xml: Uint8Array, { address }: MailSender): string {
  const digest = createHash('sha256').update(xml).digest('hex').slice(0, 32);
  return `<${digest}@${address.slice(address.lastIndexOf('@') + 1)}>`;
}
