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

// Without explicit dark colours, mail programs invert the light ones and the seller's name becomes unreadable.
const DARK = `@media (prefers-color-scheme:dark){
.page{background:#12191d!important}
.card{background:#1f292e!important;color:#e6ebee!important}
.note{color:#a9b5bf!important}
}`;

// Outlook ignores max-width, so a table of that width encloses the card.
const OUTLOOK_OPENING =
  '<!--[if mso]><table role="presentation" width="560" cellspacing="0" cellpadding="0"><tr><td><![endif]-->';
const OUTLOOK_ENDING = '<!--[if mso]></td></tr></table><![endif]-->';

const FONT = "font-family:'Helvetica Neue',Helvetica,Arial,sans-serif";

/** `content` is HTML, the others are text. */
type Card = {
  readonly title: string;
  readonly sellerName: string;
  readonly content: string;
  readonly note: string;
};

/** Returns a mail's page in Spanish, of tables and inline styles, which all mail programs support. */
export const renderCard = ({ title, sellerName, content, note }: Card): string => `<!doctype html>
<html lang="es">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<style>${DARK}</style>
<title>${escapeHtml(title)}</title>
</head>
<body class="page" style="margin:0;padding:24px 12px;background:#f2f5f4">
<table role="presentation" width="100%" cellspacing="0" cellpadding="0"><tr><td align="center">
${OUTLOOK_OPENING}
<table class="card" role="presentation" width="100%" cellspacing="0" cellpadding="0" style="max-width:560px;background:#ffffff;border-radius:8px;${FONT};font-size:16px;line-height:1.5;color:#1f2933">
<tr><td style="padding:20px 28px;background:#0b6b50;border-radius:8px 8px 0 0;color:#ffffff;font-size:20px;font-weight:700">${escapeHtml(sellerName)}</td></tr>
<tr><td style="padding:28px">
${content}
<p class="note" style="margin:24px 0 0;font-size:13px;color:#52606d">${escapeHtml(note)}</p>
</td></tr>
</table>
${OUTLOOK_ENDING}
</td></tr></table>
</body>
</html>
`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
