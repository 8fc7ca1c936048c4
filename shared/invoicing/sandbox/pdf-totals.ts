import { computeTotals } from '../../domain/invoices/invoice-totals.ts';
import type { Cents } from '../../domain/money.ts';
import { amountInWords } from './amount-in-words.ts';
import { NO_VALIDITY, type SandboxDocument } from './document.ts';
import { inMicros, money, percent } from './figures.ts';
import { CONTENT, GREY, NAVY, RED, RULE } from './pdf-look.ts';
import { fill, PAGE, type TextStyle, text, wrap } from './pdf-page.ts';

const LINE = 13;
const WORDS_WIDTH = 290;
const NOTE =
  'Representación impresa de un CFDI de demostración. No fue sellado ni certificado y no está registrado ante el SAT: ' +
  'no acredita operación alguna ni sirve para deducir o acreditar impuestos.';

/** At most this high, so that a page knows whether they fit. */
export const TOTALS_HEIGHT = 94;

/** The sums, and the total in words beside them. */
export function totals({ invoice }: SandboxDocument, top: number): string[] {
  const sums = sumsOf(invoice);
  const totalTop = top + 12 + sums.length * LINE + 8;
  const bold: TextStyle = { font: 'bold', size: 11, color: NAVY };
  return [
    ...sums.flatMap(([label, cents], index) => sumLine(label, cents, top + 12 + index * LINE)),
    fill(CONTENT.right - 190, totalTop - 14, 190, 0.8, RULE),
    text('Total', CONTENT.right - 185, totalTop, bold),
    text(`$${money(inMicros(invoice.totalCents))}`, CONTENT.right - 5, totalTop, { ...bold, align: 'right' }),
    ...inWords(invoice.totalCents, top + 12),
  ];
}

function sumsOf(invoice: SandboxDocument['invoice']): [label: string, cents: Cents][] {
  const { subtotalCents, discountCents, ivaGroups } = computeTotals(invoice.concepts);
  return [
    ['Subtotal', subtotalCents],
    ['Descuento', discountCents],
    ...ivaGroups.map(({ rateMicros, ivaCents }): [string, Cents] => [`IVA ${percent(rateMicros)}`, ivaCents]),
  ];
}

const sumLine = (label: string, cents: Cents, top: number): string[] => [
  text(label, CONTENT.right - 185, top, { color: GREY }),
  text(`$${money(inMicros(cents))}`, CONTENT.right - 5, top, { align: 'right' }),
];

function inWords(cents: Cents, top: number): string[] {
  const lines = wrap(`(${amountInWords(cents)})`, WORDS_WIDTH);
  const notes = wrap(NOTE, WORDS_WIDTH, { size: 7 });
  const notesTop = top + 12 + lines.length * 11 + 8;
  return [
    text('Importe con letra', CONTENT.left, top, { color: GREY }),
    ...lines.map((line, index) => text(line, CONTENT.left, top + 12 + index * 11, { font: 'bold' })),
    ...notes.map((line, index) => text(line, CONTENT.left, notesTop + index * 9, { size: 7, color: GREY })),
  ];
}

/** The last line of every page. */
export function foot({ id }: SandboxDocument, page: { readonly number: number; readonly of: number }): string[] {
  const top = PAGE.height - 36;
  return [
    fill(CONTENT.left, top - 11, CONTENT.right - CONTENT.left, 0.5, RULE),
    text(NO_VALIDITY, CONTENT.left, top, { font: 'bold', size: 7, color: RED }),
    text(id, PAGE.width / 2, top, { size: 7, color: GREY, align: 'center' }),
    text(`Página ${page.number} de ${page.of}`, CONTENT.right, top, { size: 7, color: GREY, align: 'right' }),
  ];
}
