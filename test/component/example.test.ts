import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildClient } from '../../infra/client/build.ts';
import { PDF } from '../support/orders/samples.ts';
import { type ServerProcess, startServerProcess } from '../support/servers/server-process.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** A project of a reader: a folder elsewhere, with the client as its only dependency. */
let project: string;
let server: ServerProcess;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'example-'));
  project = join(folder, 'shop');
  await mkdir(project);
  buildClient(join(folder, 'botica-client'));
  await writeFile(join(project, 'package.json'), '{ "name": "shop", "private": true, "type": "module" }');
  await writeFile(join(project, 'receta.pdf'), Buffer.from(PDF, 'base64'));
  await copyFile(join(ROOT, 'shared/client/example.ts'), join(project, 'example.ts'));
  [server] = await Promise.all([startServerProcess(), install('../botica-client')]);
  return () => rm(folder, { recursive: true, force: true });
}, 90_000);
afterAll(() => server.stop());

const install = (name: string) =>
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', name], { cwd: project });

describe('the example program', { timeout: 60_000 }, () => {
  it('quotes, orders, uploads a prescription and asks for an invoice, and can be run twice', async () => {
    for (const waiting of [1, 2]) {
      const { stdout } = await run(process.execPath, ['example.ts', 'receta.pdf', server.url], { cwd: project });
      expect(stdout.split('\n')).toEqual([
        'Product 15, Amoxicilina 500 mg: 68.00, needs a prescription',
        'Quote: 68.00 - 6.80 + 79.00 of shipping = 140.20 {',
        "  prescriptions: 'Prescription required, by line number: 1: Amoxicilina 500 mg, Caja con 12 cápsulas (id 15).'",
        '}',
        'Refused with 400, details.0.product: Product 99999 does not exist.',
        expect.stringMatching(/^Order RX-\d{8}: 140.20, pending_approval, with receta.pdf$/),
        expect.stringMatching(/^Invoice [0-9a-f]{24} to MOXL900412AB1, mailed to facturas@example.mx$/),
        `Orders that wait for approval: ${waiting}`,
        '',
      ]);
    }
  });

  it('compiles without zod and without this project', async () => {
    const strict = [
      '--strict',
      '--exactOptionalPropertyTypes',
      '--noUncheckedIndexedAccess',
      '--skipLibCheck',
      'false',
    ];
    const modern = ['--noEmit', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom'];
    await writeFile(join(project, 'node.d.ts'), NODE);
    const compiling = run(join(ROOT, 'node_modules/.bin/tsc'), [...modern, ...strict, 'example.ts', 'node.d.ts'], {
      cwd: project,
    });
    expect(await compiling).toMatchObject({ stdout: '' });
  });
});

// Declares the parts of Node that the example uses, so that it needs no package of types.
const NODE = `
declare module 'node:fs/promises' { export function readFile(file: string, encoding: 'base64'): Promise<string>; }
declare module 'node:path' { export function basename(path: string): string; }
declare const process: { argv: string[] };
`;
