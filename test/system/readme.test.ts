import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildClient } from '../../infra/client/build.ts';
import { freePorts } from '../support/engines/ports.ts';
import { openServer, type TestServer } from '../support/servers/test-server.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const firstSession = read('README.md').split('\n## A first session\n')[1]?.split('\n## ')[0] ?? '';
const ADDRESS = 'http://localhost:3000/v2';
const BREAK = '--- next ---';
const run = promisify(execFile);

type Language = 'sh' | 'json' | 'ts';
/** Returns the fenced blocks of a text in their order. */
const readBlocks = (markdown: string): { language: Language; text: string }[] =>
  [...markdown.matchAll(/^```(sh|json|ts)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({
    language: language as Language,
    text: text as string,
  }));
// The shell blocks of the client's guide continue the first session.
const blocks = [...readBlocks(firstSession), ...readBlocks(read('shared/client/README.md'))];
const textsIn = (wanted: Language) =>
  blocks.filter(({ language }) => language === wanted).map(({ text }) => text.replaceAll(ADDRESS, server.url));

let server: TestServer;
let folder: string;
beforeAll(async () => {
  const { PORT } = await freePorts();
  server = await openServer({
    settings: { SANDBOX_PAYMENTS_URL: `http://localhost:${PORT}/sandbox-payments` },
    gateway: { port: Number(PORT) },
  });
  folder = await mkdtemp(join(tmpdir(), 'readme-'));
  await mkdir(join(folder, 'node_modules'));
  buildClient(join(folder, 'node_modules/botica-client'));
  await cp(join(ROOT, 'infra/local/show.mjs'), join(folder, 'infra/local/show.mjs'));
  await cp(join(ROOT, 'infra/local/receta.pdf'), join(folder, 'infra/local/receta.pdf'));
  // The guide's programs read a document of their own folder.
  await cp(join(ROOT, 'infra/local/receta.pdf'), join(folder, 'receta.pdf'));
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the first session and the guide', () => {
  it('get the answers that they show when their shell blocks are pasted into one shell', async () => {
    const script = blocks
      .filter(({ language }) => language !== 'ts')
      .map(({ language, text }) => (language === 'sh' ? text : `echo; echo '${BREAK}'`))
      .join('\n')
      .replaceAll(ADDRESS, server.url);
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder });
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
    await writeFile(join(folder, 'readme.ts'), program);
    const { stdout } = await run(process.execPath, ['readme.ts'], { cwd: folder });
    const printed = [...program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => line);
    expect(printed.length).toBeGreaterThan(4);
    expect(stdout.trimEnd().split('\n')).toEqual(printed);
  });
});
