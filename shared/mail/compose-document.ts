import type { Cents } from '../domain/money.ts';
import type { MailSender } from '../runtime/config.ts';
import { composeMail, oneLine } from './compose-mail.ts';
import { documentHtml, documentText, type MailSubject, TITLES } from './document-text.ts';

/** The files that are attached; a mail without XML and PDF is about a cancelled document. */
export type MailFiles = {
  readonly pdf?: Uint8Array | undefined;
  readonly xml?: Uint8Array | undefined;
  /** SAT's receipt of the cancellation (acuse), XML. */
  readonly receipt?: Uint8Array | undefined;
};

export type DocumentMail = {
  readonly to: string;
  readonly subject: MailSubject;
  /** The folio of the order. */
  readonly folio: string;
  /** The fiscal folio of the document, and of the one that replaces it. */
  readonly uuid: string | null;
  readonly substituteUuid: string | null;
  readonly amountCents: Cents;
  /** The same text for the same document, from which the id of the message is made. */
  readonly reference: string;
  readonly sellerName: string;
  readonly sender: MailSender;
  readonly files: MailFiles;
};

/**
 * Composes the mail of a tax document as an RFC 5322 message: text and HTML in Spanish, the files attached under the name of
 * the order's folio. Throws RangeError if `to` is not exactly one plain address. No text can add a header or a recipient.
 */
export async function composeDocumentMail(mail: DocumentMail): Promise<Uint8Array> {
  const { to, subject, sender, files, reference } = mail;
  const sellerName = oneLine(mail.sellerName);
  const words = { ...mail, folio: oneLine(mail.folio), sellerName, hasReceipt: files.receipt !== undefined };
  return composeMail({
    to,
    sender,
    subject: `${TITLES[subject]} del pedido ${words.folio} – ${sellerName}`,
    reference: `${reference} ${subject}`,
    text: documentText(words),
    html: documentHtml(words),
    attachments: listAttachments(words.folio.replace(/[^\w-]/g, '_'), files),
  });
}

function listAttachments(name: string, { pdf, xml, receipt }: MailFiles) {
  return [
    { filename: `${name}.pdf`, contentType: 'application/pdf', bytes: pdf },
    { filename: `${name}.xml`, contentType: 'application/xml', bytes: xml },
    { filename: `${name}-acuse.xml`, contentType: 'application/xml', bytes: receipt },
  ].flatMap(({ bytes, ...attachment }) => (bytes ? { ...attachment, content: Buffer.from(bytes) } : []));
}
