import { decodeStream, type StreamBudget } from './pdf-filters.ts';
import { type PdfObject, readObject, readObjects, tokenBudget } from './pdf-objects.ts';

/*
 * A PDF names what it does by itself (ISO 32000-1, 12.6 and 7.11.4): scripts, programs, forms that are sent, files that
 * come with it. These names are looked for in the whole file and in its compressed object streams. An encrypted PDF shows no
 * more of itself than its encryption leaves readable.
 */

/** True if a PDF has scripts, actions beyond its own pages and addresses, or files inside of it, or hides what it has. */
export function hasActiveContent(pdf: Buffer): boolean {
  const text = pdf.toString('latin1');
  if (ACTIVE_NAME.test(text)) return true;
  const tokens = tokenBudget(text);
  const source = { pdf, budget: streamBudget(pdf), isEncrypted: isEncrypted(text) };
  let streams = 0;
  for (const object of readObjects(text, tokens)) {
    if (SHORT_ACTIVE_NAMES.some((name) => object.names.has(name))) return true;
    const isOfReferences = isReferenceStream(object);
    if (!isOfReferences && !holdsObjects(object)) continue;
    streams += 1;
    const content = streams > maxStreams(pdf) ? undefined : decodeStream(object, source);
    // Object streams that cannot be read are those of an encrypted PDF, or hide something; those of references are never
    // encrypted (7.5.8.2).
    if (content === undefined && (isOfReferences || !source.isEncrypted)) return true;
    if (content && !isOfReferences && isActive(content.toString('latin1'))) return true;
  }
  return tokens.left <= 0;
}

// Any letter of a name may be written as # and its two hexadecimal digits (ISO 32000-1, 7.3.5).
function escapable(name: string): string {
  const letters = [...name].map((letter) => {
    const digits = letter.charCodeAt(0).toString(16);
    return `(?:${letter}|#${digits.replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
  });
  return letters.join('');
}
const DELIMITER = String.raw`[\s\0()<>[\]{}/%]|$`;
const toPattern = (names: readonly string[]): RegExp =>
  new RegExp(`/(?:${names.map(escapable).join('|')})(?=${DELIMITER})`);

const ACTIVE_NAME = toPattern([
  ...['JavaScript', 'Rendition', 'OnInstantiate'],
  ...['Launch', 'GoToR', 'GoToE', 'SubmitForm', 'ImportData', 'RichMedia', 'RichMediaExecute'],
  ...['EmbeddedFile', 'EmbeddedFiles', 'FileAttachment', 'XFA'],
]);
// Three letters and a delimiter occur by chance in 1 % of all files of 3 MB, so that they count in objects alone.
const SHORT_ACTIVE_NAMES = ['/JS', '/EF'];
const SHORT_ACTIVE_NAME = toPattern(['JS', 'EF']);

const isActive = (content: string): boolean => ACTIVE_NAME.test(content) || SHORT_ACTIVE_NAME.test(content);

/** Readers find an object stream by its number, and its objects by the offset of the first: not all look at its type. */
const holdsObjects = ({ names, entries, streamAt }: PdfObject): boolean =>
  streamAt !== undefined && (names.has('/ObjStm') || entries.has('/First'));
const isReferenceStream = ({ names, streamAt }: PdfObject): boolean => streamAt !== undefined && names.has('/XRef');

// Writers of PDFs put up to 200 objects into a stream, and text becomes a tenth of its length. The bounds grow with the file, so
// that all documents of a request cost the same time however they are cut.
const maxStreams = ({ length }: Buffer): number => 100 + length / (8 * 1024);
// Streams do not overlap, so that together they are shorter than the file.
const streamBudget = ({ length }: Buffer): StreamBudget => ({ input: length, output: 1024 * 1024 + 4 * length });

// Offsets count from the header, and readers pass over blanks (appendix H, notes 13 and 18).
const OFFSET = /startxref[\0\t\n\f\r ]*(\d{1,10})/y;
const REFERENCES = /[\0\t\n\f\r ]*(?:xref|\d{1,10} \d{1,5} obj)/y;

/**
 * True if the table or stream of references to which the end of a PDF points names an encryption (7.5.5). A comment, a text or
 * another table that does so says nothing.
 */
function isEncrypted(text: string): boolean {
  OFFSET.lastIndex = Math.max(0, text.lastIndexOf('startxref'));
  const [, offset] = OFFSET.exec(text) ?? [];
  REFERENCES.lastIndex = Number(offset) + Math.max(0, text.indexOf('%PDF-'));
  const [start] = REFERENCES.exec(text) ?? [];
  if (offset === undefined || start === undefined) return false;
  const isTable = start.endsWith('xref');
  const trailer = isTable ? text.indexOf('trailer', REFERENCES.lastIndex) : 0;
  const at = isTable ? trailer + 'trailer'.length : REFERENCES.lastIndex;
  const object = readObject(text, at, tokenBudget(text));
  const value = object.entries.get('/Encrypt') ?? ['null'];
  return trailer >= 0 && (isTable || isReferenceStream(object)) && value[0] !== 'null';
}
