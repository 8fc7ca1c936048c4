import { writeXlsx } from 'hucre/xlsx';
import { toBarcode } from './barcodes.ts';

/** A sheet as one pharmacy keeps it, with the options of its import. */
export type PharmacySheet = {
  readonly file: string;
  write(): Promise<Uint8Array>;
  readonly options: string;
  readonly products: number;
  /** Its first product: what is published before IVA, and what a quote of two pieces costs. */
  readonly first: { readonly barcode: string; readonly unit: string; readonly total: string };
};

type Value = string | number | boolean | Date | null;
const workbook = (rows: Value[][]) => writeXlsx({ sheets: [{ name: 'Hoja1', rows }] });
const lines = (text: string): string => text.trim().replaceAll('\n', '\r\n');

// Excel in Mexico: semicolons, Windows-1252, a title, amounts in two styles, an empty last column.
const SAN_RAFAEL = `
Farmacia San Rafael;;;;;;;;;;;;
Lista de precios, noviembre de 2026;;;;;;;;;;;;
Clave;CÓDIGO DE BARRAS;Descripción;Laboratorio;Departamento;Sustancia activa;Fracción;¿Receta?;Precio;IVA;Existencia;Clave SAT;
101;${toBarcode(101)};Ácido fólico 5 mg C/20;Genéricos Solmar;Medicamento;Ácido fólico;VI;NO;$ 1,042.27;NO;12;51191905;
102;${toBarcode(102)};AMOXICILINA 500 MG C/12;GENERICOS  SOLMAR;Medicamento;Amoxicilina;IV;SI;1599,85;NO;0;51101511;
103;${toBarcode(103)};"Pañal etapa 3; 40 piezas";Suavín;Bebés;;;NO;$ 189.90;SI;7;53131609;`;

// "Unicode text" of an English Excel: UTF-16, tabs, own codes without barcodes, prices before IVA.
const PERFUMERY = `
Item code|Product name|Package size|Manufacturer|Category|Unit price|VAT|SAT key|On hand
P-1|Crema facial|Tarro con 50 g|Dermalia|Cuidado facial|MXN 1,250.00|yes|53131613|3
P-2|Bálsamo labial|Barra|Dermalia|Cuidado facial|45.5|yes|53131613|9`;

// Exported by a point of sale: it names its separator, has cells of two lines, and says nothing of fractions and SAT.
const CORNER = `
sep=,
Cod. barras,Producto,Lab.,Familia,Principio activo,Requiere receta,Precio al público,Tasa IVA,Observaciones,,
="${toBarcode(301)}",Metformina 850 mg,Altavera,Diabetes,Metformina,Sí,"$1,118.50",0 %,"Caja\nnueva",,
${toBarcode(302)},Paracetamol 500 mg,altavera,Dolor,Paracetamol,No,$31.00,Exento,,,
${toBarcode(303)},Termómetro digital,Altavera,Aparatos,N/A,,$179.00,16,,,`;

// Kept by hand: headings on the fourth row, formulas, dates, TRUE and FALSE, blanks for what is not known.
const VILLAGE: Value[][] = [
  ['Farmacia del Pueblo'],
  ['Actualizado', new Date(Date.UTC(2026, 10, 28))],
  [],
  ['EAN', 'Producto', 'Línea', 'Sal', 'Grupo sanitario', 'Requiere receta', 'P. venta', 'Grava IVA', 'Caducidad'],
  [toBarcode(401), 'Loratadina 10 mg', 'Alergia', 'Loratadina', 'VI', false, 31.999999999999996, false, new Date()],
  [toBarcode(402), 'Gasa estéril', 'Curación', null, null, null, 12.5, true, null],
];

const CHAIN_HEADINGS =
  'SKU|Código de barras|Nombre|Presentación|Marca|Categoría|Principio activo|Fracción|Precio con IVA|IVA|Existencias|c_ClaveProdServ';

/** A row of a chain's workbook: numbers for barcodes, rates and keys; two of three products are medicines. */
function toChainRow(at: number): Value[] {
  const isMedicine = at % 3 > 0;
  const names = [`SKU-${at}`, Number(toBarcode(10_000 + at)), `Producto ${at % 4_000}`, `Caja con ${(at % 30) + 1}`];
  const place = [`Laboratorio ${at % 60}`, `Categoría ${at % 40}`, isMedicine ? `Sustancia ${at % 700}` : ''];
  const law = isMedicine ? ['Fracción VI', 20 + (at % 400) * 1.5, 0] : ['No aplica', 20 + (at % 400) * 1.5, 0.16];
  return [...names, ...place, ...law, 49 - (at % 50), isMedicine ? 51142001 : 53131609];
}
const CHAIN = 5_000;

const ANSWERS =
  '--answer fraction=IV --answer free_fraction=VI --answer sat_key=51181517 --answer goods_sat_key=42182201';

export const PHARMACY_SHEETS: readonly PharmacySheet[] = [
  {
    file: 'san-rafael.csv',
    // Windows-1252 has Spanish letters where Latin-1 has them.
    write: async () => Buffer.from(lines(SAN_RAFAEL), 'latin1'),
    options: '--prices with-iva',
    products: 3,
    first: { barcode: toBarcode(101), unit: '1042.27', total: '2084.54' },
  },
  {
    file: 'cadena.xlsx',
    write: () => workbook([CHAIN_HEADINGS.split('|'), ...Array.from({ length: CHAIN }, (_, at) => toChainRow(at))]),
    options: '',
    products: CHAIN,
    // 20.00 on the shelf: 17.24 and IVA of 2.7584.
    first: { barcode: toBarcode(10_000), unit: '17.24', total: '40.00' },
  },
  {
    file: 'perfumery.txt',
    write: async () => Buffer.from(`\uFEFF${lines(PERFUMERY).replaceAll('|', '\t')}`, 'utf16le'),
    options: '--prices without-iva',
    products: 2,
    // The range of GS1 for numbers within a company.
    first: { barcode: '2000000000015', unit: '1250.00', total: '2900.00' },
  },
  {
    file: 'esquina.csv',
    write: async () => Buffer.from(lines(CORNER)),
    options: `--map Precio_al_público=price --prices with-iva ${ANSWERS}`,
    products: 3,
    first: { barcode: toBarcode(301), unit: '1118.50', total: '2237.00' },
  },
  {
    file: 'pueblo.xlsx',
    write: () => workbook(VILLAGE),
    options: `--prices with-iva ${ANSWERS}`,
    products: 2,
    first: { barcode: toBarcode(401), unit: '32.00', total: '64.00' },
  },
];
