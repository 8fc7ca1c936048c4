import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@aws-lambda-powertools/logger';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { notePorts } from '../../infra/local/environment.ts';
import { runCli } from '../../infra/ops/cli.ts';
import type { Call, CommandIo } from '../../infra/ops/context.ts';
import { OWNER_ONLY, writeWhole } from '../../infra/ops/files.ts';
import { printResult, textTable } from '../../infra/ops/output.ts';
import { describePlace, toCommandLine } from '../../infra/ops/target.ts';
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

function spawnCli(argv: string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['infra/ops/cli.ts', ...argv], {
    encoding: 'utf8',
    env: { ...bareEnvironment, ...env },
  });
  return { code: status, out: stdout, err: stderr };
}

test('help lists the commands of a group, and shows how to call one, before or after its name', async () => {
  const { code, out, err } = await run('catalog', '--help');
  expect([code, err, out.includes('catalog publish'), out.includes('clients create')]).toEqual([0, '', true, false]);
  expect((await run('--help')).out).toContain('clients create');
  const usage = 'Usage: npm run ops -- catalog build <folder> [--csv <file>]';
  expect((await run('catalog', 'build', '--help')).out).toContain(usage);
  expect((await run('--help', 'catalog', 'build')).out).toContain(usage);
});

describe('a wrong call shows the usage and ends with 2', () => {
  test.each([
    [[], 'No command is given.\n'],
    [['catalog'], 'There is no command "catalog".\n'],
    [['catalog', 'publsh', 'x'], 'There is no command "catalog publsh".\n'],
    [['catalog', 'versions', '--force'], "Unknown option '--force'.\n"],
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
    [['orders'], 'There is no command "orders".\n', false],
    [['ordres', 'list'], 'There is no command "ordres list".\n', true],
  ])('with the commands of its group, or with all if there is no such group: %j', async (argv, complaint, isAll) => {
    const { code, err } = await run(...argv);
    expect([code, err.startsWith(complaint)]).toEqual([2, true]);
    expect([err.includes('orders show'), err.includes('clients create')]).toEqual([true, isAll]);
  });
});

describe('settings', () => {
  test.each([
    [['catalog', 'versions'], {}, 'CATALOG_BUCKET'],
    [['catalog', 'versions'], { CATALOG_BUCKET: 'b' }, 'AWS_REGION'],
    [['orders', 'list'], {}, 'TABLE_NAME'],
    [['clients', 'create', '--name', 'N', '--origin', 'n', '--payment-methods', '1'], {}, 'USAGE_PLAN_ID'],
  ])('a missing setting is named in one sentence with the options that set it: %j', (argv, env, name) => {
    expect(spawnCli(argv, env)).toEqual({
      code: 1,
      out: '',
      err: `${name} is not set (--outputs sets it for a stack, --local for the local server).\n`,
    });
  });

  test('--local finds the ports of a server in its data folder, unless others are named', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'local-server-'));
    notePorts(folder, { PORT: '2', DYNAMODB_PORT: '3', S3_PORT: '4', SES_PORT: '5' });
    const ask = (env: NodeJS.ProcessEnv) =>
      spawnCli(['--local', 'catalog', 'versions'], { LOCAL_DIR: folder, AWS_PROFILE: 'elsewhere', ...env });
    expect(ask({}).err).toMatch(/^The local server is not running at 127\.0\.0\.1:4: /);
    // No program listens on port 1.
    expect(ask({ S3_PORT: '1' })).toEqual({
      code: 1,
      out: '',
      err: 'The local server is not running at 127.0.0.1:1: start it with `npm start`; if it has another folder or port, name it in LOCAL_DIR or S3_PORT.\n',
    });
    const err = 'S3_PORT must be a port from 1 to 65535, not "x"\n';
    expect(ask({ S3_PORT: 'x' })).toEqual({ code: 1, out: '', err });
    await rm(folder, { recursive: true });
  });
});

test('catalog schema prints every file, or one', async () => {
  const all = JSON.parse((await run('catalog', 'schema')).out);
  expect(Object.keys(all)).toHaveLength(17);
  const one = await run('catalog', 'schema', 'holidays');
  expect([one.code, JSON.parse(one.out)]).toEqual([0, all.holidays]);
  expect(all.holidays.required).toEqual(['date', 'name']);
});

test('catalog build names a folder that does not exist', async () => {
  const { code, out, err } = await run('catalog', 'build', '/nowhere');
  expect([code, err]).toEqual([1, '1 error, nothing was published.\n']);
  expect(out).toBe('catalog: /nowhere is no folder.\n');
});

test.each([
  [{ isLocal: false }, 'npm run ops -- doctor'],
  [{ isLocal: true }, 'npm run ops -- doctor --local'],
  [{ isLocal: false, outputs: '.local/demo.json' }, 'npm run ops -- doctor --outputs .local/demo.json'],
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
    ['Stage: table pharmacy, us-east-1\n', { TABLE_NAME: 'pharmacy', AWS_REGION: 'us-east-1' }],
    [undefined, {}],
    // Nothing is sent to the terminal that would command it.
    ['Stage: a [2Jb\n', { STACK_NAME: 'a\u001b[2Jb' }],
  ])('is %j', (line, env) => {
    expect(describePlace(env)).toBe(line);
  });

  test.each([
    [true, [], 'Local: http://localhost:3000/v2/\n'],
    [false, [], ''],
    [true, ['--json'], ''],
  ])('is the first line on a terminal, and nowhere else: %s %j', async (isTTY, options, line) => {
    for (const [name, value] of Object.entries(LOCAL)) vi.stubEnv(name, value);
    const { io, err } = captured();
    await runCli(['catalog', 'schema', ...options], { ...io, stderr: { ...io.stderr, isTTY } });
    expect(err()).toBe(line);
  });
});

describe('a result that cannot be printed', () => {
  const { io, err } = captured();
  const failing = (code: string): Call => ({
    ...io,
    stdout: { write: () => Promise.reject(Object.assign(new Error(code), { code })) },
    isJson: false,
    isLocal: true,
    operator: async () => 'ana',
  });

  test('is no failure when its reader has read enough, and the code stays that of the command', async () => {
    expect(await printResult({ document: 1 }, failing('EPIPE'))).toBe(0);
    expect(await printResult({ document: 1, failure: '' }, failing('EPIPE'))).toBe(1);
    expect(err()).toBe('');
  });

  const shell = (line: string) => {
    const env = { ...bareEnvironment, NODE: process.execPath };
    const { stdout, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8', env });
    return [stdout, stderr];
  };

  test.each([['catalog schema'], ['orders list --help']])(
    'ends a process quietly when the pipe is closed, and with 1 when the disk is full: %s',
    (words) => {
      expect(shell(`"$NODE" infra/ops/cli.ts ${words} > >(exec true); echo "code $?"`)).toEqual(['code 0\n', '']);
      expect(shell(`"$NODE" infra/ops/cli.ts ${words} > /dev/full; echo "code $?"`)).toEqual([
        'code 1\n',
        'The result could not be printed (ENOSPC).\n',
      ]);
    },
  );
});

describe('a table', () => {
  test.each([true, false])('has columns if stdout is a terminal, and only then; questions: %s', (isTerminal) => {
    const rows = [
      { id: 1, name: 'Ana' },
      { id: 22, name: null },
    ];
    const tableOn = (isTTY: boolean) => {
      const { io } = captured();
      return textTable(['id', 'name'], rows, { ...io, isTerminal, stdout: { ...io.stdout, isTTY } });
    };
    expect([tableOn(true), tableOn(false)]).toEqual(['id  name\n1   Ana\n22\n', '1\tAna\n22\t\n']);
  });

  test.each([
    ['a terminal', '', 'true'],
    ['a pipe', ' | cat', 'false'],
  ])('learns from stdout that it is %s', (_, pipe, isTTY) => {
    const script = `
      import { confirmWrites } from './infra/ops/output.ts';
      console.log(confirmWrites(process.stdout).isTTY);`;
    const line = `'${process.execPath}' --input-type=module -e "$SCRIPT"${pipe}`;
    const env = { ...bareEnvironment, SCRIPT: script };
    const { stdout } = spawnSync('script', ['-qec', line, '/dev/null'], { encoding: 'utf8', env });
    expect(stdout).toBe(`${isTTY}\r\n`);
  });
});

describe('a file', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'whole-file-'));
    file = join(folder, 'a.csv');
    return () => rm(folder, { recursive: true });
  });

  test('is replaced once it is whole, and a failure leaves the folder as it was', async () => {
    await writeWhole(file, ['old']);
    async function* cutOff() {
      yield 'new';
      throw new Error('cut off');
    }
    await expect(writeWhole(file, cutOff())).rejects.toThrow('cut off');
    expect([await readdir(folder), await readFile(file, 'utf8')]).toEqual([['a.csv'], 'old']);
  });

  test('that is a link stays one, what is no file is left alone, and what cannot be written is named', async () => {
    const link = join(folder, 'link.csv');
    await writeWhole(file, ['old']);
    await symlink(file, link);
    await writeWhole(link, ['new']);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect([await readdir(folder), await readFile(file, 'utf8')]).toEqual([['a.csv', 'link.csv'], 'new']);
    await expect(writeWhole('/dev/null', ['new'])).rejects.toThrow('/dev/null cannot be written (it is no file).');
    const missing = '/no/such/a.csv';
    await expect(writeWhole(missing, ['new'])).rejects.toThrow(`${missing} cannot be written (ENOENT).`);
  });

  test('keeps the rights that it had, unless it gets others', async () => {
    const rights = async () => (await stat(file)).mode & 0o777;
    await writeWhole(file, ['new'], OWNER_ONLY);
    expect(await rights()).toBe(0o600);
    await chmod(file, 0o700);
    await writeWhole(file, ['newest']);
    expect(await rights()).toBe(0o700);
    await writeWhole(file, ['last'], OWNER_ONLY);
    expect([await rights(), await readFile(file, 'utf8')]).toEqual([0o600, 'last']);
  });
});

describe('a result with control characters', () => {
  const result = { document: { name: 'a\u001b[31m\u009b31m\u202e' }, text: 'a\tb\u001b[31m\u009b31m\u202e\r\nc\rd\n' };

  test('does not command a terminal', async () => {
    const { io, out, err } = captured();
    await printResult({ ...result, failure: 'no\u001b[2J' }, { ...io, isJson: false });
    expect([out(), err()]).toEqual(['a\tb [31m 31m \r\nc d\n', 'no [2J\n']);
  });

  test('is the same JSON, in which they are escaped', async () => {
    const { io, out } = captured();
    await printResult(result, { ...io, isJson: true });
    expect(out()).toBe('{\n  "name": "a\\u001b[31m\\u009b31m\\u202e"\n}\n');
    expect(JSON.parse(out())).toEqual(result.document);
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
