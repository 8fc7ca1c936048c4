import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeXlsx } from 'hucre/xlsx';
import * as z from 'zod';
import { readFolderState } from '../../../shared/catalog/publishing/import/folder-state.ts';
import { IMPORT_FIELDS, type Mapping, NO_FIELD } from '../../../shared/catalog/publishing/import/headings.ts';
import { type Import, importSheet } from '../../../shared/catalog/publishing/import/import.ts';
import {
  ANSWERED_FIELDS,
  describeWrongAnswer,
  type Question,
} from '../../../shared/catalog/publishing/import/questions.ts';
import { readSheet } from '../../../shared/catalog/publishing/import/sheet.ts';
import { command } from '../command.ts';
import type { CommandResult } from '../context.ts';
import { UsageError } from '../errors.ts';
import { writeCsv, writeWhole } from '../files.ts';
import { flag, path } from '../input.ts';
import { bulleted, countText } from '../output.ts';
import { toCommandLine } from '../target.ts';
import { errorLines } from './difference.ts';

const REJECTED_FILE = 'rechazados.csv';
export const sheetOptions = {
  sheet: z
    .string()
    .max(100)
    .optional()
    .meta({ title: 'name' })
    .describe('the sheet of a workbook; without it the first'),
  prices: z
    .enum(['with-iva', 'without-iva'])
    .optional()
    .describe('whether the prices of the sheet include IVA of 16 %'),
};

export const catalogImport = command({
  name: 'catalog import',
  summary: 'Make a catalog folder of a spreadsheet of products, or renew it; nothing is published',
  example: 'productos.xlsx --out catalogo/ --prices with-iva --answer iva=not-medicines',
  details: `The same product is known by its barcode, else by its code, and keeps its id from sheet to sheet. What the sheet lacks
stays as it is. Answers and headings are kept in import.json of the folder. It needs neither --local nor --outputs.

`,
  positional: ['file'],
  input: z.object({
    file: path('file').optional().describe('a CSV or .xlsx file'),
    out: path('folder').optional().describe('the catalog folder; it need not exist'),
    ...sheetOptions,
    map: z
      .array(z.string().max(300))
      .default([])
      .meta({ title: 'heading=field' })
      .describe(`the field of a heading: ${[...IMPORT_FIELDS, NO_FIELD].join(', ')}`),
    answer: z
      .array(z.string().max(300))
      .default([])
      .meta({ title: 'field=value' })
      .describe(`the answer to a question: ${ANSWERED_FIELDS.join(', ')}`),
    partial: flag.describe(`take the rows that are right, and write the others to ${REJECTED_FILE} in the folder`),
    template: path('file')
      .optional()
      .describe('write a sheet with the usual headings and three products: .xlsx or .csv'),
  }),
  check({ file, out, template }) {
    if (template === undefined && (file === undefined || out === undefined))
      throw new UsageError('Give <file> with --out, or --template.');
  },
  async run({ file = '', out = '', sheet, template, partial, ...input }, context): Promise<CommandResult> {
    if (template !== undefined) return writeTemplate(template);
    const answers = toEntries(input.answer, '--answer', describeWrongAnswer);
    const map = toEntries(input.map, '--map', describeWrongField) as Mapping;
    const options = { prices: input.prices, map, answers, isPartial: partial };
    const result = importSheet(await readSheet(file, sheet), readFolderState(out), options);
    if (result.files) await writeFolder(out, result.files, result);
    return toResult(result, out, toCommandLine(`catalog build ${out}`, context));
  },
});

const MAPPED: readonly string[] = [...IMPORT_FIELDS, NO_FIELD];
const describeWrongField = (_: string, field: string): string | undefined =>
  MAPPED.includes(field) ? undefined : `<heading>=<field>, the field one of ${MAPPED.join(', ')}`;

/** Splits `a=b` at its last `=`; `describe` returns what is expected instead. */
function toEntries(
  words: readonly string[],
  option: string,
  describe: (key: string, value: string) => string | undefined,
): Readonly<Record<string, string>> {
  const entries = words.map((word) => {
    const at = word.lastIndexOf('=');
    return [word.slice(0, at).trim(), word.slice(at + 1).trim()] as const;
  });
  const wrong = entries.flatMap(([key, value], at) => {
    const expected = describe(key, value);
    return expected === undefined ? [] : [`${option} ${words[at]}: It must be ${expected}.`];
  });
  if (wrong.length > 0) throw new UsageError(wrong.join('\n'));
  return Object.fromEntries(entries);
}

/** Writes the files that change, and the rejected rows with their reasons. */
async function writeFolder(
  folder: string,
  files: NonNullable<Import['files']>,
  { headings, rejected }: Import,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of files) {
    const file = join(folder, name);
    if (!existsSync(file) || readFileSync(file, 'utf8') !== content) await writeWhole(file, [content]);
  }
  const file = join(folder, REJECTED_FILE);
  await (rejected.length > 0 ? writeCsv(file, [[[...headings, 'motivo'], ...rejected]]) : rm(file, { force: true }));
}

function toResult({ files, headings, renewal, rejected, ...found }: Import, out: string, next: string): CommandResult {
  const {
    records,
    codes: _,
    unmetPrices: unmet_prices = [],
    ownBarcodes: own_barcodes = [],
    ...counts
  } = renewal ?? {};
  const products = records?.products.length ?? null;
  const document = { products, ...counts, rejected: rejected.length, unmet_prices, own_barcodes, ...found };
  const { errors, questions, answered, absent } = found;
  const notes = [
    ...describeColumns(found),
    ...Object.entries(answered).map(([field, rows]) => `Your answer to ${field} holds for ${countText(rows, 'row')}.`),
    ...listed(unmet_prices.map(unmetText), 'Prices that no price before IVA gives'),
    ...listed(own_barcodes, 'Products without a barcode got one for use within a company, in rows'),
    ...listed(absent, 'Products of the folder that the sheet lacks stay as they are, by id'),
    ...(files && rejected.length > 0 ? [`Rows in ${join(out, REJECTED_FILE)}: ${rejected.length}.`] : []),
  ];
  const text = `${bulleted(notes)}${errorLines(errors)}${questions.map(questionText).join('')}`;
  if (renewal) {
    const sum = `${products} products: ${renewal.added} new, ${renewal.changed} changed, ${renewal.unchanged} as before.`;
    return { document, text: `${out}: ${sum}\n${text}Next: ${next}\n` };
  }
  const reasons = [countText(errors.length, 'error'), countText(questions.length, 'question')].join(' and ');
  return { document, text, failure: `${reasons}: nothing was written.` };
}

const NAMED = 10;

function listed(items: readonly (string | number)[], what: string): string[] {
  if (items.length === 0) return [];
  const more = items.length > NAMED ? `, and ${items.length - NAMED} more` : '';
  return [`${what}: ${items.slice(0, NAMED).join(', ')}${more}.`];
}

const describeColumns = ({ columns, unused }: Pick<Import, 'columns' | 'unused'>): string[] => [
  `Columns: ${Object.entries(columns)
    .map(([heading, field]) => `${heading} is ${field}`)
    .join(', ')}.`,
  ...listed(unused, 'Headings that no field takes'),
];

const unmetText = ({ row, shelf, charged }: NonNullable<Import['renewal']>['unmetPrices'][number]): string =>
  `row ${row} (${shelf}, charged ${charged})`;

const questionText = ({ field, question, answers, rows }: Question): string => {
  const where =
    rows.length === 0
      ? ''
      : ` ${listed(rows, `${countText(rows.length, 'row')}`)[0]} Answer: --answer ${field}=${answers}`;
  return `? ${field}: ${question}${where}\n`;
};

// Its first line has the headings.
const TEMPLATE = `\
Código|Código de barras|Nombre|Presentación|Laboratorio|Departamento|Categoría|Principio activo|Fracción|Requiere receta|Precio con IVA|IVA|Costo|Existencia|Clave SAT|Unidad SAT
A-001|7509999000013|Paracetamol 500 mg|Caja con 20 tabletas|Genéricos Solmar|Farmacia|Analgésicos|Paracetamol|VI|NO|28.50|NO|18.81|40|51142001|H87
A-002|7509999000150|Amoxicilina 500 mg|Caja con 12 cápsulas|Genéricos Solmar|Farmacia|Antibióticos|Amoxicilina|IV|SI|64.00|NO|42.24|25|51101511|H87
B-001|7509999001249|Protector solar FPS 50|Tubo con 50 mL|Dermalia|Cuidado personal|Protección solar|||NO|381.64|SI|217.14|6|53131609|H87`
  .split('\n')
  .map((line) => line.split('|'));

async function writeTemplate(file: string): Promise<CommandResult> {
  const isWorkbook = file.toLowerCase().endsWith('.xlsx');
  if (isWorkbook) await writeWhole(file, [await writeXlsx({ sheets: [{ name: 'Productos', rows: TEMPLATE }] })]);
  else await writeCsv(file, [TEMPLATE]);
  return { document: { file }, text: `Wrote ${file}: replace its products by yours.\n` };
}
