import { COMPARED_KINDS } from '../../../shared/catalog/file/records.ts';
import { countPriceSizes, type Difference } from '../../../shared/catalog/publishing/compare/compare.ts';
import type { FolderError } from '../../../shared/catalog/publishing/folder/record-lines.ts';
import type { Danger } from '../../../shared/catalog/publishing/publish.ts';
import type { CommandIo } from '../context.ts';
import { bulleted, countText, printable, recordTable } from '../output.ts';

const SHOWN_ERRORS = 50;

export const representDifference = ({ kinds, prices }: Difference) => ({
  kinds,
  price_sizes: countPriceSizes(prices).map(({ upToPercent: up_to_percent, ...counts }) => {
    return { up_to_percent, ...counts };
  }),
  prices,
});

export const dangersText = (dangers: readonly Danger[]): string => bulleted(dangers.map(({ message }) => message));

/** Returns a table of the kinds of records that differ, and one of the sizes of the changes of prices. */
export function differenceText({ kinds, prices }: Difference, io: CommandIo): string {
  const rows = COMPARED_KINDS.map((kind) => {
    const { added, removed, changed } = kinds[kind];
    return { kind, added: added.length, removed: removed.length, changed: changed.length };
  }).filter(({ added, removed, changed }) => added + removed + changed > 0);
  return `${recordTable(rows, io) || 'No record differs.\n'}${priceText(prices, io)}`;
}

function priceText(prices: Difference['prices'], io: CommandIo): string {
  const [largest] = prices;
  if (largest === undefined) return '';
  const rows = countPriceSizes(prices)
    .filter(({ raised, lowered }) => raised + lowered > 0)
    .map(({ upToPercent: most, ...counts }) => ({
      price: most === null ? 'more than 3 times' : `up to ${most / 100} times`,
      ...counts,
    }));
  const { kind, id, before, after } = largest;
  return `\n${recordTable(rows, io)}The largest change of a price: ${kind} ${id}, ${before} to ${after}.\n`;
}

/** Returns the errors of files as the result of a command: the first 50 of each field of a file. */
export const toInvalidResult = (errors: readonly FolderError[], consequence = 'nothing was published') => ({
  document: { errors },
  text: errorLines(errors),
  failure: `${countText(errors.length, 'error')}, ${consequence}.`,
});

export const errorLines = (errors: readonly FolderError[]): string =>
  [...Map.groupBy(errors, toKind).values()].map(errorsText).join('');

// Errors of one field of one file are of one kind, and those of whole lines by what they say.
const toKind = ({ file, field, message }: FolderError): string =>
  `${file} ${field.replaceAll(/\[\d+\]/g, '') || message.replaceAll(/\d+/g, '')}`;

function errorsText(errors: readonly FolderError[]): string {
  const { file = '', field = '' } = errors[0] ?? {};
  const rest = errors.length - SHOWN_ERRORS;
  const more = rest > 0 ? `${printable(`${file} ${field}`.trim())}: ${rest} more, which --json lists.\n` : '';
  return `${errors.slice(0, SHOWN_ERRORS).map(errorLine).join('')}${more}`;
}

// Names of fields and files may be anything. A missing file has no line, a missing folder not even a file.
const errorLine = ({ file, line, field, message }: FolderError): string =>
  `${printable(`${file || 'catalog'}${line > 0 ? `:${line}` : ''}${field && ` ${field}`}: ${message}`)}\n`;
