import { encode, type Font, textWidth } from './pdf-fonts.ts';

/** A page of letter size, in points; what is drawn says where from the left and from the top. */
export const PAGE = { width: 612, height: 792 } as const;

/** Red, green and blue, 0 to 1. */
export type Color = readonly [number, number, number];

export type TextStyle = {
  readonly font?: Font;
  readonly size?: number;
  readonly color?: Color;
  /** Of the text to its `x`: from there on, up to there, or around it. */
  readonly align?: 'left' | 'right' | 'center';
};

const INK: Color = [0.13, 0.13, 0.15];
const SIZE = 8;
const SHIFT = { left: 0, center: 0.5, right: 1 } as const;
const RESOURCE_OF: Readonly<Record<Font, string>> = { regular: '/F1', bold: '/F2' };

/** One line of text with its baseline `top` points below the upper edge, as operators of a PDF. */
export function text(content: string, x: number, top: number, style: TextStyle = {}): string {
  const { font = 'regular', size = SIZE, color = INK, align = 'left' } = style;
  const left = x - SHIFT[align] * textWidth(content, font, size);
  const place = `${number(left)} ${number(PAGE.height - top)} Td`;
  return `BT ${RESOURCE_OF[font]} ${size} Tf ${rgb(color)} rg ${place} ${literal(content)} Tj ET`;
}

/** A filled rectangle. */
export function fill(x: number, top: number, width: number, height: number, color: Color): string {
  const corner = `${number(x)} ${number(PAGE.height - top - height)}`;
  return `${rgb(color)} rg ${corner} ${number(width)} ${number(height)} re f`;
}

/** A text as a string of a PDF. */
export const literal = (content: string): string => `(${encode(content).replace(/[\\()]/g, '\\$&')})`;

/** The lines of a text within a width; breaks at blanks, and within a word only where it is too wide by itself. */
export function wrap(content: string, width: number, { font = 'regular', size = SIZE }: TextStyle = {}): string[] {
  const fits = (line: string) => textWidth(line, font, size) <= width;
  const lines: string[] = [];
  let line = '';
  for (const word of content.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = piecesOf(word, fits);
    line = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  return [...lines, line];
}

function piecesOf(word: string, fits: (piece: string) => boolean): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const character of word) {
    if (fits(piece + character)) piece += character;
    else {
      pieces.push(piece);
      piece = character;
    }
  }
  return [...pieces, piece];
}

const number = (value: number): string => String(Math.round(value * 100) / 100);
const rgb = (color: Color): string => color.join(' ');
