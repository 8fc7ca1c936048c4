import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { NODE_CODE } from '../../esbuild-options.ts';
import { removeOldFiles } from '../../remove-old-files.ts';
import { FOLDER, keepBundle } from './made-bundle.ts';

/* `node infra/local/bundle/make.ts` makes the bundle of the local server. */

const ENTRY = 'infra/local/late-modules.ts';
// Since they were made, or replaced: a server loads some files of its bundle only when it needs them.
const KEPT_DAYS = 30;

/** Gives each module the place that it has among the sources; in a bundle it would be that of the bundle. */
const keepPlaces: Plugin = {
  name: 'keep places',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (path.includes('node_modules')) return undefined;
      const contents = readFileSync(path, 'utf8')
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: 'ts' };
    }),
};

/** Leaves the errors of the server outside, as `start.ts` must know them by their class. */
const shareErrors: Plugin = {
  name: 'share errors',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/local-server-error\.ts$/ }, ({ path, resolveDir }) => ({
      path: pathToFileURL(resolve(resolveDir, path)).href,
      external: true,
    })),
};

const OPTIONS = {
  ...NODE_CODE,
  entryPoints: [ENTRY],
  // Code that is imported late gets files of its own. The name of a file has the hash of its contents, so that a build changes
  // no file of a server that runs.
  splitting: true,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  outdir: FOLDER,
  minifyWhitespace: true,
  minifySyntax: true,
  // Stack traces name the sources.
  sourcemap: 'linked',
  // Only the reference page needs them.
  external: ['esbuild', '@scalar/*'],
  // CommonJS code inside the bundle still calls require.
  banner: { js: "import{createRequire as openRequire}from'node:module';const require=openRequire(import.meta.url);" },
  plugins: [keepPlaces, shareErrors],
} as const satisfies BuildOptions;

// The options of the build stand in these files.
const MAKERS = ['infra/local/bundle/make.ts', 'infra/esbuild-options.ts', 'package.json', 'tsconfig.json'];

const begunMs = Date.now();
const { metafile, outputFiles: files } = await build(OPTIONS);
const inputs = Object.keys(metafile.inputs);
// A handler that is added or removed changes its folder alone.
const folders = new Set(inputs.filter((file) => file.startsWith('functions/')).map(dirname));
const entry = Object.keys(metafile.outputs).find((path) => metafile.outputs[path]?.entryPoint === ENTRY) ?? '';
keepBundle({ entry: basename(entry), files, sources: [...inputs, ...MAKERS, 'functions', ...folders], begunMs });
removeOldFiles(FOLDER, KEPT_DAYS);
