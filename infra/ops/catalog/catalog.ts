import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCatalog } from '../../../shared/catalog/compile/compile.ts';
import type { CatalogFault } from '../../../shared/catalog/folder/check.ts';
import { catalogSchemas } from '../../../shared/catalog/folder/folder.ts';
import {
  type Activation,
  activateVersion,
  type Publication,
  publishCatalog,
} from '../../../shared/catalog/publish/publish.ts';
import { listVersions } from '../../../shared/catalog/publish/versions.ts';
import {
  type CommandIo,
  CommandRefusal,
  command,
  type ExitCode,
  positionals,
  printJson,
  report,
  UsageError,
} from '../command.ts';
import { withProgress } from '../terminal/progress.ts';
import { catalogBucket } from './published-catalog.ts';

const OVERTAKEN = 'Somebody else published meanwhile: the catalog stays as they left it.';

const catalogSchema = command({
  name: 'catalog schema',
  summary: 'Print the JSON Schema of a record of every file of a catalog folder, or of one of them',
  usage: '[<file>]',
  example: 'products',
  options: {},
  async run(input, io) {
    const schemas: Readonly<Record<string, unknown>> = catalogSchemas();
    if (input.positionals.length === 0) return printJson(io, schemas);
    const [name] = positionals(input, 'file');
    if (Object.hasOwn(schemas, name)) return printJson(io, schemas[name]);
    throw new UsageError(`there is no file "${name}"; there are ${Object.keys(schemas).join(', ')}`);
  },
});

const catalogBuild = command({
  name: 'catalog build',
  summary: 'Check a catalog folder and compile it, without publishing',
  usage: '<folder> [--out <file>]',
  example: 'catalogo/ --out catalogo.sqlite',
  options: { out: { type: 'string' } },
  async run(input, io) {
    const [folder] = positionals(input, 'folder');
    const scratch = await mkdtemp(join(tmpdir(), 'catalog-'));
    const file = input.values.out ?? join(scratch, 'catalog.sqlite');
    try {
      const build = await withProgress('Building', io, (onProgress) =>
        buildCatalog(folder, file, { previous: null, now: new Date(), onProgress }),
      );
      if ('faults' in build) return reportFaults(build.faults, input.isJson, io);
      if (input.isJson) return printJson(io, build);
      io.stdout.write(`${build.products} products, no faults.\n${bulleted(build.notes)}`);
      return 0;
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  },
});

const catalogPublish = command({
  name: 'catalog publish',
  summary: 'Check a catalog folder, publish it and make it the current catalog',
  usage: '<folder>',
  example: 'catalogo/',
  options: {},
  async run(input, io) {
    const [folder] = positionals(input, 'folder');
    const bucket = catalogBucket();
    const publication = await withProgress('Publishing', io, (onProgress) =>
      publishCatalog({ folder, bucket, now: new Date(), onProgress }),
    );
    if (publication.outcome === 'faulty') return reportFaults(publication.faults, input.isJson, io);
    if (publication.outcome === 'overtaken') throw new CommandRefusal(OVERTAKEN);
    if (input.isJson) return printJson(io, publication);
    io.stdout.write(`${published(publication)}\n${bulleted(publication.notes)}`);
    return 0;
  },
});

const published = ({ outcome, version, products }: Exclude<Publication, { outcome: 'faulty' }>): string =>
  outcome === 'unchanged'
    ? `Version ${version} is the current catalog already: only its date is new (${products} products).`
    : `Published version ${version}: ${products} products.`;

const catalogVersions = command({
  name: 'catalog versions',
  summary: 'List the published versions, the newest first',
  usage: '',
  example: '',
  options: {},
  async run(input, io) {
    positionals(input);
    const { current, versions } = await listVersions(catalogBucket());
    if (input.isJson) return printJson(io, { current: current ?? null, versions });
    if (versions.length === 0) io.stdout.write('No catalog was published yet.\n');
    for (const { version, published_at, products, compressed_bytes } of versions) {
      const mark = version === current ? '*' : ' ';
      const size = `${Math.ceil(compressed_bytes / 1024)} kB`;
      io.stdout.write(`${mark} ${version}  ${published_at}  ${products} products  ${size}\n`);
    }
    return 0;
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
  usage: '<version>',
  example: '0123456789abcdef',
  options: {},
  async run(input, io) {
    const [version] = positionals(input, 'version');
    const outcome = await activateVersion(version, catalogBucket(), new Date());
    const refused = REFUSED_ACTIVATIONS[outcome];
    if (refused) throw new CommandRefusal(refused);
    const already = outcome === 'unchanged' ? ' already' : '';
    return report({ outcome, version }, `Version ${version} is the current catalog${already}.`, input, io);
  },
});

function reportFaults(faults: readonly CatalogFault[], isJson: boolean, io: CommandIo): ExitCode {
  if (isJson) printJson(io, { faults });
  else for (const fault of faults) io.stdout.write(`${placeOf(fault)}: ${fault.message}\n`);
  io.stderr.write(`${faults.length === 1 ? '1 fault' : `${faults.length} faults`}, nothing was published.\n`);
  return 1;
}

// A missing file has no line, a missing folder not even a file.
const placeOf = ({ file, line, field }: CatalogFault): string =>
  `${file || 'catalog'}${line > 0 ? `:${line}` : ''}${field && ` ${field}`}`;

const bulleted = (notes: readonly string[]): string => notes.map((note) => `- ${note}\n`).join('');

export const catalogCommands = [catalogSchema, catalogBuild, catalogPublish, catalogVersions, catalogActivate];
