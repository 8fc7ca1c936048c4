import type { FolderError } from '../../../shared/catalog/folder/check.ts';
import { printable } from '../terminal/text-table.ts';

export const ALL_ERRORS = `  --all             list all errors, not only 50 of each kind
`;

/** Returns the errors of a folder as the result of a command; `--json` has all of them. */
export const listErrors = (errors: readonly FolderError[], shown: 'the first' | 'all') => ({
  document: { errors },
  text: shown === 'all' ? errors.map(toLine).join('') : firstOfEachKind(errors),
  failure: `${errors.length === 1 ? '1 error' : `${errors.length} errors`}, nothing was published.`,
});

const SHOWN = 50;

// Errors of one field of one file are of one kind, and those of whole lines by what they say.
const toKind = ({ file, field, message }: FolderError): string =>
  `${file} ${field.replaceAll(/\[\d+\]/g, '') || message.replaceAll(/\d+/g, '')}`;

function firstOfEachKind(errors: readonly FolderError[]): string {
  const kinds = [...Map.groupBy(errors, toKind).values()];
  const shown = new Set(kinds.flatMap((kind) => kind.slice(0, SHOWN)));
  const rest = kinds.filter((kind) => kind.length > SHOWN).map((kind) => describeRest(kind));
  return [...errors.filter((error) => shown.has(error)).map(toLine), ...rest].join('');
}

function describeRest(kind: readonly FolderError[]): string {
  const { file = '', field = '' } = kind[0] ?? {};
  return `${printable(`${file} ${field}`.trim())}: ${kind.length - SHOWN} more of this kind, which --all lists.\n`;
}

// Names of fields and files may be anything.
const toLine = (error: FolderError): string => `${printable(`${formatPlace(error)}: ${error.message}`)}\n`;

// A missing file has no line, a missing folder not even a file.
const formatPlace = ({ file, line, field }: FolderError): string =>
  `${file || 'catalog'}${line > 0 ? `:${line}` : ''}${field && ` ${field}`}`;
