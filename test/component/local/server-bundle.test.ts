import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';

/* These tests import what the server of a copy of the project loads late, whose sources they may change. */

const ROOT = resolve(import.meta.dirname, '../../..');
const LATE = 'infra/local/late-modules.ts';
const SERVICE = 'infra/local/service.ts';
const BUNDLES = 'node_modules/.cache/local-server';
const run = promisify(execFile);

let copy: string;
beforeEach(async () => {
  copy = await mkdtemp(join(tmpdir(), 'bundle-'));
  for (const name of ['package.json', 'infra', 'shared', 'functions'])
    await cp(join(ROOT, name), join(copy, name), { recursive: true });
  await mkdir(join(copy, 'node_modules'));
  for (const name of await readdir(join(ROOT, 'node_modules')))
    if (name !== '.cache') await symlink(join(ROOT, 'node_modules', name), join(copy, 'node_modules', name));
});
afterEach(() => rm(copy, { recursive: true, force: true }));

/** Imports the late modules in a process of their own, and returns what an expression makes of them. */
async function ask(expression: string): Promise<string> {
  const imports = `import { importLateModules } from '${copy}/infra/local/bundle/import-late-modules.ts';`;
  const script = `${imports} const late = await importLateModules(new AbortController().signal); console.log(${expression}); process.exit();`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
  return stdout.trim();
}

/** Gives the copy late modules that are bundled in a moment: one, which knows its place. */
async function makeSmall(): Promise<void> {
  await writeFile(join(copy, LATE), "export const importPlace = () => import('./place.ts');\n");
  await writeFile(join(copy, 'infra/local/place.ts'), 'export const place = import.meta.dirname;\n');
}

const askPlace = () => ask('(await late.importPlace()).place');
const isBundled = () => ask(`late !== await import('${join(copy, LATE)}')`);
const files = async () => (await readdir(join(copy, BUNDLES))).sort();

it('is made once, and anew when a source has changed', async () => {
  await makeSmall();
  expect(await isBundled()).toBe('true');
  const made = await files();
  expect(await isBundled()).toBe('true');
  expect(await files()).toEqual(made);
  await appendFile(join(copy, LATE), "export const CHANGED = 'yes';\n");
  expect(await ask('late.CHANGED')).toBe('yes');
  // A server that runs may still load the files of before.
  expect(await files()).toEqual(expect.arrayContaining(made));
});

it('is made anew when a handler is there that was missing', async () => {
  const handler = join(copy, 'functions/products/list.ts');
  await rename(handler, `${handler}.kept`);
  const load = "late.importService().then(({ loadHandlers }) => loadHandlers()).then(() => 'all', () => 'not all')";
  expect(await ask(`await ${load}`)).toBe('not all');
  await rename(`${handler}.kept`, handler);
  expect(await ask(`await ${load}`)).toBe('all');
});

it('is made anew when a crash has left a part of it', async () => {
  await makeSmall();
  expect(await isBundled()).toBe('true');
  const made = await files();
  await writeFile(join(copy, BUNDLES, 'bundle.json'), '');
  expect(await isBundled()).toBe('true');
  const chunk = made.find((name) => /^place-.*\.mjs$/.test(name)) ?? '';
  await writeFile(join(copy, BUNDLES, chunk), '');
  expect(await askPlace()).toBe(join(copy, 'infra/local'));
});

it('is made anew in a project that has moved, whose paths it holds', async () => {
  await makeSmall();
  expect(await isBundled()).toBe('true');
  const before = copy;
  copy = `${before}-moved`;
  await rename(before, copy);
  expect(await askPlace()).toBe(join(copy, 'infra/local'));
});

it('names the sources in stack traces', async () => {
  await writeFile(join(copy, LATE), "\nexport const fail = () => {\n  throw new Error('here');\n};\n");
  expect(await isBundled()).toBe('true');
  const stack = await ask('(() => { try { late.fail(); } catch (error) { return error.stack; } })()');
  expect(stack).toContain(`fail (${join(copy, LATE)}:3:9)`);
});

it('has the errors of the server in common with its start', async () => {
  expect(await isBundled()).toBe('true');
  const isKnown = `error instanceof (await import('${join(copy, 'infra/local/local-server-error.ts')}')).LocalServerError`;
  const start = `await (await late.importS3()).startS3('/dev/null/s3', 0).catch(async (error) => ${isKnown})`;
  expect(await ask(start)).toBe('true');
});

it('is not made of a source with a mistake, which Node names', async () => {
  await appendFile(join(copy, SERVICE), 'const = 1;\n');
  expect(await isBundled()).toBe('false');
});

it('is not made where nothing can be written', async () => {
  await makeSmall();
  await writeFile(join(copy, 'node_modules/.cache'), 'a file in the place of the folder');
  expect(await isBundled()).toBe('false');
});
