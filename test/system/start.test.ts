import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { S3Client } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readObject, readPointer } from '../../shared/catalog/bucket.ts';
import { packSnapshot, snapshotKey, toVersion } from '../../shared/catalog/file/snapshot.ts';
import { movePointer, storeSnapshot } from '../../shared/catalog/publishing/versions.ts';
import { LOCAL_S3_CREDENTIALS } from '../support/engines/local-s3.ts';
import { freePorts, isListening } from '../support/engines/ports.ts';
import { type Call, callHeaders, sendHttp } from '../support/http/http.ts';
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
  const closed = once(child.stderr, 'end');
  return {
    process: child,
    /** Returns everything on stdout so far. */
    output: () => printed,
    /** Returns everything on stderr so far. */
    complaints: () => complained,
    /** Resolves with what was printed when the server is open. */
    async ready() {
      const opened = vi.waitUntil(() => /^ready .*$/m.test(printed), { timeout: OPENING_MS, interval: 20 });
      const failed = exit.then(async ([code]) => Promise.reject(new Error(`exit ${code}: ${complained}`)));
      await Promise.race([opened, failed]);
      return printed;
    },
    /** Resolves with the exit code, once all is said. */
    ended: async (): Promise<number | null> => (await Promise.all([exit, closed]))[0][0],
  };
}

type Running = ReturnType<typeof start>;

/** Returns the message of a start that fails, which must have no stack and exit code 1. */
async function readComplaint(environment: NodeJS.ProcessEnv = {}, ...options: string[]): Promise<string> {
  const server = start(environment, ...options);
  expect(await server.ended()).toBe(1);
  const complaint = server.complaints();
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

/** Publishes the current catalog with the number of another format. */
async function publishOtherFormat(): Promise<void> {
  const place = { endpoint: `http://127.0.0.1:${ports.S3_PORT}`, region: 'mx-central-1', forcePathStyle: true };
  const s3 = new S3Client({ ...place, credentials: LOCAL_S3_CREDENTIALS });
  const bucket = { s3, name: 'pharmacy-catalog' };
  const read = await readPointer(bucket);
  const stored = read.pointer && (await readObject(bucket, snapshotKey(read.pointer.sha256)));
  if (!read.pointer || !stored) throw new Error('no catalog is published');
  const plain = zstdDecompressSync(stored.body);
  // SQLite keeps PRAGMA user_version at this offset.
  plain.writeUInt32BE(99, 60);
  const snapshot = await packSnapshot([plain]);
  await storeSnapshot(bucket, snapshot);
  const { sha256, bytes } = snapshot;
  await movePointer(bucket, { ...read.pointer, version: toVersion(sha256), sha256, bytes }, read);
  s3.destroy();
}

const externalAddresses = () =>
  Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address),
  );

const send = (method: string, path: string, call: Call = {}) =>
  sendHttp(`http://localhost:${ports.PORT}`, path, { method, headers: callHeaders(call), body: call.body });

async function openShop() {
  const login = { email: 'aseguradora@demo.example', password: 'farmacia-demo-2026' };
  const token = (await send('POST', '/v2/api/token/', { body: login })).body.access;
  return {
    place: (email: string) => send('POST', '/v2/api/orders/resources/', { token, body: orderBody(email) }),
    read: (path: string) => send('GET', path, { token }),
  };
}

/** Places orders side by side until the server does not answer any more; returns the ids of those that it answered 201 for. */
function placeOrders({ place }: Awaited<ReturnType<typeof openShop>>) {
  const placed: number[] = [];
  const placeOn = async (worker: number): Promise<void> => {
    for (let nth = 0; ; nth += 1) {
      const answer = await place(`p${worker}-${nth}@cliente.example`).catch(() => undefined);
      if (!answer) return;
      if (answer.status === 201) placed.push(answer.body.id);
    }
  };
  return { placed, ended: Promise.all([1, 2, 3, 4].map(placeOn)) };
}

describe('npm start', { timeout: 2 * OPENING_MS }, () => {
  it('opens a server that explains its use, for this machine alone, and leaves no process behind', async () => {
    const server = start();
    const printed = await server.ready();
    const url = `http://localhost:${ports.PORT}/v2`;
    expect(printed.trimEnd().split('\n').at(-1)).toBe(`ready ${url}`);
    const users = ['paciente@demo.example (patient)', 'doctora@demo.example (doctor)', 'farmacia-demo-2026'];
    for (const text of [KEY, ...users]) expect(printed).toContain(text);
    const mailbox = /^Mailbox +(\S+)$/m.exec(printed)?.[1] ?? '';
    expect((await fetch(mailbox)).status).toBe(200);
    const calls = printed.split('\n').filter((line) => line.startsWith('curl '));
    const answers = calls.map((call) => JSON.parse(execFileSync('sh', ['-c', `${call} -sf`]).toString()));
    expect(answers).toMatchObject([{ count: expect.any(Number) }, { errors: {} }, { access: expect.any(String) }]);

    expect(await readComplaint(await freePorts(), '--fresh')).toBe(
      `The data in ${directory} is in use by another local server: stop it, or let LOCAL_DIR name another folder.`,
    );
    for (const entry of await readdir(directory, { recursive: true })) {
      expect((await stat(join(directory, entry))).mode & 0o077, entry).toBe(0);
    }
    for (const address of externalAddresses()) expect(await isAnyOpen(address)).toBe(false);
    const askDatabase = async (headers: Record<string, string>) =>
      (await sendHttp(`http://127.0.0.1:${ports.DYNAMODB_PORT}`, '/', { method: 'GET', headers })).status;
    expect(await askDatabase({ Host: 'localhost' })).toBe(200);
    expect(await askDatabase({ Host: 'evil.example' })).toBe(421);
    expect(await askDatabase({ Host: 'localhost', Origin: 'https://evil.example' })).toBe(421);

    const engine = findEngine(server);
    // On Ctrl-C, npm sends the signal twice: once from the terminal and once passed on.
    server.process.kill('SIGINT');
    server.process.kill('SIGINT');
    expect(await server.ended()).toBe(0);
    expect(isAlive(engine)).toBe(false);
    expect(await isAnyOpen('127.0.0.1')).toBe(false);
  });

  it('has every order that was answered 201, and none in part, its keys and a catalog that it can read, after its engine and then it were killed', async () => {
    const first = start({}, '--quiet');
    await first.ready();
    const readKeys = async () =>
      JSON.parse(await readFile(join(directory, 'api-keys.json'), 'utf8')).map(({ id }: { id: string }) => id);
    const keys = await readKeys();
    await publishOtherFormat();
    const { placed, ended } = placeOrders(await openShop());
    const untilPlaced = (count: number) =>
      vi.waitUntil(() => placed.length >= count, { timeout: OPENING_MS, interval: 1 });
    await untilPlaced(10);
    process.kill(findEngine(first) ?? Number.NaN, 'SIGKILL');
    await vi.waitUntil(() => first.complaints().includes('runs again'), { timeout: OPENING_MS, interval: 5 });
    expect(first.complaints()).toMatch(/^Dynoxide, the DynamoDB engine, has ended \(SIGKILL\)/);
    await untilPlaced(placed.length + 10);
    const orphan = findEngine(first);
    first.process.kill('SIGKILL');
    await ended;
    await vi.waitUntil(() => !isAlive(orphan), { timeout: 10_000, interval: 20 });

    const second = start({}, '--quiet');
    await second.ready();
    const { read } = await openShop();
    const list = await read('/v2/api/orders/?limit=100');
    const stored: number[] = list.body.results.map(({ id }: { id: number }) => id);
    expect(list.body.count).toBe(stored.length);
    expect(stored).toEqual(expect.arrayContaining(placed));
    for (const id of stored) {
      const { status, body } = await read(`/v2/api/orders/${id}/`);
      const email = expect.stringMatching(/^p\d-\d+@/);
      expect([status, body.details.length, body.patient.user.email]).toEqual([200, 1, email]);
    }
    expect((await send('GET', '/v2/api/products/?limit=1')).status).toBe(200);
    expect(await readKeys()).toEqual(keys);
    second.process.kill('SIGTERM');
    expect(await second.ended()).toBe(0);
  });

  it('stops its engines when it is stopped while it starts', async () => {
    const server = start();
    const engine = await vi.waitUntil(() => findEngine(server), { timeout: OPENING_MS, interval: 10 });
    server.process.kill('SIGTERM');
    expect(await server.ended()).toBe(0);
    expect(isAlive(engine)).toBe(false);
    expect(server.output()).not.toContain('ready');
  });

  it('names damaged data, and empties it with --fresh', async () => {
    await mkdir(join(directory, 'dynamodb'));
    await writeFile(join(directory, '.pharmacy-server'), '');
    await writeFile(join(directory, 'dynamodb', 'dynoxide.db'), 'no database '.repeat(1_000));
    expect(await readComplaint()).toBe(
      `The data in ${join(directory, 'dynamodb')} cannot be used (Dynoxide ended with code 1: Database file is encrypted or not a valid SQLite database): start with "npm start -- --fresh" to empty it, or let LOCAL_DIR name another folder.`,
    );
    await start({}, '--fresh').ready();
  });
});

describe('a start that cannot succeed', { timeout: OPENING_MS }, () => {
  it('names each port in use, and removes nothing with --fresh', async () => {
    await Promise.all(Object.values(ports).map(holdPort));
    await writeFile(join(directory, '.pharmacy-server'), '');
    await writeFile(join(directory, 'api-keys.json'), '[]');
    const complaint = await readComplaint({}, '--fresh');
    for (const [name, port] of Object.entries(ports))
      expect(complaint).toContain(`Port ${port} is in use: set ${name} `);
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

  it('refuses a folder with other content, also with --fresh', async () => {
    await writeFile(join(directory, 'thesis.txt'), 'years of work');
    expect(await readComplaint({}, '--fresh')).toBe(
      `${directory} holds something other than the data of a local server: set LOCAL_DIR to an empty folder.`,
    );
    expect(await readFile(join(directory, 'thesis.txt'), 'utf8')).toBe('years of work');
  });
});
