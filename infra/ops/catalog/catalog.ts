import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { buildCatalog } from '../../../shared/catalog/compile/compile.ts';
import { isCatalogFile } from '../../../shared/catalog/file/format.ts';
import { toVersion } from '../../../shared/catalog/file/pointer.ts';
import { catalogSchemas } from '../../../shared/catalog/folder/folder.ts';
import { type Command, CommandRefusal, command } from '../command.ts';
import { flag, UsageError } from '../input.ts';
import { withProgress } from '../terminal/progress.ts';
import { catalogActivate } from './activate.ts';
import { catalogCoupons } from './coupons.ts';
import { catalogDiff } from './diff.ts';
import { ALL_ERRORS, listErrors } from './folder-errors.ts';
import { bulleted } from './notes.ts';
import { catalogPublish } from './publish.ts';
import { catalogSearch } from './search.ts';
import { catalogVersions } from './versions.ts';

const catalogSchema = command({
  name: 'catalog schema',
  summary: 'Print the JSON Schema of a record of every file of a catalog folder, or of one of them',
  example: 'products',
  arguments: { file: z.string().optional() },
  async run({ file }) {
    const schemas: Readonly<Record<string, unknown>> = catalogSchemas();
    if (file === undefined) return { document: schemas };
    if (Object.hasOwn(schemas, file)) return { document: schemas[file] };
    throw new UsageError(`There is no file "${file}"; there are ${Object.keys(schemas).join(', ')}.`);
  },
});

const catalogBuild = command({
  name: 'catalog build',
  summary: 'Check a catalog folder and compile it, without publishing',
  example: 'catalogo/ --out catalogo.sqlite',
  arguments: { folder: z.string() },
  options: { out: z.string().meta({ title: 'file' }).optional(), all: flag },
  details: ALL_ERRORS,
  async run({ folder, out, all }, call) {
    if (out !== undefined) refuseForeignFile(out);
    const scratch = await mkdtemp(join(tmpdir(), 'catalog-'));
    const file = out ?? join(scratch, 'catalog.sqlite');
    try {
      const build = await withProgress('Building', call, (onProgress) =>
        buildCatalog(folder, file, { previous: null, now: new Date(), onProgress }),
      );
      if ('errors' in build) return listErrors(build.errors, all ? 'all' : 'the first');
      const version = toVersion(hash('sha256', readFileSync(file)));
      return {
        document: { version, ...build },
        text: `${build.products} products, no errors.\n${bulleted(build.notes)}`,
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

export const catalogCommands: readonly Command[] = [
  catalogSchema,
  catalogBuild,
  catalogDiff,
  catalogPublish,
  catalogVersions,
  catalogActivate,
  catalogSearch,
  catalogCoupons,
];
