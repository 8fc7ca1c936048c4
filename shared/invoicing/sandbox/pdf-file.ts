import { deflateSync } from 'node:zlib';
import { literal, PAGE } from './pdf-page.ts';

const FONT_OBJECTS = { F1: 3, F2: 4 } as const;
const INFO_OBJECT = 5;
const FIRST_PAGE_OBJECT = 6;

/**
 * A PDF 1.4 of pages given as their operators, in the fonts that every reader has. Written out here as it needs so
 * little: a library for it adds 0.9 MB to a function (pdfkit 0.20, esbuild) and looks for its fonts on the disk.
 */
export function pdfFile(pages: readonly string[], title: string): Uint8Array {
  const kids = pages.map((_, index) => `${FIRST_PAGE_OBJECT + 2 * index} 0 R`);
  const objects = [
    '<</Type/Catalog/Pages 2 0 R/Lang(es-MX)/ViewerPreferences<</DisplayDocTitle true>>>>',
    `<</Type/Pages/Kids[${kids.join(' ')}]/Count ${pages.length}>>`,
    fontObject('Helvetica'),
    fontObject('Helvetica-Bold'),
    `<</Title${literal(title)}>>`,
    ...pages.flatMap((operators, index) => pageObjects(operators, FIRST_PAGE_OBJECT + 2 * index + 1)),
  ];
  return Buffer.from(assembled(objects), 'latin1');
}

const fontObject = (name: string): string => `<</Type/Font/Subtype/Type1/BaseFont/${name}/Encoding/WinAnsiEncoding>>`;

function pageObjects(operators: string, contentObject: number): [page: string, content: string] {
  const { F1, F2 } = FONT_OBJECTS;
  const resources = `<</Font<</F1 ${F1} 0 R/F2 ${F2} 0 R>>>>`;
  const box = `[0 0 ${PAGE.width} ${PAGE.height}]`;
  const content = deflateSync(Buffer.from(operators, 'latin1'));
  return [
    `<</Type/Page/Parent 2 0 R/MediaBox${box}/Resources${resources}/Contents ${contentObject} 0 R>>`,
    `<</Length ${content.length}/Filter/FlateDecode>>\nstream\n${content.toString('latin1')}\nendstream`,
  ];
}

// Four bytes above 127 in the second line tell whoever moves the file that it is not text (PDF Reference 1.7, 3.4.1).
const HEADER = '%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n';

function assembled(objects: readonly string[]): string {
  let file = HEADER;
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${entries.join('')}`;
  return `${file}${table}trailer\n<</Size ${size}/Root 1 0 R/Info ${INFO_OBJECT} 0 R>>\nstartxref\n${file.length}\n%%EOF\n`;
}
