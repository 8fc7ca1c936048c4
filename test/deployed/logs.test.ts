import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@aws-lambda-powertools/logger';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Bundle, makeBundles } from '../../infra/bundle.ts';
import { SourceLines } from '../../infra/ops/logs.ts';
import { keepSourceMap, readSourceMap, removeOldSourceMaps } from '../../infra/source-maps.ts';
import { type FakeAws, openFakeAws } from '../support/engines/scripted-api.ts';
import { operate } from '../support/operators/operator.ts';
import { bundleOnce } from '../support/servers/bundles.ts';

const HANDLER = 'functions/jobs/watch-catalog.ts';
const REQUEST = '5f1c0c53-9f1b-4a51-8f3a-2d0d4c1b7f55';
const PREFIX = 'pharmacy/demo/0a1b2c3d/';

const folder = mkdtempSync(join(tmpdir(), 'logs-'));
let bundle: Bundle;
/** The stack of an error of the bundle, which has no environment here. */
let stack: string[];

beforeAll(async () => {
  // A source map of a release of 2025.
  keepSourceMap(join(folder, 'maps'), 'BBBBBBBB.mjs', '{"version":3,"sources":[],"names":[],"mappings":""}');
  utimesSync(join(folder, 'maps/BBBBBBBB.mjs.map.gz'), new Date('2025-11-22'), new Date('2025-11-22'));
  [bundle] = (await makeBundles([HANDLER], join(folder, 'code'), join(folder, 'maps'))) as [Bundle];
  // Bare Node, as on Lambda; Vitest writes stack traces of its own.
  const program =
    'const { handler } = await import(process.argv[1]); handler().catch(({ stack }) => console.log(stack))';
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program, bundle.file], { env: {} });
  stack = printed
    .toString()
    .split('\n')
    .filter((line) => /^\s+at /.test(line));
});

it('a bundle has no source map in it, and keeps it under the name of the code, in place of old ones', () => {
  const files = readdirSync(bundle.folder);
  expect(files.filter((file) => !file.endsWith('.mjs'))).toEqual([]);
  const code = readFileSync(bundle.file, 'utf8');
  expect(code).not.toContain('sourceMappingURL');
  const [, name] = /\n\/\/# sourceURL=([A-Z\d]{8}\.mjs)\n$/.exec(code) ?? [];
  const named = files.map((file) => (file === 'index.mjs' ? name : file));
  expect(readdirSync(join(folder, 'maps'))).toEqual(named.map((file) => `${file}.map.gz`).toSorted());
});

it('a bundle is the same wherever it is made, so that the maps of a release can be made again', async () => {
  const maps = readdirSync(join(folder, 'maps'));
  const made = (await bundleOnce([HANDLER])).get(HANDLER) ?? '';
  expect(readFileSync(made)).toEqual(readFileSync(bundle.file));
  expect(readdirSync(join(folder, 'maps'))).toEqual(maps);
});

it('a source map is kept for 90 days after the same code was last built; other files of the folder are left alone', () => {
  const kept = join(folder, 'kept');
  const keep = (file: string) =>
    keepSourceMap(kept, `dist/a/${file}.mjs`, '{"version":3,"sources":["../../a.ts"],"names":[],"mappings":"AAAA"}');
  for (const file of ['AAAAAAAA', 'BBBBBBBB', 'CCCCCCCC']) keep(file);
  writeFileSync(join(kept, 'notes.txt'), 'ours');
  const ages = { 'AAAAAAAA.mjs.map.gz': 91, 'BBBBBBBB.mjs.map.gz': 89, 'CCCCCCCC.mjs.map.gz': 91, 'notes.txt': 1_000 };
  for (const [file, days] of Object.entries(ages)) {
    const then = new Date(Date.now() - days * 24 * 60 * 60 * 1_000);
    utimesSync(join(kept, file), then, then);
  }
  keep('CCCCCCCC');
  removeOldSourceMaps(kept);
  expect(readdirSync(kept)).toEqual(['BBBBBBBB.mjs.map.gz', 'CCCCCCCC.mjs.map.gz', 'notes.txt']);
  expect(readSourceMap(kept, 'CCCCCCCC.mjs')?.payload.sources).toEqual(['a.ts']);
});

it('a stack trace is named by source lines', () => {
  const sources = new SourceLines(join(folder, 'maps'));
  const frames = stack.filter((line) => line.includes('.mjs'));
  expect(frames[0]).toMatch(/^ +at (?:file:.*\/)?[A-Z\d]{8}\.mjs:\d+:\d+$/);
  const [thrown = '', ...callers] = frames.map((line) => sources.name(line));
  expect(thrown).toMatch(/^at shared\/runtime\/config\.ts:\d+:\d+$/);
  expect(sourceLine(thrown)).toContain('throw ');
  const last = callers.at(-1) ?? '';
  expect(last).toMatch(/^at functions\/jobs\/watch-catalog\.ts:\d+:\d+$/);
  expect(sourceLine(last)).toContain('catalogBucket()');
  expect(sources.unknownFiles).toEqual([]);
});

/** Returns the line of the source that `at file:line:column` names. */
function sourceLine(frame: string): string {
  const [, file = '', line] = /^at (.+):(\d+):\d+$/.exec(frame) ?? [];
  return readFileSync(file, 'utf8').split('\n')[Number(line) - 1] ?? '';
}

describe('ops logs', () => {
  let aws: FakeAws;

  beforeAll(async () => {
    const logGroups = ['access', 'jobs-watch-catalog', 'orders-create'].map((log) => ({ logGroupName: PREFIX + log }));
    aws = await openFakeAws({ DescribeLogGroups: { body: { logGroups } } });
  });

  afterAll(() => aws.close());

  beforeEach(() => {
    answerLines({});
    vi.stubEnv('AWS_REGION', 'mx-central-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDWATCH_LOGS', aws.url);
    vi.stubEnv('LOG_GROUP_PREFIX', PREFIX);
    vi.stubEnv('SOURCE_MAPS', join(folder, 'maps'));
    // The unit tests share one logger, and a command would leave it without its info lines.
    const silencing = vi.spyOn(Logger.prototype, 'setLogLevel').mockReturnValue();
    return () => silencing.mockRestore();
  });

  const asked = () => aws.heard.map(({ name, body }) => ({ operation: name, input: JSON.parse(body) }));

  /** Answers as CloudWatch Logs with what `read` returns of each log. */
  const answerLogs = (read: (log: string, nextToken: string) => object) =>
    aws.answer({
      FilterLogEvents({ body }) {
        const { logGroupName, nextToken = '' } = JSON.parse(body);
        return { body: { events: [], nextToken: null, ...read(logGroupName.slice(PREFIX.length), nextToken) } };
      },
    });
  const answerLines = (lines: Readonly<Record<string, readonly (readonly [string, unknown])[]>>) =>
    answerLogs((log) => ({
      events: (lines[log] ?? []).map(([at, line]) => ({
        timestamp: Date.parse(at),
        message: typeof line === 'string' ? line : JSON.stringify(line),
      })),
    }));

  it('shows every line of a request in all logs of its stage, in order, with its trace by source lines', async () => {
    const timestamp = '2026-11-22T18:00:01.000Z';
    const logged = { level: 'ERROR', message: 'request failed', timestamp, service: 'pharmacy', requestId: REQUEST };
    answerLines({
      access: [['2026-11-22T18:00:02.000Z', { requestId: REQUEST, route: 'POST /api/orders', status: '500' }]],
      'orders-create': [[timestamp, { ...logged, error: 'ZodError', trace: stack }]],
    });
    const { code, out, err } = await operate('pipe', 'logs', '--request', REQUEST);
    expect([code, err]).toEqual([0, '']);
    const lines = out.split('\n');
    expect(lines[0]).toBe(
      `2026-11-22T18:00:01.000Z  orders-create  request failed  level=ERROR  requestId=${REQUEST}  error=ZodError`,
    );
    expect(lines[1]).toMatch(/^ {4}at shared\/runtime\/config\.ts:\d+:\d+$/);
    expect(lines.at(-2)).toBe(`2026-11-22T18:00:02.000Z  access  POST /api/orders  requestId=${REQUEST}  status=500`);
    const [groups, ...logs] = asked();
    expect(groups).toEqual({ operation: 'DescribeLogGroups', input: { logGroupNamePrefix: PREFIX } });
    expect(logs).toMatchObject(
      ['access', 'jobs-watch-catalog', 'orders-create'].map((log) => ({
        operation: 'FilterLogEvents',
        input: { logGroupName: `${PREFIX}${log}`, filterPattern: `"${REQUEST}"` },
      })),
    );
  });

  it('shows failures of a function in a time, those of Lambda itself as well', async () => {
    const time = '2026-11-22T18:00:00.000Z';
    const message = { errorType: 'TypeError', errorMessage: 'no', stackTrace: ['TypeError: no', stack[0] ?? ''] };
    answerLines({
      'jobs-watch-catalog': [
        [time, { time, type: 'platform.report', record: { status: 'timeout' } }],
        ['2026-11-22T18:00:01.000Z', { level: 'ERROR', message }],
        ['2026-11-22T18:00:02.000Z', 'FATAL ERROR: out of memory\n'],
      ],
    });
    const range = ['--from', '2026-11-22T17:00:00Z', '--to', '2026-11-22T19:00:00Z'];
    const { code, out } = await operate('pipe', 'logs', '--function', 'jobs-watch-catalog', ...range);
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      '2026-11-22T18:00:00.000Z  jobs-watch-catalog  platform.report  record={"status":"timeout"}',
      '2026-11-22T18:00:01.000Z  jobs-watch-catalog  TypeError: no  level=ERROR',
      expect.stringMatching(/^ {4}at shared\/runtime\/config\.ts:\d+:\d+$/),
      '2026-11-22T18:00:02.000Z  jobs-watch-catalog  FATAL ERROR: out of memory',
      '',
    ]);
    const input = {
      logGroupName: `${PREFIX}jobs-watch-catalog`,
      startTime: Date.parse('2026-11-22T17:00:00Z'),
      endTime: Date.parse('2026-11-22T19:00:00Z'),
      filterPattern: '{ ($.level = "ERROR") || ($.level = "WARN") || ($.type = "platform.*") || ($.status = "5*") }',
    };
    expect(asked().slice(1)).toEqual([{ operation: 'FilterLogEvents', input }]);
  });

  it('reads every page, even after an empty one, shows the latest lines, and stops in a log of too many', async () => {
    const line = (at: string) => ({ timestamp: Date.parse(at), message: `{"message":"${at.slice(14, 16)}"}` });
    const pages: Readonly<Record<string, object>> = {
      '': { events: [], nextToken: 'a' },
      a: { events: [line('2026-11-22T18:01:00Z'), line('2026-11-22T18:02:00Z')], nextToken: 'b' },
      b: { events: [line('2026-11-22T18:03:00Z')] },
    };
    answerLogs((log, token) => (log === 'orders-create' ? (pages[token] ?? {}) : {}));
    expect(await operate('pipe', 'logs', '--limit', '2')).toMatchObject({
      code: 0,
      out: '2026-11-22T18:02:00.000Z  orders-create  02\n2026-11-22T18:03:00.000Z  orders-create  03\n',
    });
    const again = Array(600).fill(line('2026-11-22T18:00:00Z'));
    answerLogs((log) => (log === 'access' ? { events: again, nextToken: 'more' } : {}));
    const { out, err } = await operate('pipe', 'logs', '--limit', '1000');
    expect([out.split('\n').length, err]).toEqual([1_001, expect.stringContaining('first 1000 lines of access')]);
    expect(asked().filter(({ input }) => input.logGroupName === `${PREFIX}access`)).toHaveLength(2);
  });

  it('prints a line as one and without control characters, says of which release it has no source map, and with --json has all as one document', async () => {
    const at = '2026-11-22T18:00:00.000Z';
    const trace = ['at a (file:///var/task/AAAAAAAA.mjs:1:20)'];
    answerLines({ 'orders-create': [[at, { level: 'ERROR', message: 'a\u001b[31mb\nc', trace }]] });
    expect(await operate('terminal', 'logs')).toEqual({
      code: 0,
      out: `${at}  orders-create  a [31mb c  level=ERROR\n    ${trace[0]}\n`,
      err: 'No source map of AAAAAAAA.mjs is here: `npm run synth` at the commit of that release makes it.\n',
    });
    const { out, err } = await operate('pipe', 'logs', '--json');
    const line = { at, log: 'orders-create', text: 'a\u001b[31mb\nc', fields: { level: 'ERROR' }, trace };
    expect([err, JSON.parse(out)]).toEqual(['', { lines: [line] }]);
  });
});
