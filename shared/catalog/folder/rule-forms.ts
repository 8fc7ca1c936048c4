import type { CatalogFile, CatalogRecord } from './folder.ts';
import type { CatalogFault, RecordLine } from './record-lines.ts';

/** The lines of every file; undefined for one that is missing. */
export type CatalogLines = { readonly [File in CatalogFile]: readonly RecordLine<File>[] | undefined };

/** A rule about a whole catalog, and the faults against it. */
export type Rule = (lines: CatalogLines) => CatalogFault[];

/** The fields of a record that are good by themselves. */
type Fields<File extends CatalogFile> = Partial<CatalogRecord<File>>;

export function fault(file: CatalogFile, line: number, field: string, message: string): CatalogFault {
  return { file: `${file}.jsonl`, line, field, message };
}

/** No two records of a file have the same key; the later ones are at fault. */
export function unique<File extends CatalogFile>(
  file: File,
  field: string,
  keyOf: (fields: Fields<File>) => string | number | null | undefined,
): Rule {
  return (lines) => {
    const firstLines = new Map<string | number, number>();
    return (lines[file] ?? []).flatMap(({ line, fields }) => {
      const key = keyOf(fields);
      if (key == null) return [];
      const first = firstLines.get(key);
      if (first !== undefined) return [fault(file, line, field, `It is the same as in line ${first}.`)];
      firstLines.set(key, line);
      return [];
    });
  };
}

/** Two fields of a record are at odds. */
export function within<File extends CatalogFile>(
  file: File,
  field: string,
  message: string,
  isBroken: (fields: Fields<File>) => boolean,
): Rule {
  return (lines) =>
    (lines[file] ?? []).filter(({ fields }) => isBroken(fields)).map(({ line }) => fault(file, line, field, message));
}

type Reference = readonly [field: string, id: number | null | undefined];

/** Every id names a record of the target; one that has faults of its own will do. */
export function refers<File extends CatalogFile>(
  file: File,
  target: CatalogFile,
  referencesOf: (fields: Fields<File>) => readonly Reference[],
): Rule {
  return (lines) => {
    const known = knownIds(lines[target]);
    if (known === undefined) return [];
    const isDangling = ([, id]: Reference) => typeof id === 'number' && !known.has(id);
    return (lines[file] ?? []).flatMap(({ line, fields }) =>
      referencesOf(fields)
        .filter(isDangling)
        .map(([field, id]) => fault(file, line, field, `There is no record ${id} in ${target}.jsonl.`)),
    );
  };
}

// Undefined while a record has no id that can be made out: it may be the one that is referred to.
function knownIds(lines: readonly RecordLine<CatalogFile>[] | undefined): ReadonlySet<number> | undefined {
  const ids = lines?.map(({ id }) => id);
  return ids?.every((id) => id !== undefined) ? new Set(ids) : undefined;
}
