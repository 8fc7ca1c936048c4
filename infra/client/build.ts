import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeTypes } from './types.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const OUT = join(ROOT, 'dist/client');
const TYPES = 'shared/client/types.ts';

const readProjectJson = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const runTool = (tool: string, args: readonly string[], input = '') =>
  execFileSync(join(ROOT, 'node_modules/.bin', tool), args, { cwd: ROOT, input, encoding: 'utf8' });

/** Returns the types of the OpenAPI document, formatted. */
export const makeTypes = (): string =>
  runTool('biome', ['format', `--stdin-file-path=${TYPES}`], writeTypes(readProjectJson('infra/api/openapi.json')));

/** Builds the package for other projects: ES modules, declarations and the guide, without dependencies. */
export function buildClient(out: string): void {
  rmSync(out, { recursive: true, force: true });
  runTool('tsc', ['--project', 'shared/client', '--outDir', out]);
  copyFileSync(join(ROOT, 'shared/client/README.md'), join(out, 'README.md'));
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

function manifest() {
  const { version, license } = readProjectJson('package.json');
  return {
    name: 'botica-client',
    version,
    license,
    type: 'module',
    sideEffects: false,
    exports: { types: './client.d.ts', default: './client.js' },
  };
}

if (import.meta.main) {
  writeFileSync(join(ROOT, TYPES), makeTypes());
  buildClient(OUT);
  console.log(`The client is in ${OUT}: npm install ${OUT}`);
}
