/** A page that is one colour, as the operators of a PDF draw it. */
export const BLUE = '0 0 1 rg 0 0 612 792 re f';
export const RED = '1 0 0 rg 0 0 612 792 re f';

const INK = '0.1 0.2 0.6 rg 60 60 480 300 re f BT /F1 28 Tf 72 720 Td (Rp. Losartan 50 mg) Tj ET';

/** Returns a PDF of as many pages as there are contents: what their operators draw, on paper of 612 by 792 points. */
export function drawnPdf(contents: readonly string[] = [INK]): Buffer {
  const kids = contents.map((_, index) => `${4 + 2 * index} 0 R`).join(' ');
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${kids}]/Count ${contents.length}>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...contents.flatMap((content, index) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${5 + 2 * index} 0 R/Resources<</Font<</F1 3 0 R>>>>>>`,
      `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    ]),
  ];
  return pdfOf(objects);
}

function pdfOf(objects: readonly string[]): Buffer {
  const bodies = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('');
  return Buffer.from(`%PDF-1.4\n${bodies}trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\n%%EOF\n`, 'latin1');
}

/** A PNG of 3 by 2 pixels, of the colour 200 30 30. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGM4IScHQQxwFgBBAAYZPEVBlgAAAABJRU5ErkJggg==',
  'base64',
);

/** Returns a small PDF whose page would take years to draw: forms that draw forms, 20 times each. */
export function endlessPdf(): Buffer {
  const depth = 12;
  const form = (resources: string, body: string) =>
    `<</Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<<${resources}>>/Length ${body.length}>>\nstream\n${body}\nendstream`;
  const forms = Array.from({ length: depth }, (_, index) =>
    form(`/XObject<</F ${6 + index} 0 R>>`, '/F Do '.repeat(20)),
  );
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>',
    '<</Length 5>>\nstream\n/F Do\nendstream',
    ...forms,
    form('', INK),
  ];
  return pdfOf(objects);
}

// 8 by 8 black pixels as a fax encodes them (ITU-T T.6), and the end of the block.
const FAX = `001${'00110101'}${'000101'}${'11'.repeat(7)}${'000000000001'.repeat(2)}00`;

/** Returns a scan: a PDF of pages that one picture fills, black if it is decoded as a fax. */
export function scannedPdf(...filters: readonly ('CCITTFaxDecode' | 'JPXDecode')[]): Buffer {
  const data = (FAX.match(/.{8}/g) ?? []).map((bits) => String.fromCharCode(Number.parseInt(bits, 2))).join('');
  const content = 'q 612 0 0 792 0 0 cm /I Do Q';
  const picture = '/Subtype/Image/Width 8/Height 8/BitsPerComponent 1/ColorSpace/DeviceGray';
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${filters.map((_, index) => `${4 + 2 * index} 0 R`).join(' ')}]/Count ${filters.length}>>`,
    `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    ...filters.flatMap((filter, index) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 3 0 R/Resources<</XObject<</I ${5 + 2 * index} 0 R>>>>>>`,
      `<</Type/XObject${picture}/Filter/${filter}/DecodeParms<</K -1/Columns 8/Rows 8>>/Length ${data.length}>>\nstream\n${data}\nendstream`,
    ]),
  ]);
}
