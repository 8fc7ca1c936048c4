import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { buildCatalog, type Compilation, type FolderErrors } from '../../../shared/catalog/compile/compile.ts';
import { isCatalogFile, toVersion } from '../../../shared/catalog/file/snapshot.ts';
import { inScratch } from '../../../shared/catalog/publish/local-files.ts';
import { downloadSnapshot, readPointer } from '../../../shared/catalog/publish/versions.ts';
import { type Call, CommandRefusal, command } from '../command.ts';
import { flag } from '../input.ts';
import { untilInterrupted } from '../terminal/interrupt.ts';
import { withProgress } from '../terminal/progress.ts';
import { writeWhole } from '../terminal/whole-file.ts';
import { CSV, csvFile } from './csv-option.ts';
import { ALL_ERRORS, listErrors } from './folder-errors.ts';
import { bulleted } from './notes.ts';
import { catalogBucket } from './published-catalog.ts';

export const catalogBuild = command({
  name: 'catalog build',
  effect: 'reads',
  summary: 'Check a catalog folder and compile it, without publishing',
  example: 'catalogo/ --out catalogo.sqlite',
  arguments: { folder: z.string() },
  options: { out: z.string().meta({ title: 'file' }).optional(), csv: csvFile, ontoCurrent: flag, all: flag },
  details: `  --out             write the compiled catalog, which \`catalog publish\` takes
${CSV}  --onto-current    keep the times of unchanged records and the withdrawn products of the current version
${ALL_ERRORS}`,
  run: (input, call) => untilInterrupted((signal) => build(input, call, signal)),
});

type BuildInput = {
  readonly folder: string;
  readonly out: string | undefined;
  readonly csv: string | undefined;
  readonly ontoCurrent: boolean;
  readonly all: boolean;
};

async function build({ out, all, ...source }: BuildInput, call: Call, signal: AbortSignal) {
  if (out !== undefined) refuseForeignFile(out);
  const compiled = await compile(source, call, signal);
  if ('errors' in compiled) return listErrors(compiled.errors, all ? 'all' : 'the first');
  const { bytes, ...built } = compiled;
  signal.throwIfAborted();
  if (out !== undefined) await writeWhole(out, [bytes]);
  const version = toVersion(hash('sha256', bytes));
  return {
    document: { version, ...built },
    text: `Version ${version}: ${built.products} products, no errors.\n${bulleted(built.notes)}`,
  };
}

async function compile(
  { folder, csv, ontoCurrent }: Omit<BuildInput, 'out' | 'all'>,
  call: Call,
  signal: AbortSignal,
): Promise<FolderErrors | (Compilation & { readonly bytes: Buffer })> {
  return inScratch(async (scratch) => {
    const file = join(scratch, 'catalog.sqlite');
    const base = ontoCurrent ? await downloadBase(scratch, signal) : { previous: null };
    const built = await withProgress('Building', call, (onProgress) =>
      buildCatalog(folder, file, { ...base, csv, onProgress, signal }),
    );
    return 'errors' in built ? built : { ...built, bytes: readFileSync(file) };
  });
}

function refuseForeignFile(file: string): void {
  if (existsSync(file) && !isCatalogFile(file))
    throw new CommandRefusal(`${file} is there already and is no catalog: name another file.`);
}

// A record that has changed since the current version gets the time of the build, as it does when it is published.
async function downloadBase(scratch: string, signal: AbortSignal): Promise<{ previous: string; now: Date }> {
  const bucket = catalogBucket();
  const { pointer } = await readPointer(bucket);
  signal.throwIfAborted();
  const previous = pointer && (await downloadSnapshot(bucket, pointer, join(scratch, 'current.sqlite')));
  if (!previous) throw new CommandRefusal('No version is current, or its snapshot is missing or damaged.');
  return { previous, now: new Date() };
}
