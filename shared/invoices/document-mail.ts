import type { Cents } from '../domain/money.ts';
import { composeMail, escapeHtml, oneLine, renderCard } from '../mail/compose-mail.ts';
import type { MailSender } from '../runtime/config.ts';

/** The attachments; a mail without XML and PDF announces a cancellation. */
export type MailFiles = {
  readonly pdf?: Uint8Array | undefined;
  readonly xml?: Uint8Array | undefined;
  /** SAT's receipt of the cancellation (acuse), XML. */
  readonly receipt?: Uint8Array | undefined;
};

export type DocumentMessage = {
  readonly to: string;
  readonly subject: MailSubject;
  readonly folio: string;
  /** Without extensions. */
  readonly fileName: string;
  readonly uuid: string | null;
  readonly substituteUuid: string | null;
  readonly amountCents: Cents;
  /** Stable per document; the message id is derived from it. */
  readonly reference: string;
  readonly sellerName: string;
  readonly sender: MailSender;
  readonly files: MailFiles;
};

/** Composes a tax document's mail as an RFC 5322 message. Throws RangeError if `to` is not one plain address. */
export async function composeDocumentMail(mail: DocumentMessage): Promise<Uint8Array> {
  const { to, subject, sender, files, fileName, reference } = mail;
  const sellerName = oneLine(mail.sellerName);
  const words = { ...mail, folio: oneLine(mail.folio), sellerName, hasReceipt: files.receipt !== undefined };
  return composeMail({
    to,
    sender,
    subject: `${toTitle(subject)} del pedido ${words.folio} – ${sellerName}`,
    reference: `${reference} ${subject}`,
    text: toText(words),
    html: toHtml(words),
    attachments: listAttachments(fileName, files),
  });
}

const listAttachments = (name: string, { pdf, xml, receipt }: MailFiles) =>
  [
    { filename: `${name}.pdf`, contentType: 'application/pdf', bytes: pdf },
    { filename: `${name}.xml`, contentType: 'application/xml', bytes: xml },
    { filename: `${name}-acuse.xml`, contentType: 'application/xml', bytes: receipt },
  ].flatMap(({ bytes, ...attachment }) => (bytes ? { ...attachment, content: Buffer.from(bytes) } : []));

const DOCUMENTS = {
  invoice: { title: 'Factura', name: 'la factura' },
  replacement: { title: 'Factura corregida', name: 'la factura corregida' },
  payment: { title: 'Complemento de pago', name: 'el complemento de pago' },
  credit: { title: 'Nota de crédito', name: 'la nota de crédito' },
} as const;
type DocumentName = keyof typeof DOCUMENTS;

export type MailSubject = DocumentName | `${Exclude<DocumentName, 'replacement'>}_cancelled`;

const isCancellation = (subject: MailSubject): boolean => subject.endsWith('_cancelled');
const getDocument = (subject: MailSubject) => DOCUMENTS[subject.replace('_cancelled', '') as DocumentName];

function toTitle(subject: MailSubject): string {
  const { title, name } = getDocument(subject);
  return isCancellation(subject) ? `Cancelación de ${name}`.replace('de el ', 'del ') : title;
}

// Clients choose an order's names and the mail address. None of that text appears in the mail, where it could greet a stranger
// in the shop's name or turn into a link.
type DocumentWords = Omit<DocumentMessage, 'to' | 'sender' | 'reference' | 'files' | 'fileName'> & {
  readonly hasReceipt: boolean;
};

const PESOS = new Intl.NumberFormat('es-MX', { style: 'currency', currency: 'MXN' });
const formatPesos = (cents: Cents): string => `${PESOS.format(cents / 100)} MXN`;

/** Text between asterisks is emphasised in HTML. */
function toParagraphs(words: DocumentWords): { readonly opening: string; readonly request: string } {
  const { name } = getDocument(words.subject);
  if (!isCancellation(words.subject)) {
    return {
      opening: `Adjuntamos ${name} (CFDI 4.0) del pedido en dos archivos: el *PDF*, para leer e imprimir, y el *XML*, que es el comprobante fiscal.`,
      request:
        'Conserve ambos archivos para su contabilidad. Si algún dato no es correcto, avísenos cuanto antes para corregirlo.',
    };
  }
  const receipt = words.hasReceipt ? ' Adjuntamos el acuse de cancelación del SAT.' : '';
  const substitute = words.substituteUuid ? ` Lo sustituye el CFDI con folio fiscal ${words.substituteUuid}.` : '';
  return {
    opening: `Se canceló ante el SAT ${name} (CFDI 4.0) del pedido: el comprobante ya no tiene efectos fiscales.${substitute}${receipt}`,
    request: 'No lo use en su contabilidad. Si no esperaba esta cancelación, avísenos cuanto antes.',
  };
}

const listFacts = ({ subject, folio, uuid, amountCents }: DocumentWords): readonly (readonly [string, string])[] => [
  ['Pedido', folio],
  [subject === 'invoice' || subject === 'replacement' ? 'Total' : 'Importe', formatPesos(amountCents)],
  ...(uuid ? [['Folio fiscal', uuid] as const] : []),
];

function toText(words: DocumentWords): string {
  const { opening, request } = toParagraphs(words);
  const facts = listFacts(words).map(([name, value]) => `${name}: ${value}`);
  return `Hola:

${opening.replaceAll('*', '')}

${facts.join('\n')}

${request}

${toClosing(words)}
${words.sellerName}

${toReason(words.folio, words.sellerName)}
`;
}

const toClosing = (words: DocumentWords): string =>
  isCancellation(words.subject) ? 'Saludos,' : 'Gracias por su compra.';

const toReason = (folio: string, seller: string): string =>
  `Recibe este correo porque esta dirección se indicó para la factura del pedido ${folio} en ${seller}. Si no fue usted, responda a este correo y díganoslo; no tiene que hacer nada más.`;

function toHtml(words: DocumentWords): string {
  const { opening, request } = toParagraphs(words);
  const row = ([name, value]: readonly [string, string]) =>
    `<tr><td class="note" style="padding:6px 24px 6px 0;color:#52606d">${name}</td><td style="padding:6px 0;font-weight:600">${escapeHtml(value)}</td></tr>`;
  const content = `<p style="margin:0 0 16px">Hola:</p>
<p style="margin:0 0 16px">${emphasise(escapeHtml(opening))}</p>
<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="margin:0 0 16px">
${listFacts(words).map(row).join('\n')}
</table>
<p style="margin:0 0 16px">${request}</p>
<p style="margin:0">${toClosing(words)}<br>${escapeHtml(words.sellerName)}</p>`;
  const { folio, sellerName } = words;
  return renderCard({
    title: `${toTitle(words.subject)} ${folio}`,
    sellerName,
    content,
    note: toReason(folio, sellerName),
  });
}

const emphasise = (text: string): string => text.replace(/\*(\w+)\*/g, '<strong>$1</strong>');
