import { deflateSync } from 'node:zlib';
import { JPEG } from '../orders/samples.ts';
import { randomOf } from '../proofs/random.ts';

/** The bytes of an object of a PDF without its number. */
type PdfObject = string | Buffer;

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const joinBytes = (...parts: PdfObject[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? bytes(part) : part)));

/** Returns a stream with its dictionary, whose length is added. */
const pdfStream = (entries: string, data: PdfObject): Buffer =>
  joinBytes(`<<${entries}/Length ${data.length}>>\nstream\n`, data, '\nendstream');

/** Returns a stream of objects (ISO 32000-1, 7.5.7), compressed as writers do, under ids from 100. */
function objectStream(objects: readonly string[], entries = ''): Buffer {
  const starts: number[] = [];
  let length = 0;
  for (const object of objects) {
    starts.push(length);
    length += object.length + 1;
  }
  const head = `${starts.map((start, index) => `${100 + index} ${start}`).join(' ')} `;
  const data = deflateSync(bytes(head + objects.join('\n')));
  return pdfStream(`/Type/ObjStm/N ${objects.length}/First ${head.length}/Filter/FlateDecode${entries}`, data);
}

const editText = (data: Buffer, from: string | RegExp, to: string): Buffer =>
  bytes(data.toString('latin1').replace(from, to));

/** Returns a PDF of these objects, numbered from 1, with a table of their offsets. The first is the catalog. */
function pdfFile(objects: readonly PdfObject[], trailer = ''): Buffer {
  const parts: Buffer[] = [bytes('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n')];
  const offsets: number[] = [];
  let at = 15;
  objects.forEach((object, index) => {
    const whole = joinBytes(`${index + 1} 0 obj\n`, object, '\nendobj\n');
    offsets.push(at);
    parts.push(whole);
    at += whole.length;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  parts.push(
    bytes(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

const PAGES = [
  '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>',
];
const TEXT = 'BT /F1 12 Tf 72 720 Td (Rp. Losartan 50 mg, una cada 12 horas) Tj ET';
const CONTENT = pdfStream('/Filter/FlateDecode', deflateSync(bytes(TEXT)));

/** Returns a PDF of one page whose catalog has these entries, with more objects from number 5. */
export const onePagePdf = (catalog = '', more: readonly PdfObject[] = [], trailer = ''): Buffer =>
  pdfFile([`<</Type/Catalog/Pages 2 0 R${catalog}>>`, ...PAGES, CONTENT, ...more], trailer);

const photo = (data: Buffer) =>
  pdfStream(
    '/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode',
    data,
  );
const XMP = pdfStream(
  '/Type/Metadata/Subtype/XML',
  '<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><pdf:Producer>JavaScript</pdf:Producer></rdf:RDF></x:xmpmeta>',
);

const comment = '5 0 obj\n<</Type/Annot/Subtype/Text/Contents(visto)>>\nendobj\n';
const table = 'xref\n0 0\ntrailer\n<</Size 6/Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF\n';
const SIGNATURE = `<</FT/Sig/T(firma)/V<</Type/Sig/Filter/Adobe.PPKLite/Contents<${'3082'.repeat(40)}>>>>>`;
const STRUCTURE = '/Lang(es-MX)/StructTreeRoot 100 0 R/MarkInfo<</Marked true>>/OpenAction[3 0 R/XYZ null null 0]';
const ENCRYPTED = [
  pdfStream('/Type/ObjStm/N 2/First 9/Filter/FlateDecode', anyBytes(300)),
  '<</Filter/Standard/V 2/R 3/P -3904/O(o)/U(u)>>',
];
const elements = (at: number) => Array.from({ length: 200 }, (_, index) => `<</Type/StructElem/S/P/K ${index * at}>>`);

/** PDFs as phones, offices and clinics make them, which must all pass. */
export const HONEST_PDFS: readonly (readonly [name: string, pdf: Buffer])[] = [
  ['of a phone that scans pages', onePagePdf('', [photo(Buffer.from(JPEG, 'base64'))])],
  ['with a picture of 2 MB of any bytes', onePagePdf('', [photo(anyBytes(2 * 1024 * 1024))])],
  [
    'of a word processor, with compressed objects, a structure and the page to open',
    onePagePdf(STRUCTURE, [
      objectStream(['<</Type/StructTreeRoot/RoleMap<<>>>>', '<</Producer(Microsoft: Word)/Title(JS)>>']),
      pdfStream('/Type/XRef/W[1 2 1]/Size 7/Filter/FlateDecode', deflateSync(anyBytes(28))),
    ]),
  ],
  [
    'with many compressed objects',
    onePagePdf(
      '',
      Array.from({ length: 40 }, (_, at) => objectStream(elements(at))),
    ),
  ],
  ['with an address to open', onePagePdf('', ['<</Subtype/Link/A<</S/URI/URI(https://clinica.example/js/7)>>>>'])],
  [
    'with metadata that name JavaScript',
    onePagePdf('/Metadata 5 0 R', [XMP], '/Info<</Creator(JavaScript PDF)/Producer(EmbeddedFile)>>'),
  ],
  ['with a form to fill in', onePagePdf('/AcroForm<</Fields[5 0 R]>>', ['<</FT/Tx/T(paciente)/V(Ana)/Type/Annot>>'])],
  ['with a signature', onePagePdf('/AcroForm<</Fields[5 0 R]/SigFlags 3>>', [SIGNATURE])],
  ['that was changed after it was written', joinBytes(onePagePdf(), comment, table)],
  ['that is encrypted against changes', onePagePdf('', ENCRYPTED, '/Encrypt 6 0 R')],
  ['with a comment about encryption', onePagePdf('', ['% trailer <</Encrypt 5 0 R>>\n<<>>'])],
  ['with a text about encryption', onePagePdf('/Lang(/Encrypt)', [objectStream(['<</Title(/Encrypt 5 0 R)>>'])])],
  ['with names that begin as those of scripts', onePagePdf('/JSX 1/JavaScripts 2/LaunchUrl 3/EFG 4/EmbeddedFont 5')],
  ['whose text is about scripts', onePagePdf('', [pdfStream('', 'BT (JavaScript, Launch and EmbeddedFiles) Tj ET')])],
  [
    'of version 1.4 with line breaks of Windows',
    bytes(onePagePdf().toString('latin1').replace('%PDF-1.7', '%PDF-1.4').replaceAll('endobj\n', 'endobj\r\n')),
  ],
];

/** Returns bytes that look random and are always the same. */
function anyBytes(length: number): Buffer {
  const next = randomOf(7);
  return Buffer.from(new Uint8Array(length).map(() => next(256)));
}

/** Entries of a catalog, or of what it refers to, with scripts, programs or files. */
const ACTIVE_ENTRIES: readonly (readonly [name: string, entries: string])[] = [
  ['a script when it is opened', '/OpenAction<</S/JavaScript/JS(app.alert(1))>>'],
  ['a script by its name', '/Names<</JavaScript<</Names[(a)9 0 R]>>>>'],
  ['a script of a film', '/OpenAction<</S/Rendition/JS(app.alert(1))>>'],
  ['a program', '/OpenAction<</S/Launch/F(cmd.exe)/Win<</F(cmd.exe)/P(/c calc)>>>>'],
  ['a program, in another way of writing', '/OpenAction<<\n/Type/Action\t/S % what to do\n/Launch\r\n/F(calc.exe)>>'],
  ['files inside of it', '/Names<</EmbeddedFiles<</Names[(a.exe)9 0 R]>>>>'],
  ['a file inside of it', '/Names[<</Type/EmbeddedFile>>]'],
  ['a file that a page has', '/AF[<</Type/Filespec/F(a.exe)/EF<</F 9 0 R>>>>]'],
  ['a file behind a pin', '/Annots[<</Subtype/FileAttachment/FS<</F(a.exe)>>>>]'],
];

const NAMES = /\/(JavaScript|JS|Launch|EmbeddedFiles?|EF|FileAttachment)\b/g;
const toHex = (letter: string) => `#${letter.charCodeAt(0).toString(16)}`;
const escapeNames = (entries: string): string =>
  entries.replace(NAMES, (_, name: string) => `/${[...name].map(toHex).join('')}`);

/** Returns a PDF with these entries in compressed objects, of which one text is replaced. */
const compressed = (entries: string, [from, to]: readonly [string, string] = ['', '']) =>
  onePagePdf('', [editText(objectStream([`<<${entries}>>`]), from, to)]);
const uppercaseEscapes = (entries: string): string => entries.replace(/#../g, (each) => each.toUpperCase());
const filler = Array.from({ length: 90 }, () => objectStream(['<<>>']));

/** The ways in which such entries may stand in a PDF. */
const PLACES: readonly (readonly [name: string, place: (entries: string) => Buffer])[] = [
  ['in its catalog', (entries) => onePagePdf(entries)],
  ['with its names escaped', (entries) => onePagePdf(escapeNames(entries))],
  ['with its names escaped in capitals', (entries) => onePagePdf(uppercaseEscapes(escapeNames(entries)))],
  ['in compressed objects', (entries) => onePagePdf('', [objectStream(['<<>>', `<<${entries}>>`])])],
  ['escaped in compressed objects', (entries) => compressed(escapeNames(entries))],
  ['in compressed objects whose type is escaped', (entries) => compressed(entries, ['ObjStm', '#4FbjStm'])],
  ['in compressed objects behind a line end of Windows', (entries) => compressed(entries, ['stream\n', 'stream\r\n'])],
  [
    'in compressed objects without their checksum',
    (entries) => onePagePdf('', [joinBytes(objectStream([`<<${entries}>>`]).subarray(0, -15), '\nendstream')]),
  ],
  [
    'in compressed objects behind 4 MB of others',
    (entries) => onePagePdf('', [objectStream([`(${' '.repeat(4 * 1024 * 1024)})`, `<<${entries}>>`])]),
  ],
  ['in the last of 90 streams of objects', (entries) => onePagePdf('', [...filler, objectStream([`<<${entries}>>`])])],
];

/** PDFs that have or do more than pages, which must all be refused. */
export const ACTIVE_PDFS: readonly (readonly [name: string, pdf: Buffer])[] = ACTIVE_ENTRIES.flatMap(
  ([what, entries]) => PLACES.map(([where, place]) => [`${what}, ${where}`, place(entries)] as const),
);

const blanks = (megabytes: number): string => ' '.repeat(megabytes * 1024 * 1024);

/** PDFs whose object streams cannot all be looked into within the bounds, which must all be refused. */
export const BOUNDLESS_PDFS: readonly (readonly [name: string, pdf: Buffer])[] = [
  ['with a stream of more than 8 MB', onePagePdf('', [objectStream([blanks(8)])])],
  ['with streams of more than 32 MB together', onePagePdf('', Array(5).fill(objectStream([blanks(7)])))],
  ['with 200 streams in a few KB', onePagePdf('', Array(200).fill(objectStream(['<<>>'])))],
  ['with a stream that is damaged', onePagePdf('', [editText(objectStream(['<<>>']), /x.\S{4}/, 'x\x9cabcd')])],
];
