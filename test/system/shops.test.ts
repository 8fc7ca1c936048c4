import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handler as publishEvents } from '../../functions/jobs/publish-events.ts';
import { type ApiDescription, DESCRIPTION, listCalls } from '../../infra/api/description.ts';
import { buildClient } from '../../infra/client/build.ts';
import { buildReferenceDocument } from '../../infra/docs/samples.ts';
import { passRecords, runStream } from '../../infra/local/table-stream.ts';
import { PUBLISHER } from '../../infra/stream-jobs.ts';
import { freePorts } from '../support/engines/ports.ts';
import { openServer, type TestServer } from '../support/servers/test-server.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

let folder: string;
/** A project of a reader: a folder elsewhere, with the client as its only dependency. */
let project: string;
let server: TestServer;
let stopEvents: () => Promise<unknown>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shops-'));
  project = join(folder, 'shop');
  await mkdir(project);
  buildClient(join(folder, 'botica-client'));
  await writeFile(join(project, 'package.json'), '{ "name": "shop", "private": true, "type": "module" }');
  for (const name of ['shop.ts', 'shop.py']) await copyFile(join(ROOT, 'shared/client', name), join(project, name));
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

describe('a shop of the guide', { timeout: 60_000 }, () => {
  it.each([
    ['TypeScript', process.execPath, 'shop.ts'],
    ['Python', 'python3', 'shop.py'],
  ])(
    'in %s searches, orders for a guest at a held price, pays, follows, tracks, and downloads its invoice',
    async (_, program, file) => {
      const { stdout } = await run(program, [file, server.url], { cwd: project });
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
        expect.stringMatching(
          /^RX-\d{8}: shipped, paid by oxxo, https:\/\/andariega\.example\/rastreo\/1Z999AA10123456784$/,
        ),
        expect.stringMatching(/^Invoice [0-9A-F-]{36}: \d{4} characters of XML$/),
      ]);
    },
  );

  it('reads the samples of the reference page as Python', async () => {
    const document = buildReferenceDocument(JSON.parse(await readFile(DESCRIPTION, 'utf8'))) as ApiDescription;
    const samples = listCalls(document).flatMap(({ operation }) => {
      const { 'x-codeSamples': all = [] } = operation as { 'x-codeSamples'?: { lang: string; source: string }[] };
      return all.filter(({ lang }) => lang === 'Python').map(({ source }) => source);
    });
    expect(samples.length).toBeGreaterThan(25);
    await writeFile(join(folder, 'samples.json'), JSON.stringify(samples));
    const check = 'import ast, json, sys; [ast.parse(sample) for sample in json.load(open(sys.argv[1]))]';
    expect(await run('python3', ['-c', check, join(folder, 'samples.json')])).toMatchObject({ stderr: '' });
  });

  it('in TypeScript compiles without zod and without this project', async () => {
    const strict = [
      '--strict',
      '--exactOptionalPropertyTypes',
      '--noUncheckedIndexedAccess',
      '--types',
      'node',
      '--typeRoots',
      join(ROOT, 'node_modules/@types'),
    ];
    const modern = ['--noEmit', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom'];
    const compiling = run(join(ROOT, 'node_modules/.bin/tsc'), [...modern, ...strict, 'shop.ts'], { cwd: project });
    expect(await compiling).toMatchObject({ stdout: '' });
  });
});
