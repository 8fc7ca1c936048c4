import type { Cents } from '../domain/money.ts';

// Whoever sends an order chooses its names and the address of its mail. So nothing that they wrote stands in the mail itself,
// where it would greet a stranger in the shop's name, or be made a link by their mail program.
type InvoiceWords = {
  readonly folio: string;
  readonly totalCents: Cents;
  readonly sellerName: string;
};

const PESOS = new Intl.NumberFormat('es-MX', { style: 'currency', currency: 'MXN' });
const formatPesos = (cents: Cents): string => `${PESOS.format(cents / 100)} MXN`;

/** Returns the plain text body of the mail. */
export const invoiceText = ({ folio, totalCents, sellerName }: InvoiceWords): string =>
  `Hola:

Adjuntamos la factura (CFDI 4.0) del pedido en dos archivos:
el PDF, para leer e imprimir, y el XML, que es el comprobante fiscal.

Pedido: ${folio}
Total: ${formatPesos(totalCents)}

Conserve ambos archivos para su contabilidad. Si algún dato no es correcto,
avísenos cuanto antes para corregirlo.

Gracias por su compra.
${sellerName}

${reasonText(folio, sellerName)}
`;

/** Returns why the receiver gets the mail, and what to do if they did not ask for it. */
const reasonText = (folio: string, seller: string): string =>
  `Recibe este correo porque esta dirección se indicó para la factura del pedido ${folio} en ${seller}. Si no fue usted, responda a este correo y díganoslo; no tiene que hacer nada más.`;

const FONT = "font-family:'Helvetica Neue',Helvetica,Arial,sans-serif";

/** Returns the HTML body of the mail. It uses tables and inline styles, which all mail programs support. */
export function invoiceHtml(words: InvoiceWords): string {
  const folio = escaped(words.folio);
  const seller = escaped(words.sellerName);
  const row = (name: string, value: string) =>
    `<tr><td style="padding:6px 24px 6px 0;color:#52606d">${name}</td><td style="padding:6px 0;font-weight:600">${value}</td></tr>`;
  return `<!doctype html>
<html lang="es">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Factura ${folio}</title>
</head>
<body style="margin:0;padding:24px 12px;background:#f2f5f4">
<table role="presentation" width="100%" cellspacing="0" cellpadding="0"><tr><td align="center">
<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="max-width:560px;background:#ffffff;border-radius:8px;${FONT};font-size:16px;line-height:1.5;color:#1f2933">
<tr><td style="padding:20px 28px;background:#0b6b50;border-radius:8px 8px 0 0;color:#ffffff;font-size:20px;font-weight:700">${seller}</td></tr>
<tr><td style="padding:28px">
<p style="margin:0 0 16px">Hola:</p>
<p style="margin:0 0 16px">Adjuntamos la factura (CFDI 4.0) del pedido en dos archivos: el <strong>PDF</strong>, para leer e imprimir, y el <strong>XML</strong>, que es el comprobante fiscal.</p>
<table role="presentation" cellspacing="0" cellpadding="0" style="margin:0 0 16px">
${row('Pedido', folio)}
${row('Total', escaped(formatPesos(words.totalCents)))}
</table>
<p style="margin:0 0 16px">Conserve ambos archivos para su contabilidad. Si algún dato no es correcto, avísenos cuanto antes para corregirlo.</p>
<p style="margin:0">Gracias por su compra.<br>${seller}</p>
<p style="margin:24px 0 0;font-size:13px;color:#52606d">${reasonText(folio, seller)}</p>
</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
