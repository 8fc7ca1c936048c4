import { writeXlsx } from 'hucre/xlsx';
import { toBarcode } from './barcodes.ts';

/** A sheet as one pharmacy keeps it, with the options of its import, and what a quote of two pieces of its first product costs. */
export type PharmacySheet = {
  readonly file: string;
  write(): Promise<Uint8Array>;
  readonly options: readonly string[];
  readonly products: number;
  /** `unit` is what is published, before IVA. */
  readonly first: { readonly barcode: string; readonly unit: string; readonly total: string };
};

const csv = (...lines: readonly string[]): string => lines.map((line) => `${line}\r\n`).join('');
/** Windows-1252 has Spanish letters where Latin-1 has them. */
const latin = async (text: string) => Buffer.from(text, 'latin1');
const workbook = (rows: Parameters<typeof writeXlsx>[0]['sheets'][number]['rows']) =>
  writeXlsx({ sheets: [{ name: 'Hoja1', rows: rows ?? [] }] });

// Excel in Mexico: semicolons, Windows-1252, a title, amounts in two styles, an empty last column.
const sanRafael: PharmacySheet = {
  file: 'san-rafael.csv',
  write: () =>
    latin(
      csv(
        'Farmacia San Rafael;;;;;;;;;;;',
        'Lista de precios, noviembre de 2026;;;;;;;;;;;',
        'Clave;CÓDIGO DE BARRAS;Descripción;Laboratorio;Departamento;Sustancia activa;Fracción;¿Receta?;Precio;IVA;Existencia;Clave SAT;',
        `101;${toBarcode(101)};Ácido fólico 5 mg C/20;Genéricos Solmar;Medicamento;Ácido fólico;VI;NO;$ 1,042.27;NO;12;51191905;`,
        `102;${toBarcode(102)};AMOXICILINA 500 MG C/12;GENERICOS  SOLMAR;Medicamento;Amoxicilina;IV;SI;1599,85;NO;0;51101511;`,
        `103;${toBarcode(103)};"Pañal etapa 3; 40 piezas";Suavín;Bebés;;;NO;$ 189.90;SI;7;53131609;`,
      ),
    ),
  options: ['--prices', 'with-iva'],
  products: 3,
  first: { barcode: toBarcode(101), unit: '1042.27', total: '2084.54' },
};

const LARGE = 5_000;

/** Returns rows of a chain's workbook: numbers for barcodes, rates and keys, two of three products medicines. */
function largeRows(count: number, priceOf = (number: number) => 20 + (number % 400) * 1.5) {
  const rows = Array.from({ length: count }, (_, at) => {
    const isMedicine = at % 3 > 0;
    const medical = isMedicine ? [`Sustancia ${at % 700}`, at % 3 === 1 ? 'Fracción VI' : 4] : ['', 'No aplica'];
    const names = [
      `SKU-${at}`,
      Number(toBarcode(10_000 + at)),
      `Producto ${at % 4_000}`,
      `Caja con ${(at % 30) + 1} piezas`,
    ];
    const place = [`Laboratorio ${at % 60}`, `Categoría ${at % 40}`];
    return [
      ...names,
      ...place,
      ...medical,
      priceOf(at),
      isMedicine ? 0 : 0.16,
      49 - (at % 50),
      isMedicine ? 51142001 : 53131609,
    ];
  });
  const headings = [
    'SKU',
    'Código de barras',
    'Nombre',
    'Presentación',
    'Marca',
    'Categoría',
    'Principio activo',
    'Fracción',
  ];
  return [[...headings, 'Precio con IVA', 'IVA', 'Existencias', 'c_ClaveProdServ'], ...rows];
}

const chain: PharmacySheet = {
  file: 'cadena.xlsx',
  write: () => workbook(largeRows(LARGE)),
  options: [],
  products: LARGE,
  // 20.00 on the shelf: 17.24 and IVA of 2.7584.
  first: { barcode: toBarcode(10_000), unit: '17.24', total: '40.00' },
};

// "Unicode text" of an English Excel: UTF-16, tabs, own codes without barcodes, prices before IVA.
const perfumery: PharmacySheet = {
  file: 'perfumery.txt',
  write: async () =>
    Buffer.from(
      `\uFEFF${csv(
        'Item code\tProduct name\tPackage size\tManufacturer\tCategory\tUnit price\tVAT\tSAT key\tOn hand',
        'P-1\tCrema facial\tTarro con 50 g\tDermalia\tCuidado facial\tMXN 1,250.00\tyes\t53131613\t3',
        'P-2\tBálsamo labial\tBarra\tDermalia\tCuidado facial\t45.5\tyes\t53131613\t9',
      )}`,
      'utf16le',
    ),
  options: ['--prices', 'without-iva', '--map', 'Package size=presentation'],
  products: 2,
  // The range of GS1 for numbers within a company.
  first: { barcode: '2000000000015', unit: '1250.00', total: '2900.00' },
};

// Exported by a point of sale: it names its separator, has cells of two lines, and says nothing of fractions and SAT.
const corner: PharmacySheet = {
  file: 'esquina.csv',
  write: async () =>
    Buffer.from(
      csv(
        'sep=,',
        'Cod. barras,Producto,Lab.,Familia,Principio activo,Requiere receta,Precio al público,Tasa IVA,Observaciones,,',
        `="${toBarcode(301)}",Metformina 850 mg,Altavera,Diabetes,Metformina,Sí,"$1,118.50",0 %,"Caja\nnueva",,`,
        `${toBarcode(302)},Paracetamol 500 mg,altavera,Dolor,Paracetamol,No,$31.00,Exento,,,`,
        `${toBarcode(303)},Termómetro digital,Altavera,Aparatos,N/A,,$179.00,16,,,`,
      ),
    ),
  options: [
    ...[
      '--map',
      'Precio al público=price',
      '--prices',
      'with-iva',
      '--answer',
      'fraction=IV',
      '--answer',
      'free_fraction=VI',
    ],
    ...['--answer', 'sat_key=51181517', '--answer', 'goods_sat_key=42182201'],
  ],
  products: 3,
  first: { barcode: toBarcode(301), unit: '1118.50', total: '2237.00' },
};

// Kept by hand: headings on the fourth row, formulas, dates, TRUE and FALSE, blanks for what is not known.
const village: PharmacySheet = {
  file: 'pueblo.xlsx',
  write: () =>
    workbook([
      ['Farmacia del Pueblo', null, null, null, null, null, null, null, null],
      ['Actualizado', new Date(Date.UTC(2026, 10, 28)), null, null, null, null, null, null, null],
      [null, null, null, null, null, null, null, null, null],
      ['EAN', 'Producto', 'Línea', 'Sal', 'Grupo sanitario', 'Requiere receta', 'P. venta', 'Grava IVA', 'Caducidad'],
      [
        toBarcode(401),
        'Loratadina 10 mg',
        'Alergia',
        'Loratadina',
        'VI',
        false,
        31.999999999999996,
        false,
        new Date(Date.UTC(2027, 3, 1)),
      ],
      [toBarcode(402), 'Gasa estéril', 'Curación', null, null, null, 12.5, true, null],
    ]),
  options: ['--prices', 'with-iva', '--answer', 'sat_key=51142001', '--answer', 'goods_sat_key=53131609'],
  products: 2,
  first: { barcode: toBarcode(401), unit: '32.00', total: '64.00' },
};

export const PHARMACY_SHEETS: readonly PharmacySheet[] = [sanRafael, chain, perfumery, corner, village];
