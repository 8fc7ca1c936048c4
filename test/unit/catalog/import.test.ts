import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { writeXlsx } from 'hucre/xlsx';
import { afterAll, describe, expect, it } from 'vitest';
import { readFolderState } from '../../../shared/catalog/publishing/import/folder-state.ts';
import type { Prices } from '../../../shared/catalog/publishing/import/headings.ts';
import { importSheet } from '../../../shared/catalog/publishing/import/import.ts';
import { readSheet } from '../../../shared/catalog/publishing/import/sheet.ts';
import {
  addIva,
  judgeSign,
  readAmount,
  readBoolean,
  readFraction,
  readIva,
  removeIva,
} from '../../../shared/catalog/publishing/import/values.ts';
import { toBarcode } from '../../support/catalogs/small-catalog.ts';

const folder = mkdtempSync(join(tmpdir(), 'import-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (content: string | Uint8Array, name?: string) => {
  const path = join(folder, 'hoja.csv');
  writeFileSync(path, content);
  return readSheet(path, name);
};

describe('a sheet', () => {
  const cells = [
    ['Año', 'Precio'],
    ['Ñu; dos', '1,5'],
  ];
  const utf16 = Buffer.from('Año\tPrecio\r\n"Ñu; dos"\t1,5\r\n', 'utf16le');
  it.each<[string, string | Uint8Array]>([
    ['UTF-8', 'Año,Precio\n"Ñu; dos","1,5"\n'],
    ['UTF-8 with a mark and CR alone', '\uFEFFAño;Precio\r"Ñu; dos";1,5\r'],
    ['Windows-1252', Buffer.from('Año;Precio\r\n"Ñu; dos";1,5\r\n', 'latin1')],
    ['UTF-16 with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
    ['UTF-16 without one', utf16],
    ['UTF-16, the higher byte first', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]).swap16()],
    ['a line with its separator', 'sep=|\nAño|Precio\nÑu; dos|1,5\n'],
  ])('is read in %s', async (_, content) => {
    const { rows, errors } = await read(content);
    expect([errors, rows.map((row) => row.cells)]).toEqual([[], cells]);
  });

  it('of a workbook has numbers, days and the texts of formulas and booleans; hidden sheets count by name alone', async () => {
    const bytes = await writeXlsx({
      sheets: [
        { name: 'Vieja', hidden: true, rows: [['x']] },
        { name: 'Hoja', rows: [['a', 'b'], [], [7501000000012, new Date(Date.UTC(2026, 10, 29))], [true, ' 0012 ']] },
      ],
    });
    const { file, rows } = await read(bytes);
    expect(file).toBe('hoja.csv Hoja');
    expect(rows).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 3, cells: [7501000000012, '2026-11-29'] },
      { line: 4, cells: ['true', '0012'] },
    ]);
    expect((await read(bytes, 'Vieja')).rows).toEqual([{ line: 1, cells: ['x'] }]);
    expect((await read(bytes, 'Otra')).errors).toHaveLength(1);
  });

  /** Returns a ZIP archive of one file, whose directory states a size. */
  function zip(content: Uint8Array, stated: number): Buffer {
    const [packed, name] = [deflateRawSync(content), Buffer.from('xl/workbook.xml')];
    const part = (size: number, mark: string, numbers: Record<number, number>): Buffer => {
      const bytes = Buffer.alloc(size);
      bytes.write(`PK${mark}`, 0, 'latin1');
      for (const [at, number] of Object.entries(numbers)) bytes.writeUInt32LE(number, Number(at));
      return bytes;
    };
    const local = part(30, '\x03\x04', { 26: name.length });
    const entry = part(46, '\x01\x02', { 10: 8, 20: packed.length, 24: stated, 28: name.length });
    const end = part(22, '\x05\x06', { 10: 1, 16: 30 + name.length + packed.length });
    return Buffer.concat([local, name, packed, entry, name, end]);
  }

  it.each<[string, Uint8Array, RegExp]>([
    ['that unpacks to more than 50 MB', zip(Buffer.alloc(50_000_001), 50_000_001), /50 MB/],
    ['whose directory hides that', zip(Buffer.alloc(50_000_001), 10), /50 MB/],
    ['that only says so', zip(Buffer.alloc(10), 0xffffffff), /50 MB/],
    ['that is another archive', zip(Buffer.alloc(10), 10), /no \.xlsx/],
    ['that is cut off', zip(Buffer.alloc(10), 10).subarray(0, 40), /no \.xlsx/],
    ['of Excel 97', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /Excel 97/],
    ['that is an image', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), /neither/],
  ])('is refused as a file %s', async (_, content, reason) => {
    const { rows, errors } = await read(content);
    expect([rows, errors.length, errors[0]?.message]).toEqual([[], 1, expect.stringMatching(reason)]);
  });
});

describe('values', () => {
  it.each<[sign: string | undefined, read: string, ...cells: (string | number)[]]>([
    ['point', '1042.27 0.50 12 1234', '$ 1,042.27', '.50', '12', '1,234'],
    ['comma', '1599.85 1042.27 1234', '1599,85', 'MXN 1.042,27', '1.234'],
    [undefined, '1042.27 1599.85', '$1,042.27', '1599,85'],
    [undefined, '12 ? ?', '12', '1.234', '1,234'],
    [undefined, '32 1.005 7501000000012', 31.999999999999996, 1.005, 7501000000012],
    [undefined, '!   ! ! -5', 'diez', '1,23,4', '12-5', '-5'],
  ])('are amounts, judged by their column: %s %s', (sign, expected, ...cells) => {
    expect(judgeSign(cells)).toBe(sign);
    const texts = cells.map((cell) => readAmount(cell, judgeSign(cells)) ?? '?');
    expect(texts.map((text) => text || '!')).toEqual(expected.split(/ +/));
  });

  it('are booleans, rates and fractions in any usual spelling', () => {
    expect(['SI', 'sí', 'X', '1', '✓', 'Verdadero', 'con receta', 'YES'].map(readBoolean)).toEqual(Array(8).fill(true));
    expect(['NO', 'n', '0', 'FALSO', 'Venta libre', 'sin receta'].map(readBoolean)).toEqual(Array(6).fill(false));
    expect([16, '16%', 0.16, '0,16', 'IVA 16%', 'si', 'Gravado'].map(readIva)).toEqual(Array(7).fill(true));
    expect([0, '0%', 'Exento', 'tasa 0', 'no', '0.00'].map(readIva)).toEqual(Array(6).fill(false));
    expect([8, '0.08', 'quizá', '16.5'].map(readIva)).toEqual(Array(4).fill(undefined));
    expect(['IV', 4, 'Fracción iv', 'F-4', 'Grupo IV'].map(readFraction)).toEqual(Array(5).fill('IV'));
    expect(['No aplica', 'VII', 'controlado'].map(readFraction)).toEqual([null, undefined, undefined]);
  });

  it('are prices that cost at the till what the shelf says, or a cent less', () => {
    expect([removeIva(11_600), removeIva(2_000), removeIva(21_000), removeIva(1)]).toEqual([10_000, 1_724, 18_103, 1]);
    const short = Array.from({ length: 200_000 }, (_, shelf) => shelf - addIva(removeIva(shelf)));
    expect([...new Set(short)].sort()).toEqual([0, 1]);
  });
});

describe('an import', () => {
  /** `answers` as on a command line: `iva=no fraction=IV`. */
  const run = async (csv: string, answers = '', prices: Prices | null = 'without-iva') => {
    const pairs = answers.split(' ').map((answer) => answer.split('='));
    const options = { prices: prices ?? undefined, map: {}, answers: Object.fromEntries(pairs), isPartial: false };
    const { files, report } = importSheet(await read(csv), readFolderState('/no/such/folder'), options);
    const records = (file: string) => {
      const content = files?.get(`${file}.jsonl`)?.trim();
      return content ? content.split('\n').map((line) => JSON.parse(line)) : [];
    };
    const asked = report.questions.map(({ field, rows }) => [field, ...rows].join(' ')).join(', ');
    const places = report.errors.map(({ line, field }) => `${line} ${field}`.trim());
    return { files, asked, places, bases: records('bases'), products: records('products'), records };
  };
  const HEADINGS = 'barcode,name,presentation,laboratory,category,ingredient,fraction,prescription,price,iva,sat_key';
  const toRow = (row: string, at: number) => `${toBarcode(at)},${row}`;
  const sheet = (...rows: readonly string[]) => [HEADINGS, ...rows.map(toRow)].join('\n');

  it('makes bases, laboratories and categories of names, each once', async () => {
    const { bases, products, records } = await run(
      sheet(
        'Ácido fólico,20 tabletas,Solmar,Vitaminas,Ácido fólico,VI,,10.00,no,51191905',
        'ACIDO  FOLICO,50 tabletas,SOLMAR,vitaminas,Acido folico,6,no,20.00,no,51191905',
        'Ácido fólico,20 tabletas,Altavera,Vitaminas,Ácido fólico,VI,no,9.00,no,51191905',
        'Gasa,,Solmar,Curación,,,,30.00,si,53131609',
        'Cefalexina 500 mg,,Solmar,Vitaminas,,IV,si,40.00,no,51101500',
      ),
    );
    expect(products.map(({ id, base }) => `${id} ${base}`)).toEqual(['1 1', '2 1', '3 2', '4 3', '5 4']);
    const names = ['companies', 'categories'].map((file) => records(file).map(({ name }) => name));
    expect(names.flat()).toEqual(['Solmar', 'Altavera', 'Vitaminas', 'Curación']);
    const [first, , third, fourth] = bases;
    expect([first.is_antibiotic, fourth.is_antibiotic]).toEqual([undefined, true]);
    expect(first).toMatchObject({ sanitary_fraction: 'VI', medical_information: { group_number: 6 } });
    expect(third).toMatchObject({ is_medicine: false, sanitary_fraction: null, medical_information: null });
  });

  it.each([
    ['iva 2', 'iva=not-medicines', 'VI', 'A,,,,Paracetamol,VI,,10.00,,51142001'],
    ['iva 2', 'iva=yes', null, 'A,,,,,,,10.00,,51142001'],
    ['sat_key 2', 'sat_key=51142001', 'VI', 'A,,,,Paracetamol,VI,,10.00,no,'],
    ['goods_sat_key 2', 'goods_sat_key=53131609', null, 'B,,,,,,,10.00,si,'],
    ['fraction 2', 'fraction=IV', 'IV', 'A,,,,Metformina,,si,10.00,no,51142001'],
    ['free_fraction 2', 'free_fraction=VI', 'VI', 'A,,,,Paracetamol,,no,10.00,no,51142001'],
    ['prescription 2', 'prescription=yes fraction=IV', 'IV', 'A,,,,Amoxicilina,,,10.00,no,51142001'],
    ['antibiotic 2', 'antibiotic=IV', 'IV', 'A,,,,Amoxicilina,VI,no,10.00,no,51142001'],
    ['antibiotic 2', 'antibiotic=sheet', 'VI', 'A,,,,Amoxicilina,VI,no,10.00,no,51142001'],
    ['controlled 2', 'controlled=II', 'II', 'A,,,,Clonazepam,IV,si,10.00,no,51142001'],
    ['medicine 2', 'medicine=yes prescription=yes fraction=IV', 'IV', 'Amoxicilina,,,,,,,10.00,no,51142001'],
    ['medicine 2', 'medicine=no', null, 'A,,,Medicamentos,,,,10.00,si,51142001'],
  ])('asks %s, and takes %s: fraction %s', async (asked, answers, fraction, row) => {
    const open = await run(sheet(row));
    expect([open.asked, open.files]).toEqual([asked, null]);
    const answered = await run(sheet(row), answers);
    expect([answered.asked, answered.bases[0]?.sanitary_fraction]).toEqual(['', fraction]);
  });

  it('asks anew of a new product what an answer said of others by law', async () => {
    const rows = ['Rivotril', 'Otro'].map((name) => `${name},,,,Clonazepam,IV,si,10.00,no,51142001`);
    const { files } = await run(sheet(...rows.slice(0, 1)), 'controlled=sheet');
    for (const [name, content] of files ?? []) writeFileSync(join(folder, name), content);
    const options = { map: {}, answers: {}, isPartial: false };
    const { report } = importSheet(await read(sheet(...rows)), readFolderState(folder), options);
    expect(report).toMatchObject({ answered: { controlled: 1 }, questions: [{ field: 'controlled', rows: [3] }] });
  });

  it('asks whether prices include IVA, unless the heading says it, and which sign is decimal', async () => {
    const row = (price: string) => `code;name;P. venta c/IVA;iva;sat_key\nA;Gasa;${price};si;53131609\n`;
    expect((await run(row('116').replace(' c/IVA', ''), '', null)).asked).toBe('prices');
    const { products } = await run(row('116'), '', null);
    expect(products).toMatchObject([{ price: '100.00', ean_key: '2000000000015' }]);
    expect((await run(row('1.160'), '', null)).asked).toBe('decimals 2');
    expect((await run(row('1.160'), 'decimals=comma', null)).products).toMatchObject([{ price: '1000.00' }]);
  });

  it.each([
    ['a barcode that was shortened', `${HEADINGS}\n7.50E+12,Gasa,,,,,,,10.00,si,53131609`, '2 A barcode'],
    ['a fraction against the prescription', sheet('A,,,,Metformina,IV,no,1.00,no,51142001'), '2 H prescription'],
    ['an error of the spreadsheet', sheet('#N/A,,,,,,,10.00,si,53131609'), '2 B name'],
    ['text that is encoded twice', sheet('SuspensiÃ³n,,,,,,,10.00,si,53131609'), '2 B name'],
    ['no name, and a price of 0', sheet(',,,,,,,0.00,si,53131609'), '2 B name', '2 I price'],
    ['a cell too many', sheet('Gasa,,,,,,,10.00,si,53131609,50'), '2 B name'],
    ['two columns of prices', 'code,name,precio,precio venta\nA,Gasa,1.00,2.00\n', '1 D precio venta'],
    ['no column of prices', 'code,name\nA,Gasa\n', '1'],
    ['no known headings', 'uno,dos\nA,Gasa\n', '1'],
    ['no rows', 'code,name,price\n', '1'],
  ])('refuses %s', async (_, csv, ...places) => {
    const result = await run(csv, 'iva=yes sat_key=51142001 goods_sat_key=53131609');
    expect([result.places, result.files]).toEqual([places, null]);
  });
});
