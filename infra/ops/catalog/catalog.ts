import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { buildCatalog, type Compilation } from '../../../shared/catalog/compile/compile.ts';
import type { FolderError } from '../../../shared/catalog/folder/check.ts';
import { catalogSchemas } from '../../../shared/catalog/folder/folder.ts';
import { type Activation, activateVersion, publishCatalog } from '../../../shared/catalog/publish/publish.ts';
import { listVersions } from '../../../shared/catalog/publish/versions.ts';
import { type Command, CommandRefusal, type CommandResult, command } from '../command.ts';
import { UsageError } from '../input.ts';
import { withProgress } from '../terminal/progress.ts';
import { catalogCoupons } from './coupons.ts';
import { catalogBucket } from './published-catalog.ts';

const OVERTAKEN = 'Somebody else published meanwhile: the catalog stays as they left it.';

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
  options: { out: z.string().meta({ title: 'file' }).optional() },
  async run({ folder, out }, call) {
    const scratch = await mkdtemp(join(tmpdir(), 'catalog-'));
    try {
      const build = await withProgress('Building', call, (onProgress) =>
        buildCatalog(folder, out ?? join(scratch, 'catalog.sqlite'), { previous: null, now: new Date(), onProgress }),
      );
      if ('errors' in build) return listErrors(build.errors);
      return { document: build, text: `${build.products} products, no errors.\n${bulleted(build.notes)}` };
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  },
});

const catalogPublish = command({
  name: 'catalog publish',
  summary: 'Check a catalog folder, publish it and make it the current catalog',
  example: 'catalogo/',
  arguments: { folder: z.string() },
  async run({ folder }, call) {
    const bucket = catalogBucket();
    const publication = await withProgress('Publishing', call, (onProgress) =>
      publishCatalog({ folder, bucket, now: new Date(), onProgress }),
    );
    if (publication.outcome === 'invalid') return listErrors(publication.errors);
    const { outcome, version, notes } = publication;
    if (outcome === 'overtaken') throw new CommandRefusal(OVERTAKEN);
    const sentence =
      outcome === 'unchanged'
        ? `Version ${version} is the current catalog already: only its date is new (${countProducts(publication)}).`
        : `Published version ${version}: ${countProducts(publication)}.`;
    return { document: publication, text: `${sentence}\n${bulleted(notes)}` };
  },
});

const catalogVersions = command({
  name: 'catalog versions',
  summary: 'List the published versions, the newest first',
  async run() {
    const { current = null, versions } = await listVersions(catalogBucket());
    const lines = versions.map(({ version, published_at, products, compressed_bytes }) => {
      const mark = version === current ? '*' : ' ';
      return `${mark} ${version}  ${published_at}  ${products} products  ${Math.ceil(compressed_bytes / 1024)} kB\n`;
    });
    return { document: { current, versions }, text: lines.join('') || 'No catalog was published yet.\n' };
  },
});

const REFUSED_ACTIVATIONS: Partial<Record<Activation, string>> = {
  unknown: 'There is no such version: `catalog versions` lists them.',
  damaged: 'The snapshot of this version is missing or damaged: publish its folder again.',
  overtaken: OVERTAKEN,
};

const catalogActivate = command({
  name: 'catalog activate',
  summary: 'Go back to a version that was published before',
  example: '0123456789abcdef',
  arguments: { version: z.string() },
  async run({ version }) {
    const outcome = await activateVersion(version, catalogBucket(), new Date());
    const refused = REFUSED_ACTIVATIONS[outcome];
    if (refused) throw new CommandRefusal(refused);
    const already = outcome === 'unchanged' ? ' already' : '';
    return { document: { outcome, version }, text: `Version ${version} is the current catalog${already}.\n` };
  },
});

const listErrors = (errors: readonly FolderError[]): CommandResult => ({
  document: { errors },
  text: errors.map((error) => `${formatPlace(error)}: ${error.message}\n`).join(''),
  failure: `${errors.length === 1 ? '1 error' : `${errors.length} errors`}, nothing was published.`,
});

// A missing file has no line, a missing folder not even a file.
const formatPlace = ({ file, line, field }: FolderError): string =>
  `${file || 'catalog'}${line > 0 ? `:${line}` : ''}${field && ` ${field}`}`;

const countProducts = ({ products, withdrawn }: Compilation): string =>
  withdrawn === 0 ? `${products} products` : `${products} products, ${withdrawn} withdrawn`;

const bulleted = (notes: readonly string[]): string => notes.map((note) => `- ${note}\n`).join('');

export const catalogCommands: readonly Command[] = [
  catalogSchema,
  catalogBuild,
  catalogPublish,
  catalogVersions,
  catalogActivate,
  catalogCoupons,
];
