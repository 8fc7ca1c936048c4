import { createHash } from 'node:crypto';
import type { MailSender } from '../runtime/config.ts';

type Attachment = { readonly filename: string; readonly contentType: string; readonly content: Buffer };

export type Mail = {
  readonly to: string;
  readonly sender: MailSender;
  readonly subject: string;
  /** Stable per mail; the message id is derived from it. */
  readonly reference: string;
  readonly text: string;
  readonly html?: string;
  readonly attachments?: readonly Attachment[];
};

// One plain address: no comma, comment, group, quote or angle bracket.
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/i;
const MAX_ADDRESS_LENGTH = 254;

/** Composes an RFC 5322 message in Spanish. No text can add a header. Throws RangeError if `to` is not one plain address. */
export async function composeMail(mail: Mail): Promise<Uint8Array> {
  const { to, sender, subject, text, html, attachments = [] } = mail;
  if (to.length > MAX_ADDRESS_LENGTH || !ADDRESS.test(to)) throw new RangeError('not one plain address');
  // Imported late: the composer is 140 KB, which functions that send no mail should not load.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composer = new MailComposer({
    // An object, because a string could be parsed as several addresses.
    from: sender,
    to: { name: '', address: to },
    subject,
    messageId: createMessageId(mail),
    // RFC 3834: suppresses automatic replies such as out-of-office notices.
    headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': 'es' },
    text,
    ...(html !== undefined && { html }),
    attachments: [...attachments],
    // RFC 5322, 2.3: no LF without CR; the composer keeps those of the texts.
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** Replaces control characters, line ends of every kind, and characters that change the writing direction. */
export const oneLine = (text: string): string => text.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim();

/** A stable id lets mail programs recognise duplicates. */
function createMessageId({ reference, sender: { address } }: Mail): string {
  const digest = createHash('sha256').update(reference).digest('hex').slice(0, 32);
  return `<${digest}@${address.slice(address.lastIndexOf('@') + 1)}>`;
}
