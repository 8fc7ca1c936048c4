import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeXlsx } from 'hucre/xlsx';
import * as z from 'zod';
import { zipcode } from '../../../shared/api/fields.ts';
import { DEFAULT_RECORDS, TO_FILL_IN } from '../../../shared/catalog/publishing/folder/record-lines.ts';
import { readFolderState } from '../../../shared/catalog/publishing/import/folder-state.ts';
import { IMPORT_FIELDS, type Mapping, NO_FIELD } from '../../../shared/catalog/publishing/import/headings.ts';
import { importSheet } from '../../../shared/catalog/publishing/import/import.ts';
import {
  ANSWERED_FIELDS,
  describeWrongAnswer,
  type Question,
} from '../../../shared/catalog/publishing/import/questions.ts';
import { readSheet } from '../../../shared/catalog/publishing/import/sheet.ts';
import { nameState } from '../../../shared/people/rules/address.ts';
import { command } from '../command.ts';
import type { CommandResult } from '../context.ts';
import { CommandRefusal, UsageError } from '../errors.ts';
import { writeCsv, writeWhole } from '../files.ts';
import { flag, path } from '../input.ts';
import { bulleted, countText, factLines } from '../output.ts';
import { toCommandLine } from '../target.ts';
import { errorLines } from './versions.ts';

const REJECTED_FILE = 'rechazados.csv';
const MAPPED: readonly string[] = [...IMPORT_FIELDS, NO_FIELD];

const name = z.string().max(100).meta({ title: 'name' });
const prices = z.enum(['with-iva', 'without-iva']);
const pairs = z.array(z.string().max(300)).default([]);
export const sheetOptions = {
  sheet: name.optional().describe('the sheet of a workbook; without it the first'),
  prices: prices.optional().describe('whether the prices of the sheet include IVA of 16 %'),
};

export const catalogImport = command({
  name: 'catalog import',
  summary: 'Make a catalog folder of a spreadsheet of products, or renew it; nothing is published',
  example: 'productos.xlsx --out catalogo/ --prices with-iva --answer iva=not-medicines',
  details: `The same product is known by its barcode, else by its code, and keeps its id from sheet to sheet. What the sheet lacks
stays as it is. Answers and headings are kept in import.json of the folder. It needs neither --local nor --outputs.`,
  positional: ['file'],
  input: z.object({
    file: path('file').optional().describe('a CSV or .xlsx file'),
    out: path('folder').optional().describe('the catalog folder; it need not exist'),
    ...sheetOptions,
    map: pairs.meta({ title: 'heading=field' }).describe(`the field of a heading: ${MAPPED.join(', ')}`),
    answer: pairs.meta({ title: 'field=value' }).describe(`the answer to a question: ${ANSWERED_FIELDS.join(', ')}`),
    partial: flag.describe(`take the rows that are right, and write the others to ${REJECTED_FILE} in the folder`),
    template: path('file').optional().describe('write a sheet to begin with, as .xlsx or .csv'),
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
    if (result.files) await writeFolder(out, result);
    return toResult(result.report, toCommandLine(`catalog build ${out}`, context));
  },
});

const describeWrongField = (_: string, field: string): string | undefined =>
  MAPPED.includes(field) ? undefined : `<heading>=<field>, the field one of ${MAPPED.join(', ')}`;

type Describe = (key: string, value: string) => string | undefined;

/** Splits `a=b` at its last `=`; `describe` returns what is expected instead. */
function toEntries(words: readonly string[], option: string, describe: Describe): Readonly<Record<string, string>> {
  const entries = words.map((word) => word.split(/=(?=[^=]*$)/).map((part) => part.trim()));
  const wrong = entries.flatMap(([key = '', value = ''], at) => {
    const expected = describe(key, value);
    return expected === undefined ? [] : [`${option} ${words[at]}: It must be ${expected}.`];
  });
  if (wrong.length > 0) throw new UsageError(wrong.join('\n'));
  return Object.fromEntries(entries);
}

async function writeFolder(folder: string, { files, rejected }: Import): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of files ?? []) {
    const file = join(folder, name);
    if (!existsSync(file) || !readFileSync(file).equals(Buffer.from(content))) await writeWhole(file, [content]);
  }
  const file = join(folder, REJECTED_FILE);
  await (rejected.length > 1 ? writeCsv(file, [rejected]) : rm(file, { force: true }));
}

type Import = ReturnType<typeof importSheet>;
type Report = Import['report'];

function toResult(report: Report, next: string): CommandResult {
  const { errors, questions, unused, unmet_prices, own_barcodes, absent, ...facts } = report;
  const unmet = unmet_prices.map(({ row, shelf, charged }) => `row ${row} (${shelf}, charged ${charged})`);
  const notes = [
    ...listed(unused, 'Headings that no field takes'),
    ...listed(unmet, 'Prices that no price before IVA gives'),
    ...listed(own_barcodes, 'Products without a barcode got one for use within a company, in rows'),
    ...listed(absent, 'Products of the folder that the sheet lacks stay as they are, by id'),
  ];
  const text = `${factLines(facts)}${bulleted(notes)}${errorLines(errors)}${questions.map(questionText).join('')}`;
  if (report.products !== null) return { document: report, text, remark: `Next: ${next}` };
  const reasons = [countText(errors.length, 'error'), countText(questions.length, 'question')].join(' and ');
  return { document: report, text, failure: `${reasons}: nothing was written.` };
}

const NAMED = 10;

function listed(items: readonly (string | number)[], what: string): string[] {
  if (items.length === 0) return [];
  const more = items.length > NAMED ? `, and ${items.length - NAMED} more` : '';
  return [`${what}: ${items.slice(0, NAMED).join(', ')}${more}.`];
}

function questionText({ field, question, answers, rows }: Question): string {
  const where = listed(rows, countText(rows.length, 'row')).map(
    (row) => ` ${row} Answer: --answer ${field}=${answers}`,
  );
  return `? ${field}: ${question}${where.join('')}\n`;
}

async function writeTemplate(file: string): Promise<CommandResult> {
  const { rows } = await readSheet(join(import.meta.dirname, 'plantilla.csv'));
  const cells = rows.map((row) => [...row.cells]);
  const isWorkbook = file.toLowerCase().endsWith('.xlsx');
  await (isWorkbook
    ? writeWhole(file, [await writeXlsx({ sheets: [{ name: 'Productos', rows: cells }] })])
    : writeCsv(file, [cells]));
  return { document: { file }, remark: 'Replace its products by yours.' };
}

export const catalogInit = command({
  name: 'catalog init',
  summary: 'Write the files of a catalog folder that its owner fills in: a store, a delivery rate, ways to pay',
  example: 'catalogo/ --zipcode 06700',
  details: 'Files that are there already stay as they are. README.md in the folder explains them.',
  positional: ['folder'],
  input: z.object({ folder: path('folder'), zipcode: zipcode.meta({ title: '06700' }).describe('that of the store') }),
  async run({ folder, zipcode }, context) {
    const state = nameState(zipcode);
    if (state === undefined) throw new CommandRefusal(`No state has the zip code ${zipcode}.`);
    await mkdir(folder, { recursive: true });
    const files = Object.entries(listFiles(zipcode, state)).filter(([name]) => !existsSync(join(folder, name)));
    for (const [name, content] of files) await writeWhole(join(folder, name), [content]);
    const next = toCommandLine(`catalog import <sheet> --out ${folder}`, context);
    const remark = `Fill in what says ${TO_FILL_IN}, and the phone. Next: ${next}`;
    return { document: { folder, files: files.map(([name]) => name) }, remark };
  },
});

function listFiles(zipcode: string, state: string): Record<string, string> {
  const region = zipcode.slice(0, 2);
  const store = {
    ...{ id: 1, company_name: TO_FILL_IN, business_hours: TO_FILL_IN, name: 'Matriz', street: TO_FILL_IN },
    ...{ exterior_number: TO_FILL_IN, neighborhood: TO_FILL_IN, city: TO_FILL_IN, state, country: 'México', zipcode },
    phone: '+525500000000',
  };
  const delivery = {
    id: 2,
    company: 'Reparto a domicilio',
    method: 'default',
    min_delivery_days: 0,
    max_delivery_days: 1,
  };
  const rate = { id: 1, shipping_method: 2, zip_from: `${region}000`, zip_to: `${region}999`, price: '49.00' };
  return {
    'stores.jsonl': toLines([store]),
    'shipping_methods.jsonl': toLines([...(DEFAULT_RECORDS.shipping_methods ?? []), delivery]),
    'shipping_rates.jsonl': toLines([rate]),
    'payment_methods.jsonl': toLines(DEFAULT_RECORDS.payment_methods ?? []),
    'README.md': readFileSync(join(import.meta.dirname, 'folder-readme.md'), 'utf8'),
  };
}

const toLines = (records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');
