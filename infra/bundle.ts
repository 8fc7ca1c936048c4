import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  type BuildOptions,
  type BuildResult,
  build,
  context,
  type Metafile,
  type OutputFile,
  type Plugin,
} from 'esbuild';
import { keepSourceMap, removeOldSourceMaps } from './source-maps.ts';
import { functionName } from './stack-names.ts';

export type Bundle = { readonly handler: string; readonly folder: string; readonly file: string };

const ROOT = join(import.meta.dirname, '..');

type Build = { readonly metafile: Metafile; readonly files: ReadonlyMap<string, OutputFile> };

// The paths in source maps are relative to this folder, and the hashes in file names depend on them: with one folder for
// all, the same sources give the same files on every machine. Nothing is written there.
const OUT = 'dist';

/**
 * Bundles handlers, named by their paths from the project root, each into its own folder under `into`. In stack traces each
 * file is named by the hash of what it holds, and so is its source map, which is written to `maps`, if given, in place of
 * old ones, and not beside the code.
 *
 * Dynamic imports, such as the invoicing provider, become files of their own:
 * `orders-create` then imports in 180 ms instead of 280. Handlers without dynamic imports stay one file, because esbuild
 * does not remove unused code from shared files: `products-list` took 160 ms instead of 60.
 */
export async function makeBundles(handlers: readonly string[], into: string, maps?: string): Promise<Bundle[]> {
  const distinct = [...new Set(handlers)];
  const whole = await buildWhole(distinct);
  const splitter = await openSplitter();
  const bundles: Bundle[] = [];
  for (const handler of distinct) {
    const built = hasDynamicImports(handler, whole.metafile) ? await splitter.build(handler) : whole;
    bundles.push(writeBundle(handler, built, { into, maps }));
  }
  await splitter.close();
  if (maps) removeOldSourceMaps(maps);
  return bundles;
}

// Lambda gives a function its credentials in the environment, where the SDK looks first; its other ways to find some, which it
// would load when needed, are 84 KB of each bundle with the SDK.
const OTHER_CREDENTIALS = ['ini', 'login', 'process', 'sso', 'web-identity'].map(
  (kind) => `@aws-sdk/credential-provider-${kind}`,
);

const OPTIONS = {
  // The SDK is bundled too: the runtime's own copy changes without notice and starts slower.
  bundle: true,
  external: OTHER_CREDENTIALS,
  outExtension: { '.js': '.mjs' },
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  sourcesContent: false,
  metafile: true,
  write: false,
  absWorkingDir: ROOT,
  outdir: OUT,
  minify: true,
  entryNames: '[dir]/[hash]',
  chunkNames: 'function/[hash]',
  // Node reads source maps only with an option that costs 20 ms of a cold start, so the function does without them.
  sourcemap: 'external',
  // CommonJS code inside the bundle still calls require.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  logLevel: 'error',
} as const satisfies BuildOptions;

const READ_FILE = /readFileSync\(new URL\('([^']+)', import\.meta\.url\), 'utf8'\)/g;

/** Makes the files that the compiler of catalogs reads beside its sources a part of a bundle, which has no such folders. */
const readFiles: Plugin = {
  name: 'files beside sources',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]shared[\\/]catalog[\\/].*\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replaceAll(READ_FILE, (_, name) =>
        JSON.stringify(readFileSync(join(dirname(path), name), 'utf8')),
      ),
    })),
};

async function buildWhole(handlers: readonly string[]): Promise<Build> {
  const entryPoints = handlers.map((handler) => ({ in: join(ROOT, handler), out: `${functionName(handler)}/index` }));
  return toBuild(await build({ ...OPTIONS, entryPoints, plugins: [readFiles] }));
}

/**
 * Builds handlers one after another, with files of their own for dynamic imports. All are built in one context, which parses
 * the SDK once: 12 s of work for 20 handlers instead of 21, and 0.3 GB instead of 2.
 */
async function openSplitter() {
  let current = '';
  const plugin: Plugin = {
    name: 'current handler',
    setup: ({ onResolve }) => onResolve({ filter: /^current handler$/ }, () => ({ path: join(ROOT, current) })),
  };
  const entryPoints = [{ in: 'current handler', out: 'function/index' }];
  const split = await context({ ...OPTIONS, entryPoints, splitting: true, plugins: [plugin, readFiles] });
  return {
    async build(handler: string): Promise<Build> {
      current = handler;
      return toBuild(await split.rebuild());
    },
    close: () => split.dispose(),
  };
}

const toBuild = ({ metafile, outputFiles }: BuildResult<typeof OPTIONS>): Build => ({
  metafile,
  files: new Map(outputFiles.map((file) => [file.path, file])),
});

const findEntry = (handler: string, { outputs }: Metafile): string =>
  Object.keys(outputs).find((path) => outputs[path]?.entryPoint === handler) ?? '';

function hasDynamicImports(handler: string, metafile: Metafile): boolean {
  const own = metafile.outputs[findEntry(handler, metafile)];
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const dynamic = imports.filter(({ kind, external }) => kind === 'dynamic-import' && !external);
  return dynamic.some(({ path }) => (own?.inputs[path]?.bytesInOutput ?? 0) > 0);
}

/** The folders that a handler reads, which lie beside its code. */
const READ_BESIDE_CODE: Readonly<Record<string, string>> = {
  'infra/cloud/demonstration/seed-stage.ts': 'infra/local/demo-catalog',
};

function writeBundle(
  handler: string,
  { metafile, files }: Build,
  { into, maps }: { into: string; maps: string | undefined },
): Bundle {
  const folder = join(into, functionName(handler));
  // Files of an earlier build have other names, and would be deployed as well.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const entry = findEntry(handler, metafile);
  const file = join(folder, 'index.mjs');
  for (const path of reachableFiles(metafile.outputs, entry)) {
    const code = files.get(join(ROOT, path))?.text ?? '';
    if (path === entry) writeFileSync(file, `${code}${nameInStackTraces(path)}`);
    else writeFileSync(join(folder, basename(path)), code);
    const map = files.get(join(ROOT, `${path}.map`));
    if (map && maps) keepSourceMap(maps, path, map.text);
  }
  const read = READ_BESIDE_CODE[handler];
  if (read) cpSync(join(ROOT, read), join(folder, basename(read)), { recursive: true });
  return { handler, folder, file };
}

// V8 shows this name in the place of `index.mjs`, the one that Lambda loads; to load a file of this name from there would be
// one more at each cold start.
const nameInStackTraces = (path: string): string => `//# sourceURL=${basename(path)}\n`;

/** Returns the files that the entry imports, and itself; esbuild also makes files that only removed code imported. */
function reachableFiles(outputs: Metafile['outputs'], entry: string): Set<string> {
  const reached = new Set([entry]);
  // A set also yields the files that are added meanwhile.
  for (const path of reached)
    for (const each of outputs[path]?.imports ?? []) if (!each.external) reached.add(each.path);
  return reached;
}
