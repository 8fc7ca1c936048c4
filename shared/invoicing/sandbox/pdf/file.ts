/** A label in the left of the column and its text beside it; without a text, the label is a heading. */
export type Row = readonly [label: string, text: string];

// In points: at least a letter page, higher when the lines need it.
const PAGE_WIDTH = 612;
const MIN_PAGE_HEIGHT = 792;
const MARGIN = 42;
const FONT_SIZE = 9;
const LINE_HEIGHT = 13;
// In characters, which are all 0.6 of the font's size wide.
const LABEL_LENGTH = 22;
const TEXT_LENGTH = 75;

/**
 * Writes rows as a PDF 1.4 of one page in Courier, which every reader has. Written by hand, as a library adds 0.9 MB
 * to a function (pdfkit 0.20, esbuild) and looks for its fonts on the disk.
 */
export function writePdf(rows: readonly Row[], title: string): Uint8Array {
  const lines = rows.flatMap(toLines);
  const height = Math.max(MIN_PAGE_HEIGHT, 2 * MARGIN + lines.length * LINE_HEIGHT);
  const content = `BT ${LINE_HEIGHT} TL ${MARGIN} ${height - MARGIN} Td\n${lines.join('\n')}\nET`;
  return assemble([
    '<</Type/Catalog/Pages 2 0 R/Lang(es-MX)/ViewerPreferences<</DisplayDocTitle true>>>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${PAGE_WIDTH} ${height}]/Resources<</Font<</F1 5 0 R/F2 6 0 R>>>>/Contents 4 0 R>>`,
    `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>',
    '<</Type/Font/Subtype/Type1/BaseFont/Courier-Bold/Encoding/WinAnsiEncoding>>',
    `<</Title${writeString(title)}>>`,
  ]);
}

/** Writes a row as the operators of its lines; every line begins with the move to it. */
function toLines([label, text]: Row): string[] {
  if (text === '') return ['T*', showLine(label, 'F2')];
  return wrap(text).map((line, index) => showLine((index === 0 ? label : '').padEnd(LABEL_LENGTH) + line, 'F1'));
}

const showLine = (line: string, font: string): string => `T* /${font} ${FONT_SIZE} Tf ${writeString(line)} Tj`;

// At blanks, and within a word only when the word is longer than a line.
const WRAPPED = new RegExp(`.{1,${TEXT_LENGTH}}(?:\\s|$)|.{${TEXT_LENGTH}}`, 'gu');
const wrap = (text: string): string[] => text.match(WRAPPED)?.map((line) => line.trimEnd()) ?? [];

const writeString = (text: string): string => `(${encode(text).replace(/[\\()]/g, '\\$&')})`;

// Characters 128 to 159 of WinAnsiEncoding (PDF Reference 1.7, appendix D); the others are those of Latin-1.
const WIN_ANSI = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Encodes a text as one byte a character; a character that the fonts lack loses its accent or becomes `?`. */
const encode = (text: string): string => Array.from(text.normalize('NFC'), encodeCharacter).join('');

function encodeCharacter(character: string): string {
  const special = WIN_ANSI.indexOf(character);
  if (special >= 0) return String.fromCharCode(128 + special);
  const [base = ''] = character.normalize('NFD');
  return [character, base].find((one) => /^[ -~\u00a0-\u00ff]$/.test(one)) ?? '?';
}

// Four bytes above 127 in the second line mark the file as binary (PDF Reference 1.7, 3.4.1).
const HEADER = '%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n';

/** Numbers the objects from 1 and adds the table of their offsets; the first is the catalog, the last the title. */
function assemble(objects: readonly string[]): Uint8Array {
  const parts = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`);
  const offsets = parts.map((_, index) => [HEADER, ...parts.slice(0, index)].join('').length);
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  const body = HEADER + parts.join('');
  const size = objects.length + 1;
  const trailer = `trailer\n<</Size ${size}/Root 1 0 R/Info ${objects.length} 0 R>>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(`${body}xref\n0 ${size}\n0000000000 65535 f \n${entries.join('')}${trailer}`, 'latin1');
}
