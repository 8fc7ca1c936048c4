import { foldText } from '../../../domain/text.ts';
import type { FolderError } from '../folder/record-lines.ts';
import type { Cell, Sheet, SheetRow } from './sheet.ts';

/** The columns of a product sheet, each with its usual headings in Spanish and English, in the form of `toKey`. */
const HEADINGS = {
  code:
    'code codigo clave cve sku plu id item itemcode productcode codigointerno claveinterna codigoproducto claveproducto idproducto ' +
    'articulo codigoarticulo clavearticulo cvearticulo numarticulo noarticulo referencia',
  barcode: 'barcode barras codigobarras codigobarra codbarras codbarra cb ean ean13 eankey codigoean gtin upc',
  name: 'name nombre producto nombreproducto productname product descripcionproducto descripcionarticulo nombrecomercial medicamento',
  presentation: 'presentation presentacion contenido empaque envase package packaging size',
  laboratory: 'laboratory laboratorio lab marca brand fabricante manufacturer company laboratoriomarca',
  department: 'department departamento depto dpto area linea seccion division',
  category: 'category categoria familia subcategoria clase rubro',
  ingredient:
    'ingredient activeingredient principioactivo sustancia sustanciaactiva sal formula salactiva ingredienteactivo',
  generic: 'generic isgeneric generico esgenerico',
  price: 'price precio precioventa pventa pvp precio1 preciounitario preciolista saleprice sellingprice unitprice',
  public_price: 'publicprice preciopublico preciomaximo preciomaximopublico pmp pmvp',
  cost: 'cost costo unitcost costounitario preciocompra preciocosto ultimocosto',
  iva: 'iva hasiva vat tax tasaiva ivaporcentaje porcentajeiva gravaiva llevaiva causaiva aplicaiva impuesto ivatasa',
  fraction: 'fraction fraccion sanitaryfraction fraccionsanitaria fraccionlgs gruposanitario',
  prescription:
    'prescription requiresprescription rx receta requierereceta conreceta necesitareceta recetamedica requierererecetamedica',
  stock: 'stock existencia existencias inventario disponible qty quantity onhand',
  sat_key: 'satkey clavesat codigosat claveprodserv cclaveprodserv claveproductosat productosat claveproductoservicio',
  sat_unit: 'satunit unidadsat claveunidad cclaveunidad claveunidadsat unidadmedidasat',
  image: 'image imageurl picture imagen urlimagen foto fotografia',
  description: 'description descripcion detalle descripcionlarga',
} as const;

export type ImportField = keyof typeof HEADINGS;
export const IMPORT_FIELDS = Object.keys(HEADINGS) as readonly ImportField[];
/** In `--map`, a heading that no field takes. */
export const NO_FIELD = 'none';
export type Mapping = Readonly<Record<string, ImportField | typeof NO_FIELD>>;
export type Prices = 'with-iva' | 'without-iva';

const FIELDS = new Map(
  IMPORT_FIELDS.flatMap((field) => HEADINGS[field].split(' ').map((heading) => [heading, field] as const)),
);

const SMALL_WORDS = /\b(?:de|del|la|el|los|las|al|por|en|of|the)\b/g;

/** Folds a heading: `Código de barras`, `CODIGO_BARRAS` and `codigo barras` are `codigobarras`. */
const toKey = (heading: Cell): string =>
  foldText(String(heading))
    .replaceAll('_', ' ')
    .replace(SMALL_WORDS, '')
    .replaceAll('%', 'porcentaje')
    .replace(/[^a-z0-9]/g, '');

const WITH_IVA = /(?:c|con|incluye)iva$|ivaincluido$/;
const WITHOUT_IVA = /(?:s|sin|antes)iva$|neto$/;

type Reading = { readonly field: ImportField; readonly prices?: Prices };

/** Returns the field of a heading; a heading of prices may also say whether they include IVA. */
export function readHeading(heading: Cell): Reading | undefined {
  const key = toKey(heading);
  const field = FIELDS.get(key);
  if (field) return { field };
  return readPrice(key, WITH_IVA, 'with-iva') ?? readPrice(key, WITHOUT_IVA, 'without-iva');
}

function readPrice(key: string, ending: RegExp, prices: Prices): Reading | undefined {
  const field = ending.test(key) ? FIELDS.get(key.replace(ending, '')) : undefined;
  return field === 'price' || field === 'public_price' ? { field, prices } : undefined;
}

export type Columns = ReturnType<typeof findColumns>;

// A title, an address and a date may stand above the headings.
const SEARCHED_ROWS = 30;

/** Returns the row with the most known headings among the first. */
export function findHeadings(rows: readonly SheetRow[], toField: (heading: Cell) => string | undefined): SheetRow {
  const countKnown = ({ cells }: SheetRow) => new Set(cells.flatMap((cell) => toField(cell) ?? [])).size;
  const [first = { line: 1, cells: [] }, ...others] = rows.slice(0, SEARCHED_ROWS);
  return others.reduce((best, row) => (countKnown(row) > countKnown(best) ? row : best), first);
}

/**
 * Returns the row of the headings, the place of each field among the cells of a row, and the headings that no field takes. A
 * mapped heading has the field that it is mapped to. `prices` is undefined if no heading says it.
 */
export function findColumns({ file, rows }: Sheet, mapping: Mapping) {
  const mapped = new Map(Object.entries(mapping).map(([heading, field]) => [toKey(heading), field]));
  const read = (heading: Cell): Reading | undefined => {
    const field = mapped.get(toKey(heading));
    return field === undefined ? readHeading(heading) : field === NO_FIELD ? undefined : { field };
  };
  const headings = findHeadings(rows, (heading) => read(heading)?.field);
  const readings = headings.cells.map((heading) => ({ isMapped: mapped.has(toKey(heading)), ...read(heading) }));
  const places = new Map<ImportField, number>();
  const errors: FolderError[] = [];
  readings.forEach(({ isMapped, field }, column) => {
    const rival = field && places.get(field);
    if (field && (rival === undefined || isMapped)) places.set(field, column);
    if (rival === undefined || isMapped || readings[rival]?.isMapped) return;
    const message = `"${headings.cells[rival]}" is read as ${field} too: take one out with --map "<heading>=${NO_FIELD}".`;
    errors.push({ file, line: headings.line, field: nameColumn(headings, column), message });
  });
  const taken = new Set(places.values());
  const unused = headings.cells.filter((heading, column) => heading !== '' && !taken.has(column)).map(String);
  takeInstead(places, 'name', 'description');
  takeInstead(places, 'price', 'public_price');
  return { headings, places, unused, prices: readings[places.get('price') ?? -1]?.prices, errors };
}

/** Many systems have a description of each product and no name, or a price to the public alone. */
function takeInstead(places: Map<ImportField, number>, field: ImportField, other: ImportField): void {
  const column = places.get(other);
  if (column === undefined || places.has(field)) return;
  places.set(field, column);
  places.delete(other);
}

const LETTERS = 26;

/** Names a column as a spreadsheet does, with its heading: `D Precio`. */
export function nameColumn({ cells }: SheetRow, column: number): string {
  const first = column < LETTERS ? '' : String.fromCharCode(64 + Math.floor(column / LETTERS));
  return `${first}${String.fromCharCode(65 + (column % LETTERS))} ${cells[column] ?? ''}`.trim();
}
