import type { FolderError } from '../folder/record-lines.ts';
import { type Draft, readDrafts } from './drafts.ts';
import { type FolderState, type ImportMemory, MEMORY_FILE, RENEWED_FILES, type StoredRecords } from './folder-state.ts';
import { type Columns, findColumns, type ImportField, type Mapping, nameColumn, type Prices } from './headings.ts';
import { type Answers, askQuestions, describeWrongAnswer, type Question } from './questions.ts';
import { renewRecords } from './records.ts';
import type { Sheet } from './sheet.ts';
import type { DecimalSign } from './values.ts';

export type ImportOptions = {
  readonly prices?: Prices | undefined;
  readonly map: Mapping;
  readonly answers: Answers;
  /** Take the rows that are right, and reject the others. */
  readonly isPartial: boolean;
};

/**
 * Reads a sheet into what a catalog folder becomes by it: the contents of its files by name, in the order in which they are to
 * be written, or null while errors and questions are in the way. The rows that are not right are returned under their headings,
 * with the reason as the last cell. The same sheet, folder and options give the same files.
 */
export function importSheet(sheet: Sheet, state: FolderState, options: ImportOptions) {
  const map = { ...state.memory.map, ...options.map };
  const known = Object.entries({ ...state.memory.answers, ...options.answers });
  const answers: Answers = Object.fromEntries(known.filter(([field, answer]) => !describeWrongAnswer(field, answer)));
  const columns = findColumns(sheet, map);
  const { headings, places } = columns;
  const prices = options.prices ?? columns.prices ?? state.memory.prices;
  const drafts =
    places.size < 2 ? [] : readDrafts(sheet.rows, columns, state, answers.decimals as DecimalSign | undefined);
  const { questions, answered } = askQuestions(drafts, answers, options.answers);
  const sheetErrors = [...state.errors, ...sheet.errors, ...findSheetErrors(sheet, columns, drafts)];
  const isOpen = places.has('price') && prices === undefined;
  const [right, wrong] = [drafts.filter(isRight), drafts.filter((draft) => !isRight(draft))];
  const isRefused = sheetErrors.length > 0 || isOpen || right.length === 0 || (wrong.length > 0 && !options.isPartial);
  const { records, codes = {}, report } = isRefused ? {} : renewRecords(right, state, prices);
  const imported = new Set(drafts.map(({ known }) => known?.product.id));
  return {
    report: {
      products: records?.products.length ?? null,
      ...{ added: 0, changed: 0, unchanged: 0, unmet_prices: [], own_barcodes: [], ...report },
      rejected: wrong.length,
      /** Products of the folder that the sheet lacks: they stay. */
      absent: state.products.filter(({ id }) => !imported.has(id)).map(({ id }) => id),
      columns: Object.fromEntries([...places].map(([field, at]) => [nameColumn(headings, at), field])),
      unused: columns.unused,
      answered,
      questions: [...(isOpen ? [PRICES_QUESTION] : []), ...questions],
      errors: [...sheetErrors, ...wrong.flatMap((draft) => toErrors(draft, sheet, columns))],
    },
    rejected: [
      [...headings.cells, 'motivo'],
      ...wrong.map((draft) => [...headings.cells.map((_, at) => draft.row.cells[at] ?? ''), explain(draft)]),
    ],
    files: records ? toFiles(records, { ...(prices && { prices }), map, answers, codes }) : null,
  };
}

const PRICES_QUESTION: Question = {
  field: 'prices',
  question: 'Do the prices of the sheet include IVA? Say --prices with-iva or --prices without-iva.',
  answers: 'with-iva|without-iva',
  rows: [],
};

const isRight = ({ faults, open }: Draft): boolean => faults.length === 0 && open.size === 0;

const explain = ({ faults, open }: Draft): string =>
  [...faults.map(({ field, message }) => `${field}: ${message}`), ...[...open].map((field) => `${field}?`)].join(' ');

function toErrors({ row, faults }: Draft, { file }: Sheet, { headings, places }: Columns): FolderError[] {
  return faults.map(({ field, message }) => {
    const column = places.get(field);
    return { file, line: row.line, field: column === undefined ? field : nameColumn(headings, column), message };
  });
}

const NO_HEADINGS =
  'None of the first 30 rows has two headings that are known, such as Código de barras, Nombre, Precio: name yours with --map.';

function findSheetErrors(
  { file, rows }: Sheet,
  { headings, places, errors }: Columns,
  drafts: readonly Draft[],
): FolderError[] {
  const toError = (message: string): FolderError => ({ file, line: headings.line, field: '', message });
  if (rows.length === 0) return [toError('It has no rows.')];
  if (places.size < 2) return [toError(NO_HEADINGS)];
  const needed: readonly ImportField[] = drafts.some(({ known }) => !known) ? ['name', 'price'] : [];
  const lacking: string[] = needed.filter((field) => !places.has(field));
  if (!places.has('barcode') && !places.has('code')) lacking.push('barcode (or code)');
  if (lacking.length > 0)
    return [...errors, toError(`No column has the ${lacking.join(', ')}: name it with --map "<heading>=<field>".`)];
  return drafts.length === 0 ? [toError('There are no rows below the headings.')] : [...errors];
}

/** The memory comes first: after a write that was cut off, a repetition finds the products of the first. */
function toFiles(records: StoredRecords, memory: ImportMemory): Map<string, string> {
  const lines = RENEWED_FILES.map(
    (file) => [`${file}.jsonl`, records[file].map((record) => `${JSON.stringify(record)}\n`).join('')] as const,
  );
  return new Map([[MEMORY_FILE, `${JSON.stringify(memory, null, 2)}\n`], ...lines]);
}
