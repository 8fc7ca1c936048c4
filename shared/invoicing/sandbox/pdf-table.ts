import type { InvoiceConcept } from '../../domain/invoices/cfdi.ts';
import { computeConcept } from '../../domain/invoices/invoice-totals.ts';
import { money, percent } from './figures.ts';
import { CONTENT, NAVY, RULE, TINT } from './pdf-look.ts';
import { fill, type TextStyle, text, wrap } from './pdf-page.ts';

type Column = { readonly title: string; readonly x: number; readonly align: 'left' | 'right' };

const COLUMNS = {
  quantity: { title: 'Cant.', x: CONTENT.left + 28, align: 'right' },
  unit: { title: 'Unidad', x: CONTENT.left + 36, align: 'left' },
  key: { title: 'Clave SAT', x: CONTENT.left + 68, align: 'left' },
  description: { title: 'Descripción', x: CONTENT.left + 114, align: 'left' },
  unitPrice: { title: 'P. unitario', x: CONTENT.right - 198, align: 'right' },
  amount: { title: 'Importe', x: CONTENT.right - 140, align: 'right' },
  discount: { title: 'Descuento', x: CONTENT.right - 88, align: 'right' },
  rate: { title: 'Tasa', x: CONTENT.right - 60, align: 'right' },
  iva: { title: 'IVA', x: CONTENT.right - 5, align: 'right' },
} as const satisfies Record<string, Column>;

const DESCRIPTION_WIDTH = COLUMNS.unitPrice.x - 44 - COLUMNS.description.x;
const LINE = 10;
const PADDING = 5;

export const TABLE_HEAD_HEIGHT = 16;

/** The names of the columns. */
export function tableHead(top: number): string[] {
  const style = { font: 'bold', size: 7.5, color: NAVY } as const;
  return [
    fill(CONTENT.left, top, CONTENT.right - CONTENT.left, TABLE_HEAD_HEIGHT, TINT),
    ...Object.values(COLUMNS).map((column) => cell(column, column.title, top + 11, style)),
  ];
}

/** A concept of the table; as high as its description is long. */
export type Row = { readonly height: number; draw(top: number): string[] };

export function rowOf(concept: InvoiceConcept): Row {
  const description = wrap(concept.description, DESCRIPTION_WIDTH);
  const height = description.length * LINE + PADDING;
  const cells = cellsOf(concept);
  const draw = (top: number) => [
    ...cells.map(([column, content]) => cell(COLUMNS[column], content, top + LINE)),
    ...description.map((line, index) => cell(COLUMNS.description, line, top + LINE * (index + 1))),
    fill(CONTENT.left, top + height - 0.5, CONTENT.right - CONTENT.left, 0.5, RULE),
  ];
  return { height, draw };
}

function cellsOf(concept: InvoiceConcept): [keyof typeof COLUMNS, string][] {
  const figures = computeConcept(concept);
  return [
    ['quantity', String(concept.quantity)],
    ['unit', concept.unitKey],
    ['key', concept.productKey],
    ['unitPrice', money(BigInt(concept.unitPriceMicros))],
    ['amount', money(figures.amountMicros)],
    ['discount', money(figures.discountMicros)],
    ['rate', percent(concept.ivaRateMicros)],
    ['iva', money(figures.ivaMicros)],
  ];
}

const cell = ({ x, align }: Column, content: string, top: number, style: TextStyle = {}): string =>
  text(content, x, top, { ...style, align });
