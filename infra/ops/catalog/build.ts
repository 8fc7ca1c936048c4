import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { buildCatalog } from '../../../shared/catalog/compile/compile.ts';
import { isCatalogFile } from '../../../shared/catalog/file/format.ts';
import { toVersion } from '../../../shared/catalog/file/pointer.ts';
import { downloadSnapshot, readPointer } from '../../../shared/catalog/publish/versions.ts';
import { CommandRefusal, command } from '../command.ts';
import { flag } from '../input.ts';
import { withProgress } from '../terminal/progress.ts';
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
  async run({ folder, csv, out, ontoCurrent, all }, call) {
    if (out !== undefined) refuseForeignFile(out);
    const scratch = await mkdtemp(join(tmpdir(), 'catalog-'));
    const file = out ?? join(scratch, 'catalog.sqlite');
    try {
      const base = ontoCurrent ? await downloadBase(scratch) : { previous: null };
      const build = await withProgress('Building', call, (onProgress) =>
        buildCatalog(folder, file, { ...base, csv, onProgress }),
      );
      if ('errors' in build) return listErrors(build.errors, all ? 'all' : 'the first');
      const version = toVersion(hash('sha256', readFileSync(file)));
      return {
        document: { version, ...build },
        text: `Version ${version}: ${build.products} products, no errors.\n${bulleted(build.notes)}`,
      };
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  },
});

function refuseForeignFile(file: string): void {
  if (existsSync(file) && !isCatalogFile(file))
    throw new CommandRefusal(`${file} is there already and is no catalog: name another file.`);
}

// A record that has changed since the current version gets the time of the build, as it does when it is published.
async function downloadBase(scratch: string): Promise<{ previous: string; now: Date }> {
  const bucket = catalogBucket();
  const { pointer } = await readPointer(bucket);
  const previous = pointer && (await downloadSnapshot(bucket, pointer, join(scratch, 'current.sqlite')));
  if (!previous) throw new CommandRefusal('No version is current, or its snapshot is missing or damaged.');
  return { previous, now: new Date() };
}
