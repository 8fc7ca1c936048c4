import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Logger } from '@aws-lambda-powertools/logger';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { notePorts } from '../../infra/local/environment.ts';
import { runCli } from '../../infra/ops/cli.ts';
import type { CommandIo } from '../../infra/ops/context.ts';
import { OWNER_ONLY, writeWhole } from '../../infra/ops/files.ts';
import { printResult, textTable } from '../../infra/ops/output.ts';
import { describePlace, toCommandLine } from '../../infra/ops/target.ts';
import { freePorts } from '../support/engines/ports.ts';
import { operate } from '../support/operators/operator.ts';

const DEMO = 'infra/local/demo-catalog';

// The unit tests share one logger, and a command would leave it without its info lines.
beforeEach(() => {
  const silencing = vi.spyOn(Logger.prototype, 'setLogLevel').mockReturnValue();
  return () => silencing.mockRestore();
});

function captured() {
  const out: string[] = [];
  const err: string[] = [];
  const io: CommandIo = {
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
    stdin: process.stdin,
    isTerminal: false,
  };
  return { io, out: () => out.join(''), err: () => err.join('') };
}

const run = (...argv: string[]) => operate('pipe', ...argv);

const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
const bareEnvironment = { PATH, HOME, NODE_COMPILE_CACHE };

const CLI = 'infra/ops/cli.ts';

describe('a wrong call shows the usage and ends with 2', () => {
  test.each([
    [[], 'No command is given.\n'],
    [['catalog', 'publish', DEMO, '--label', 'a\u0007b'], '--label: It must have no control characters.\n'],
    [['catalog', 'build'], '<folder> is missing.\n'],
    [['catalog', 'build', 'a', 'b'], 'There is an unexpected argument "b".\n'],
    [['catalog', 'schema', 'prices'], 'There is no file "prices"'],
    // Control characters of what was typed would be commands to the terminal.
    [['\u001b[31mcatalog'], 'There is no command " [31mcatalog".\n'],
    [['catalog', 'versions', '--\u009b31m'], "Unknown option '-- 31m'.\n"],
    [['orders', 'show', '\u001b]0;mine\u0007'], '<id> must be the id of an order, not " ]0;mine ".\n'],
    [['doctor', '--outputs', '/no\u001b[2J.json'], '--outputs: /no [2J.json cannot be read (ENOENT).\n'],
  ])('%j', async (argv, complaint) => {
    const { code, out, err } = await run(...argv);
    expect([code, out, err.startsWith(complaint)]).toEqual([2, '', true]);
    expect(err).toContain('Usage: npm run ops --');
  });

  test.each([
    [['orders', 'lst'], 'There is no command "orders lst".\n', false],
    [['ordres', 'list'], 'There is no command "ordres list".\n', true],
  ])('with the commands of its group, or with all if there is no such group: %j', async (argv, complaint, isAll) => {
    const { code, err } = await run(...argv);
    expect([code, err.startsWith(complaint)]).toEqual([2, true]);
    expect([err.includes('orders show'), err.includes('clients create')]).toEqual([true, isAll]);
  });
});

describe('settings', () => {
  test('a missing setting is named in one sentence with the options that set it', async () => {
    vi.stubEnv('CATALOG_BUCKET', undefined);
    expect(await run('catalog', 'versions')).toEqual({
      code: 1,
      out: '',
      err: 'CATALOG_BUCKET is not set (--outputs sets it for a stack, --local for the local server).\n',
    });
  });

  test('--local finds the ports of a server in its data folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'local-server-'));
    notePorts(folder, { PORT: '2', DYNAMODB_PORT: '3', S3_PORT: '4', SES_PORT: '5' });
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, '--local', 'catalog', 'versions'], {
      encoding: 'utf8',
      env: { ...bareEnvironment, LOCAL_DIR: folder, AWS_PROFILE: 'elsewhere' },
    });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^The local server is not running at 127\.0\.0\.1:4: /);
  });
});

test.each([
  [{ isLocal: true }, 'npm run ops -- doctor --local'],
  [{ isLocal: false, outputs: "/a b/it's.json" }, "npm run ops -- doctor --outputs '/a b/it'\\''s.json'"],
])('the command line of an advice has what the call had: %j', (call, line) => {
  expect(toCommandLine('doctor', call)).toBe(line);
});

describe('the place', () => {
  const LOCAL = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000', API_URL: 'http://localhost:3000/v2/' };
  const STAGE = { STACK_NAME: 'demo', PURPOSE: 'production', STACK_ACCOUNT: '123456789012', AWS_REGION: 'us-east-1' };

  test.each<[string | undefined, NodeJS.ProcessEnv]>([
    ['Local: http://localhost:3000/v2/\n', LOCAL],
    ['Stage: demo (production), account 123456789012, us-east-1\n', STAGE],
    // Nothing is sent to the terminal that would command it.
    ['Stage: a [2Jb\n', { STACK_NAME: 'a\u001b[2Jb' }],
  ])('is %j', (line, env) => {
    expect(describePlace(env)).toBe(line);
  });

  test.each([
    [true, [], 'Local: http://localhost:3000/v2/\n'],
    [false, [], ''],
  ])('is the first line on a terminal, and nowhere else: %s %j', async (isTTY, options, line) => {
    for (const [name, value] of Object.entries(LOCAL)) vi.stubEnv(name, value);
    const { io, err } = captured();
    await runCli(['catalog', 'schema', ...options], { ...io, stderr: { ...io.stderr, isTTY } });
    expect(err()).toBe(line);
  });
});

describe('a result that cannot be printed', () => {
  const shell = (line: string) => {
    const env = { ...bareEnvironment, NODE: process.execPath };
    const { stdout, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8', env });
    return [stdout, stderr];
  };

  test('ends a process quietly when the pipe is closed, and with 1 when the disk is full', () => {
    const command = `"$NODE" ${CLI} catalog schema`;
    expect(shell(`${command} > >(exec true); echo "code $?"`)).toEqual(['code 0\n', '']);
    const full = 'The result could not be printed (ENOSPC).\n';
    expect(shell(`${command} > /dev/full; echo "code $?"`)).toEqual(['code 1\n', full]);
  });
});

describe('a table', () => {
  test('has columns if stdout is a terminal, and only then', () => {
    const rows = [
      { id: 1, name: 'Ana' },
      { id: 22, name: null },
    ];
    const tableOn = (isTTY: boolean) => {
      const { io } = captured();
      return textTable(['id', 'name'], rows, { ...io.stdout, isTTY });
    };
    expect([tableOn(true), tableOn(false)]).toEqual(['id  name\n1   Ana\n22\n', '1\tAna\n22\t\n']);
  });
});

describe('a file', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'whole-file-'));
    file = join(folder, 'a.csv');
  });

  test('is replaced once it is whole, and a failure leaves the folder as it was', async () => {
    await writeWhole(file, ['old']);
    async function* cutOff() {
      yield 'new';
      throw new Error('cut off');
    }
    await expect(writeWhole(file, cutOff())).rejects.toThrow('cut off');
    expect([await readdir(folder), await readFile(file, 'utf8')]).toEqual([['a.csv'], 'old']);
    await expect(writeWhole('/dev/null', ['new'])).rejects.toThrow('/dev/null cannot be written: it is no file.');
    await expect(writeWhole('/no/a.csv', ['new'])).rejects.toThrow('/no/a.csv cannot be written (ENOENT).');
  });

  test('gets its rights also where an older one had others', async () => {
    await writeWhole(file, ['old']);
    await writeWhole(file, ['last'], OWNER_ONLY);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});

describe('a result with control characters', () => {
  const result = { document: { name: 'a\u001b[31m\u009b31m\u202e' }, text: 'a\tb\u001b[31m\u009b31m\u202e\r\nc\rd\n' };

  test('does not command a terminal, and is the same JSON, in which they are escaped', () => {
    const text = captured();
    printResult({ ...result, failure: 'no\u001b[2J' }, { ...text.io, isJson: false });
    expect([text.out(), text.err()]).toEqual(['a\tb [31m 31m \r\nc d\n', 'no [2J\n']);
    const json = captured();
    printResult(result, { ...json.io, isJson: true });
    expect(json.out()).toBe('{\n  "name": "a\\u001b[31m\\u009b31m\\u202e"\n}\n');
    expect(JSON.parse(json.out())).toEqual(result.document);
  });
});

test('progress is wiped off the terminal by Ctrl-C before the command says that it stops', async () => {
  const script = `
    import { once } from 'node:events';
    import { interruptSignal, withProgress } from './infra/ops/prompt.ts';
    await withProgress('Counting', { isTerminal: true }, () => once(interruptSignal(), 'abort'));
    process.exit(0);`;
  // The program `script` runs a command on a pseudo-terminal, and types there what it reads.
  const line = `exec '${process.execPath}' --input-type=module -e "$SCRIPT"`;
  const terminal = spawn('script', ['-qec', line, '/dev/null'], { env: { ...bareEnvironment, SCRIPT: script } });
  let shown = '';
  terminal.stdout.on('data', (chunk) => {
    if (!shown.includes('0%') && `${shown}${chunk}`.includes('0%')) terminal.stdin.write('\u0003');
    shown += chunk;
  });
  await once(terminal, 'close');
  expect(terminal.exitCode).toBe(0);
  // ESC [2K clears the line, so only what is written after the last one can still be seen.
  const said = shown.slice(shown.lastIndexOf('\u001b[2K') + '\u001b[2K'.length);
  expect(said).toBe('Stopping; Ctrl-C again ends the command at once.\r\n');
});

test('the command counter prints the address with its token, serves there, and ends at Ctrl-C', async () => {
  const port = String((await freePorts()).PORT);
  const child = spawn(process.execPath, [CLI, 'counter', '--local', '--port', port], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [chunk] = await once(child.stdout, 'data');
  const [address = '', advice] = String(chunk).split('\n');
  expect(address).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/#[\\w-]{43}$`));
  expect(advice).toBe('Ctrl-C ends the counter.');
  const headers = { Authorization: `Bearer ${new URL(address).hash.slice(1)}` };
  const session = await fetch(new URL('/session', address), { headers });
  expect(await session.json()).toMatchObject({
    place: expect.stringContaining('Local: '),
    timeZone: 'America/Mexico_City',
  });
  expect(await run('counter', '--local', '--port', port)).toEqual({
    code: 1,
    out: '',
    err: `Port ${port} is in use, perhaps by another counter: --port takes another one.\n`,
  });
  child.kill('SIGINT');
  const [[ended], rest] = await Promise.all([once(child, 'exit'), text(child.stdout)]);
  expect([ended, rest]).toEqual([0, 'The counter has ended.\n']);
});
