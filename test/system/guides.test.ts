import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handler as publishEvents } from '../../functions/jobs/publish-events.ts';
import { buildClient } from '../../infra/client/build.ts';
import { PUBLISHER } from '../../infra/jobs.ts';
import { passRecords, runStream } from '../../infra/local/table-stream.ts';
import { freePorts } from '../support/engines/ports.ts';
import { openServer, type TestServer } from '../support/servers/test-server.ts';

/* The examples of the guides do what they say, in a project of a reader: a folder elsewhere, with the client as its only dependency. */

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

let folder: string;
let project: string;
let server: TestServer;
let stopEvents: () => Promise<unknown>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guides-'));
  project = join(folder, 'shop');
  await mkdir(project);
  buildClient(join(folder, 'botica-client'));
  await writeFile(join(project, 'package.json'), '{ "name": "shop", "private": true, "type": "module" }');
  for (const name of ['shop.ts', 'shop.py']) await copyFile(join(ROOT, 'shared/client', name), join(project, name));
  for (const file of ['show.mjs', 'receta.pdf']) {
    await cp(join(ROOT, 'infra/local', file), join(project, 'infra/local', file));
  }
  // The guide's programs read a document of their own folder.
  await copyFile(join(ROOT, 'infra/local/receta.pdf'), join(project, 'receta.pdf'));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '../botica-client'], { cwd: project });
  // As the local server does, it tells events by the stream of the table.
  const { PORT } = await freePorts();
  server = await openServer({
    table: 'streamed',
    settings: { SANDBOX_PAYMENTS_URL: `http://localhost:${PORT}/sandbox-payments` },
    gateway: { port: Number(PORT) },
  });
  stopEvents = runStream(join(folder, 'stream-position.json'), async (stream) => {
    const records = await passRecords(stream, { source: PUBLISHER, handler: publishEvents });
    return records.length;
  }).stop;
}, 90_000);
afterAll(async () => {
  await stopEvents();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the first session and the guide of the client', () => {
  const BREAK = '--- next ---';
  const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  const firstSession = read('README.md').split('\n## A first session\n')[1]?.split('\n## ')[0] ?? '';
  // The shell blocks of the client's guide continue the first session.
  const blocks = [
    ...`${firstSession}\n${read('shared/client/README.md')}`.matchAll(/^```(sh|json|ts)\n([\s\S]*?)^```$/gm),
  ].map(([, language, text = '']) => ({ language, text }));
  const withAddress = (text: string) => text.replaceAll('http://localhost:3000/v2', server.url);
  const textsIn = (wanted: 'json' | 'ts') =>
    blocks.filter(({ language }) => language === wanted).map(({ text }) => withAddress(text));

  it('get the answers that they show when their shell blocks are pasted into one shell', async () => {
    const script = blocks
      .filter(({ language }) => language !== 'ts')
      .map(({ language, text }) => (language === 'sh' ? text : `echo; echo '${BREAK}'`))
      .join('\n');
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', withAddress(script)], { cwd: project });
    const answers = stdout.split(BREAK).slice(0, -1);
    const expected = textsIn('json');
    expect(answers).toHaveLength(expected.length);
    for (const [index, text] of expected.entries()) {
      const answer: unknown = JSON.parse(answers[index] ?? '');
      expect({ answer }).toMatchObject({ answer: JSON.parse(text) });
    }
  });

  it('print the comment behind each console.log when their TypeScript is run as one program', async () => {
    const program = textsIn('ts').join('\n');
    await writeFile(join(project, 'readme.ts'), program);
    const { stdout } = await run(process.execPath, ['readme.ts'], { cwd: project });
    const printed = [...program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => line);
    expect(printed.length).toBeGreaterThan(4);
    expect(stdout.trimEnd().split('\n')).toEqual(printed);
  });
});

describe('a shop of the guide', { timeout: 60_000 }, () => {
  it.each([
    ['TypeScript', process.execPath, 'shop.ts'],
    ['Python', 'python3', 'shop.py'],
  ])(
    'in %s searches, orders for a guest at a held price, pays, follows, tracks, and downloads its invoice',
    async (_, program, file) => {
      const { stdout } = await run(program, [file, server.url], { cwd: project });
      const tracked = 'https://andariega\\.example/rastreo/1Z999AA10123456784';
      expect(stdout.trimEnd().split('\n')).toEqual([
        'Nothing is called amoxisilina: did you mean amoxicilina?',
        'Product 15, Amoxicilina 500 mg: 68.00, needs a prescription',
        'Quote: 68.00 - 6.80 + 79.00 = 140.20, held',
        expect.stringMatching(/^Order RX-\d{8}: 140.20, pending_approval, unpaid$/),
        expect.stringMatching(/^Pay \d{32} at OXXO$/),
        'order.created: pending_approval, unpaid',
        'order.paid: pending_approval, paid',
        'prescription.verified: pending_approval, paid',
        'order.moved: approved, paid',
        'order.moved: in_process, paid',
        'order.moved: ready, paid',
        'order.moved: shipped, paid',
        'Shipped with Paquetería Andariega: 1Z999AA10123456784',
        expect.stringMatching(new RegExp(`^RX-\\d{8}: shipped, paid by oxxo, ${tracked}$`)),
        expect.stringMatching(/^Invoice [0-9A-F-]{36}: \d{4} characters of XML$/),
      ]);
    },
  );

  it('in TypeScript compiles without zod and without this project', async () => {
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', ...types];
    const modern = ['--noEmit', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom'];
    const compiling = run(join(ROOT, 'node_modules/.bin/tsc'), [...modern, ...strict, 'shop.ts'], { cwd: project });
    expect(await compiling).toMatchObject({ stdout: '' });
  });
});
