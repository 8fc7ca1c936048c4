import type { SandboxDocument } from './document.ts';
import { pdfFile } from './pdf-file.ts';
import { head, shortHead } from './pdf-head.ts';
import { CONTENT } from './pdf-look.ts';
import { type Row, rowOf, TABLE_HEAD_HEIGHT, tableHead } from './pdf-table.ts';
import { foot, TOTALS_HEIGHT, totals } from './pdf-totals.ts';

/** The invoice as a person reads it: one page, or as many as its concepts need. */
export function invoicePdf(document: SandboxDocument): Uint8Array {
  const pages = pagesOf(document);
  const operators = pages.map((page, index) =>
    [...page, ...foot(document, { number: index + 1, of: pages.length })].join('\n'),
  );
  return pdfFile(operators, `Factura ${document.folio}`);
}

const GAP = 10;
const heightOf = (rows: readonly Row[]): number => rows.reduce((sum, { height }) => sum + height, 0);

function pagesOf(document: SandboxDocument): string[][] {
  const heads = { first: head(document), next: shortHead(document) };
  const roomUnder = ({ bottom }: { bottom: number }) => CONTENT.bottom - bottom - GAP - TABLE_HEAD_HEIGHT;
  const rooms = { first: roomUnder(heads.first), next: roomUnder(heads.next) };
  const parts = distribute(document.invoice.concepts.map(rowOf), rooms);
  return parts.map((rows, index) => {
    const { operators, bottom } = index === 0 ? heads.first : heads.next;
    const end = bottom + GAP + TABLE_HEAD_HEIGHT + heightOf(rows);
    const isLast = index === parts.length - 1;
    return [...operators, ...table(rows, bottom + GAP), ...(isLast ? totals(document, end + GAP) : [])];
  });
}

/** The rows of each page, as many as it has room for; on the last one with room for the totals. */
function distribute(rows: readonly Row[], rooms: { readonly first: number; readonly next: number }): Row[][] {
  const pages: Row[][] = [[]];
  for (const [index, row] of rows.entries()) {
    const page = pages.at(-1) ?? [];
    const room = pages.length === 1 ? rooms.first : rooms.next;
    const needed = index === rows.length - 1 ? row.height + GAP + TOTALS_HEIGHT : row.height;
    if (heightOf(page) + needed > room) pages.push([row]);
    else page.push(row);
  }
  return pages;
}

function table(rows: readonly Row[], top: number): string[] {
  const first = top + TABLE_HEAD_HEIGHT;
  return [...tableHead(top), ...rows.flatMap((row, index) => row.draw(first + heightOf(rows.slice(0, index))))];
}
