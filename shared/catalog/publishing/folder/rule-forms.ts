import type { CatalogFile, CatalogRecord } from './folder.ts';
import type { FolderError, RecordLine } from './record-lines.ts';

/** Undefined for a missing file. */
export type CatalogLines = { readonly [File in CatalogFile]: readonly RecordLine<File>[] | undefined };

export type Rule = (lines: CatalogLines) => FolderError[];

type Fields<File extends CatalogFile> = Partial<CatalogRecord<File>>;

type Placed = Pick<RecordLine<CatalogFile>, 'line' | 'table'>;

/** Returns where a field is written: in its kind's file or in a CSV file. */
function placeField(file: CatalogFile, { line, table }: Placed, field: string): { file: string; line: number } {
  const isOfTable = table?.columns.has(field.replace(/[.[].*/, ''));
  return table && isOfTable ? { file: table.file, line: table.line } : { file: `${file}.jsonl`, line };
}

export function folderError(file: CatalogFile, record: Placed, field: string, message: string): FolderError {
  return { ...placeField(file, record, field), field, message };
}

/** Requires unique keys within a file; reports the later ones. */
export function requireUnique<File extends CatalogFile>(
  file: File,
  field: string,
  toKey: (fields: Fields<File>) => string | number | null | undefined,
): Rule {
  return (lines) => {
    const firsts = new Map<string | number, Placed>();
    return (lines[file] ?? []).flatMap((record) => {
      const key = toKey(record.fields);
      if (key == null) return [];
      const first = firsts.get(key);
      if (first === undefined) {
        firsts.set(key, record);
        return [];
      }
      const place = placeField(file, record, field);
      const { file: other, line } = placeField(file, first, field);
      const message = `It is the same as in line ${line}${other === place.file ? '' : ` of ${other}`}.`;
      return [{ ...place, field, message }];
    });
  };
}

export function rejectIf<File extends CatalogFile>(
  file: File,
  field: string,
  message: string,
  isBroken: (fields: Fields<File>) => boolean,
): Rule {
  return (lines) =>
    (lines[file] ?? [])
      .filter(({ fields }) => isBroken(fields))
      .map((record) => folderError(file, record, field, message));
}

type Link = readonly [field: string, id: number | null | undefined];

/** Requires every id to name a record of the target file; that record may have errors. */
export function requireLinks<File extends CatalogFile>(
  file: File,
  target: CatalogFile,
  listLinks: (fields: Fields<File>) => readonly Link[],
): Rule {
  return (lines) => {
    // A record with an unreadable id may be the one referred to, but hides no other error.
    const ids = new Set(lines[target]?.map((line) => line.id));
    if (lines[target] === undefined) return [];
    const isDangling = ([, id]: Link) => typeof id === 'number' && !ids.has(id);
    return (lines[file] ?? []).flatMap((record) =>
      listLinks(record.fields)
        .filter(isDangling)
        .map(([field, id]) => folderError(file, record, field, `There is no record ${id} in ${target}.jsonl.`)),
    );
  };
}
