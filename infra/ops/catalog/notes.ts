import { printable } from '../terminal/text-table.ts';

/** Returns notes as a list; names of products in them may be anything. */
export const bulleted = (notes: readonly string[]): string => notes.map((note) => `- ${printable(note)}\n`).join('');
