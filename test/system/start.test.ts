import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isListening } from '../../infra/local/engines/ports.ts';
import { type CatalogBucket, readPointer } from '../../shared/catalog/bucket.ts';
import { packSnapshot, toVersion } from '../../shared/catalog/file/snapshot.ts';
import { movePointer, readSnapshot, storeSnapshot } from '../../shared/catalog/publishing/versions.ts';
import { LOCAL_S3_CREDENTIALS } from '../support/engines/local-s3.ts';
import { freePorts } from '../support/engines/ports.ts';
import { type Call, callHeaders } from '../support/http/call.ts';
import { sendHttp } from '../support/http/http.ts';
import { orderBody } from '../support/orders/samples.ts';

const KEY = 'demo-key-2026-farmacia-abierta';
const OPENING_MS = 60_000;

let directory: string;
let ports: Awaited<ReturnType<typeof freePorts>>;
/** The words before the command of a server. */
let enter: readonly string[];
let children: ChildProcess[];
beforeEach(async () => {
  enter = [];
  children = [];
  directory = await mkdtemp(join(tmpdir(), 'start-'));
  ports = await freePorts();
  return async () => {
    await Promise.all(children.map(killed));
    // The engine of a server that was killed ends a moment later, and may write until then.
    await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
});

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

function start(environment: NodeJS.ProcessEnv = {}, ...options: string[]) {
  const [program = '', ...words] = [...enter, process.execPath, 'infra/local/start.ts', ...options];
  const child = spawn(program, words, {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      LOCAL_DIR: directory,
      ...ports,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const exit = once(child, 'exit');
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  let complained = '';
  child.stderr.on('data', (chunk) => {
    complained += chunk;
  });
  const complaint = once(child.stderr, 'end').then(() => complained);
  return {
    process: child,
    /** Returns everything on stdout so far. */
    output: () => printed,
    /** Returns everything on stderr so far. */
    complaints: () => complained,
    /** Resolves with everything on stderr when it ends. */
    complaint,
    /** Resolves with what was printed when the server is open. */
    async ready() {
      const opened = vi.waitUntil(() => /^ready .*$/m.test(printed), { timeout: OPENING_MS, interval: 20 });
      const failed = exit.then(async ([code]) => Promise.reject(new Error(`exit ${code}: ${await complaint}`)));
      await Promise.race([opened, failed]);
      return printed;
    },
    /** Resolves with the exit code. */
    ended: async (): Promise<number | null> => (await exit)[0],
  };
}

type Running = ReturnType<typeof start>;

/** Returns the message of a start that fails, which must have no stack and exit code 1. */
async function readComplaint(environment: NodeJS.ProcessEnv = {}, ...options: string[]): Promise<string> {
  const server = start(environment, ...options);
  expect(await server.ended()).toBe(1);
  const complaint = await server.complaint;
  expect(complaint).not.toMatch(/^\s+at /m);
  return complaint.trim();
}

/** Returns the pid of the server's DynamoDB engine. */
function findEngine({ process: { pid } }: Running): number | undefined {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=']).toString().trim().split('\n');
  const rows = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return rows.find(([, parent]) => parent === pid)?.[0];
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) throw new Error('no engine was started');
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function holdPort(port: string): Promise<void> {
  const holder = createServer().listen(Number(port), '127.0.0.1');
  await once(holder, 'listening');
  onTestFinished(() => {
    holder.close();
  });
}

const isAnyOpen = async (host: string): Promise<boolean> =>
  (await Promise.all(Object.values(ports).map((port) => isListening(host, Number(port))))).includes(true);

async function withBucket<Result>(work: (bucket: CatalogBucket) => Promise<Result>): Promise<Result> {
  const endpoint = `http://127.0.0.1:${ports.S3_PORT}`;
  const s3 = new S3Client({
    endpoint,
    region: 'mx-central-1',
    forcePathStyle: true,
    credentials: LOCAL_S3_CREDENTIALS,
  });
  try {
    return await work({ s3, name: 'pharmacy-catalog' });
  } finally {
    s3.destroy();
  }
}

const currentVersion = () => withBucket(async (bucket) => (await readPointer(bucket)).pointer?.version);

/** Publishes the current catalog with the number of another format, and returns its version. */
const publishOtherFormat = () =>
  withBucket(async (bucket) => {
    const read = await readPointer(bucket);
    if (!read.pointer) throw new Error('no catalog is published');
    const plain = await readSnapshot(bucket, read.pointer);
    // SQLite keeps PRAGMA user_version at this offset.
    plain?.writeUInt32BE(99, 60);
    const snapshot = await packSnapshot(plain ?? Buffer.alloc(0));
    await storeSnapshot(bucket, snapshot);
    const { sha256, bytes } = snapshot;
    const version = toVersion(sha256);
    await movePointer(bucket, { ...read.pointer, version, sha256, bytes }, read);
    return version;
  });

const externalAddresses = () =>
  Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address),
  );

const send = (method: string, path: string, call: Call = {}) =>
  sendHttp(`http://localhost:${ports.PORT}`, path, { method, headers: callHeaders(call), body: call.body });

const LOST = { status: 0, body: { id: 0 } };

async function openShop() {
  const login = { email: 'aseguradora@demo.example', password: 'farmacia-demo-2026' };
  const token = (await send('POST', '/v2/api/token/', { body: login })).body.access;
  return {
    place: (email: string) => send('POST', '/v2/api/orders/resources/', { token, body: orderBody(email) }),
    read: (path: string) => send('GET', path, { token }),
    async list() {
      const { status, body } = await send('GET', '/v2/api/orders/', { token });
      return [status, body.results.map(({ id }: { id: number }) => id).sort()];
    },
  };
}

describe('npm start', { timeout: 2 * OPENING_MS }, () => {
  it('opens a server that explains its use, keeps its data, renews a catalog of another format, and leaves no process behind', async () => {
    const first = start();
    const printed = await first.ready();
    const url = `http://localhost:${ports.PORT}/v2`;
    expect(printed.trimEnd().split('\n').at(-1)).toBe(`ready ${url}`);
    expect(printed).toContain(KEY);
    expect(printed).toContain('paciente@demo.example (patient)');
    expect(printed).toContain('doctora@demo.example (doctor)');
    expect(printed).toContain('aseguradora@demo.example (insurance_employee)');
    expect(printed).toContain('farmacia-demo-2026');

    const list = await sendHttp(url, '/v2/api/products/?limit=2', { method: 'GET', headers: { 'X-API-Key': KEY } });
    expect(list.status).toBe(200);
    expect(list.body).toMatchObject({ previous: null, next: `${url}/api/products/?limit=2&page=2` });
    expect(list.body.results).toHaveLength(2);
    const mailbox = /^Mailbox +(\S+)$/m.exec(printed)?.[1] ?? '';
    expect((await fetch(mailbox)).status).toBe(200);

    const calls = printed.split('\n').filter((line) => line.startsWith('curl '));
    const answers = calls.map((call) => JSON.parse(execFileSync('sh', ['-c', `${call} -sf`]).toString()));
    expect(answers).toMatchObject([{ count: expect.any(Number) }, { errors: {} }, { access: expect.any(String) }]);

    const intruder = await readComplaint(await freePorts(), '--fresh');
    expect(intruder).toBe(
      `The data in ${directory} is in use by another local server: stop it, or let LOCAL_DIR name another folder.`,
    );
    for (const entry of await readdir(directory, { recursive: true })) {
      expect((await stat(join(directory, entry))).mode & 0o077, entry).toBe(0);
    }

    for (const address of externalAddresses()) expect(await isAnyOpen(address)).toBe(false);

    const keys = await readFile(join(directory, 'api-keys.json'), 'utf8');
    const otherFormat = await publishOtherFormat();
    const engine = findEngine(first);
    // On Ctrl-C, npm sends the signal twice: once from the terminal and once passed on.
    first.process.kill('SIGINT');
    first.process.kill('SIGINT');
    expect(await first.ended()).toBe(0);
    expect(isAlive(engine)).toBe(false);
    expect(await isAnyOpen('127.0.0.1')).toBe(false);

    const second = start({}, '--quiet');
    await second.ready();
    const body = { email: 'paciente@demo.example', password: 'farmacia-demo-2026' };
    const token = await sendHttp(url, '/v2/api/token/', { method: 'POST', headers: { 'X-API-Key': KEY }, body });
    expect(token.status).toBe(200);
    expect(await currentVersion()).not.toBe(otherFormat);
    const products = await sendHttp(url, '/v2/api/products/?limit=1', { method: 'GET', headers: { 'X-API-Key': KEY } });
    expect(products.body).toMatchObject({ count: list.body.count });
    const known = JSON.parse(keys).map(({ id }: { id: string }) => id);
    const kept = JSON.parse(await readFile(join(directory, 'api-keys.json'), 'utf8'));
    expect(kept.map(({ id }: { id: string }) => id)).toEqual(known);
    expect(second.output().trimEnd().split('\n').at(-1)).toBe(`ready ${url}`);

    const orphan = findEngine(second);
    second.process.kill('SIGKILL');
    await vi.waitUntil(() => !isAlive(orphan), { timeout: 10_000, interval: 20 });
  });

  it('stops its engines when it is stopped while it starts', async () => {
    const server = start();
    const engine = await vi.waitUntil(() => findEngine(server), { timeout: OPENING_MS, interval: 10 });
    server.process.kill('SIGTERM');
    expect(await server.ended()).toBe(0);
    expect(isAlive(engine)).toBe(false);
    expect(server.output()).not.toContain('ready');
  });

  it('names damaged data, empties it with --fresh, and starts an engine again that has ended', async () => {
    const damaged = join(directory, 'dynamodb', 'dynoxide.db');
    await mkdir(join(directory, 'dynamodb'));
    await writeFile(join(directory, '.pharmacy-server'), '');
    await writeFile(damaged, 'no database '.repeat(1_000));
    expect(await readComplaint()).toBe(
      `The data in ${join(directory, 'dynamodb')} cannot be used (Dynoxide ended with code 1: Database file is encrypted or not a valid SQLite database): start with "npm start -- --fresh" to empty it, or let LOCAL_DIR name another folder.`,
    );
    const server = start({}, '--fresh');
    await server.ready();
    const shop = await openShop();
    const one = await shop.place('uno@cliente.example');
    process.kill(findEngine(server) ?? Number.NaN, 'SIGKILL');
    await vi.waitUntil(() => server.complaints().includes('runs again'), { timeout: 5_000, interval: 20 });
    expect(server.complaints()).toBe(
      'Dynoxide, the DynamoDB engine, has ended (SIGKILL): it is being started again.\nDynoxide runs again.\n',
    );
    const two = await shop.place('dos@cliente.example');
    expect(await shop.list()).toEqual([200, [one.body.id, two.body.id]]);
    server.process.kill('SIGTERM');
    expect(await server.ended()).toBe(0);
  });

  it('has every order that was answered 201, and none in part, when its engine and then it were killed meanwhile', async () => {
    const first = start({}, '--quiet');
    await first.ready();
    const shop = await openShop();
    const placed: number[] = [];
    let isOpen = true;
    const placeOn = async (worker: number): Promise<void> => {
      for (let nth = 0; isOpen; nth += 1) {
        const { status, body } = await shop.place(`p${worker}-${nth}@cliente.example`).catch(() => LOST);
        if (status === 201) placed.push(body.id);
      }
    };
    const placing = [1, 2, 3, 4].map(placeOn);
    const killEngine = async (nth: number): Promise<void> => {
      await vi.waitUntil(() => placed.length >= 10 * nth, { timeout: OPENING_MS, interval: 1 });
      process.kill(findEngine(first) ?? Number.NaN, 'SIGKILL');
      const ends = () => first.complaints().split('runs again').length - 1;
      await vi.waitUntil(() => ends() === nth, { timeout: OPENING_MS, interval: 5 });
    };
    for (const nth of [1, 2, 3]) await killEngine(nth);
    await vi.waitUntil(() => placed.length >= 40, { timeout: OPENING_MS, interval: 1 });
    first.process.kill('SIGKILL');
    isOpen = false;
    await Promise.all(placing);

    const second = start({}, '--quiet');
    await second.ready();
    const { read } = await openShop();
    const list = await read('/v2/api/orders/?limit=100');
    const stored: number[] = list.body.results.map(({ id }: { id: number }) => id);
    expect(list.body.count).toBe(stored.length);
    expect(stored).toEqual(expect.arrayContaining(placed));
    for (const id of stored) {
      const { status, body } = await read(`/v2/api/orders/${id}/`);
      expect([status, body.details.length, body.patient.user.email]).toEqual([
        200,
        1,
        expect.stringMatching(/^p\d-\d+@/),
      ]);
    }
    second.process.kill('SIGTERM');
    expect(await second.ended()).toBe(0);
  });

  it('refuses pages of other sites on the port of its DynamoDB, whose own address is not on it', async () => {
    const server = start();
    await server.ready();
    const answers = async (headers: Record<string, string>) =>
      (await sendHttp(`http://127.0.0.1:${ports.DYNAMODB_PORT}`, '/', { method: 'GET', headers })).status;
    expect(await answers({ Host: 'localhost' })).toBe(200);
    expect(await answers({ Host: 'evil.example' })).toBe(421);
    expect(await answers({ Host: 'localhost', Origin: 'https://evil.example' })).toBe(421);
  });
});

describe('a start that cannot succeed', { timeout: OPENING_MS }, () => {
  it('names each port in use, and removes nothing with --fresh', async () => {
    await Promise.all(Object.values(ports).map(holdPort));
    await writeFile(join(directory, '.pharmacy-server'), '');
    await writeFile(join(directory, 'api-keys.json'), '[]');
    expect(await readComplaint({}, '--fresh')).toBe(
      `Port ${ports.PORT} is in use: set PORT to a free one.
Port ${ports.DYNAMODB_PORT} is in use: set DYNAMODB_PORT to a free one.
Port ${ports.S3_PORT} is in use: set S3_PORT to a free one.
Port ${ports.SES_PORT} is in use: set SES_PORT to a free one.`,
    );
    expect(await readFile(join(directory, 'api-keys.json'), 'utf8')).toBe('[]');
  });

  it('does not advise to empty the data that a quota leaves no room for, and changes nothing of it', async () => {
    // As under a quota, the free space of the disk does not show this limit.
    enter = ['sh', '-c', 'ulimit -f 0 && exec "$0" "$@"'];
    await writeFile(join(directory, '.pharmacy-server'), 'a mark');
    expect(await readComplaint()).toBe(
      `The disk of ${directory} takes no data (disk I/O error): make room, and start again.`,
    );
    expect(await readFile(join(directory, '.pharmacy-server'), 'utf8')).toBe('a mark');
  });

  it('names a configured DynamoDB that does not answer, and starts none', async () => {
    const elsewhere = `http://127.0.0.1:${ports.DYNAMODB_PORT}`;
    expect(await readComplaint({ AWS_ENDPOINT_URL_DYNAMODB: elsewhere, PATH: directory })).toContain(elsewhere);
  });

  it('names a data folder that is a file', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    expect(await readComplaint({ LOCAL_DIR: file })).toBe(`${file} is no folder: let LOCAL_DIR name one.`);
  });

  it('names each setting that is not valid', async () => {
    expect(await readComplaint({ IVA_RATE: '16', BORDER_ZIPCODES: '220' })).toBe(
      'IVA_RATE is not valid: Invalid option: expected one of "0.16"|"0.08". BORDER_ZIPCODES is not valid: "220" is no zip code or range of zip codes.',
    );
  });

  it.each([
    ['without options', []],
    ['with --fresh', ['--fresh']],
  ])('refuses a folder with other content, %s', async (_, options) => {
    await writeFile(join(directory, 'thesis.txt'), 'years of work');
    expect(await readComplaint({}, ...options)).toBe(
      `${directory} holds something other than the data of a local server: set LOCAL_DIR to an empty folder.`,
    );
    expect(await readFile(join(directory, 'thesis.txt'), 'utf8')).toBe('years of work');
  });

  it('shows its options for --help and for an unknown one, and starts nothing', async () => {
    const asked = start({}, '--help');
    expect(await asked.ended()).toBe(0);
    const usage =
      'Usage: npm start [-- --fresh] [--quiet]\n\n  --fresh  empty the data first\n  --quiet  log failures only\n  --help   show these options\n';
    expect([asked.output(), asked.complaints()]).toEqual([usage, '']);
    expect(await readComplaint({}, '--clean')).toContain(usage.split('\n')[0]);
  });
});
