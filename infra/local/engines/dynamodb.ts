import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request as forward, type RequestListener, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { LocalServerError, unusableFolder } from '../environment.ts';
import { makeFolder } from './folder.ts';
import { closeServer, isListening, serveGuarded } from './ports.ts';

export type Engine = { stop(): Promise<void> };

/** The url is for this process and those that it starts; others find the engine on the port that was asked for. */
export type DynamoDb = Engine & { readonly url: string };

type DynamoDbOptions = {
  readonly directory: string;
  readonly port: number;
  /** Receives a line when the engine has ended by itself, and when it runs again. */
  readonly report: (line: string) => void;
};

type Address = { readonly host: string; readonly port: number };
type Program = Address & { readonly executable: string; readonly directory: string };
/** `ended` resolves with how it ended: `code 1`, `SIGKILL`. */
type Running = { readonly child: ChildProcess; readonly ended: Promise<string> };

const PACKAGE = `@dynoxide/${process.platform}-${process.arch}`;
const FILE = 'dynoxide.db';
const IS_WINDOWS = process.platform === 'win32';

const STARTING_MS = 30_000;
const PROBE_MS = 5;
const STOPPING_MS = 3_000;
const AGAIN_MS = 5_000;
const MAX_LOG_LINES = 100;

/**
 * Starts Dynoxide on loopback, with its file in the directory, and starts it again whenever it ends by itself. Throws
 * LocalServerError if it is not installed, or cannot use the directory.
 */
export async function startDynamoDb({ directory, port, report }: DynamoDbOptions): Promise<DynamoDb> {
  const program = { executable: findExecutable(), directory, ...(await pickAddress()) };
  const url = `http://${program.host}:${program.port}`;
  makeFolder(directory);
  const engine = await supervise(program, report);
  try {
    maintainStreamRecords(join(directory, FILE), new Date());
    const guard = await openGuard(url, port);
    return { url, stop: () => closeServer(guard).then(engine.stop) };
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

function findExecutable(): string {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`));
    return join(folder, IS_WINDOWS ? 'dynoxide.exe' : 'dynoxide');
  } catch (cause) {
    const advice = `"npm ci" installs ${PACKAGE} where npm has it; else point AWS_ENDPOINT_URL_DYNAMODB at another DynamoDB`;
    throw new LocalServerError(`The local server needs a DynamoDB engine: ${advice}.`, { cause });
  }
}

/**
 * Returns the engine's own address. The engine answers every page and host name, so nobody may guess this address: the host is one of
 * the 16 million loopback addresses (macOS has one only). The port is free on all of them, which Dynoxide requires.
 */
async function pickAddress(): Promise<Address> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await once(probe.close(), 'close');
  const hasOneAddress = process.platform === 'darwin';
  return { port, host: hasOneAddress ? '127.0.0.1' : ['127', ...[1, 2, 3].map(() => randomInt(1, 255))].join('.') };
}

/** Opens the documented port, which passes requests on to the engine and refuses those of foreign pages. */
async function openGuard(url: string, port: number): Promise<Server> {
  const agent = new Agent({ keepAlive: true });
  const pass: RequestListener = (request, response) => {
    const { method, headers, url: path } = request;
    const passed = forward(url, { agent, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  };
  const server = await serveGuarded(pass, port, 'DYNAMODB_PORT');
  return server.on('close', () => agent.destroy());
}

/** Runs Dynoxide and restarts it whenever it ends, until it is stopped. Resolves once it takes connections. */
async function supervise(program: Program, report: (line: string) => void): Promise<Engine> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running = await launch(program);

  async function watch(): Promise<void> {
    for (;;) {
      const how = await running.ended;
      if (signal.aborted) return;
      report(`Dynoxide, the DynamoDB engine, has ended (${how}): it is being started again.`);
      await launchAgain();
      // `stop` may have been called while the engine was starting.
      if (signal.aborted) return end(running);
      report('Dynoxide runs again.');
    }
  }

  async function launchAgain(): Promise<void> {
    while (!signal.aborted) {
      try {
        running = await launch(program);
        return;
      } catch (error) {
        report(`${(error as Error).message} Orders are answered 503 until it runs.`);
        await pause(AGAIN_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await end(running);
      await watching;
    },
  };
}

async function launch(program: Program): Promise<Running> {
  const child = spawnWithParent(program);
  const lines = collectLines(child.stdout as Readable, child.stderr as Readable);
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  // The last output may arrive after `exit`.
  child.once('close', (code, signal) => resolve(signal ?? `code ${code}`));
  // A program that cannot be started never closes.
  child.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  child.once('exit', () => releaseShell(child));
  const outcome = await Promise.race([untilListening(program), ended]);
  if (outcome === 'listening') return { child, ended };
  if (outcome === 'overdue') await end({ child, ended });
  throw explainEnd(program.directory, outcome, lines);
}

// On POSIX systems a child outlives a parent that was killed. So the engine takes the place of a shell, whose copy ends the
// engine once nothing can be read from a pipe that only this process holds. Windows ends the children with their parent.
const WITH_PARENT = '(read -r line <&3 || kill $$) & exec 3<&-; exec "$0" "$@"';

function spawnWithParent({ executable, host, port, directory }: Program): ChildProcess {
  const words = [executable, '--host', host, '--port', String(port), '--db-path', join(directory, FILE)];
  const [program = '', ...all] = IS_WINDOWS ? words : ['/bin/sh', '-c', WITH_PARENT, ...words];
  return spawn(program, all, {
    cwd: directory,
    // Its own process group: a Ctrl-C in the terminal must reach only the server, which stops its engines last.
    detached: !IS_WINDOWS,
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
}

/** Ends the shell's copy without its `kill`, as the process id may soon belong to another process. */
function releaseShell({ stdio }: ChildProcess): void {
  const pipe = stdio[3] as Writable | null;
  pipe?.on('error', () => undefined);
  pipe?.end('\n');
}

function collectLines(...streams: readonly Readable[]): string[] {
  const lines: string[] = [];
  for (const stream of streams) {
    createInterface(stream).on('line', (line) => {
      // The first lines explain a failed start.
      if (lines.length < MAX_LOG_LINES && line.trim() !== '') lines.push(line);
    });
  }
  return lines;
}

async function untilListening({ host, port }: Address): Promise<'listening' | 'overdue'> {
  const deadline = Date.now() + STARTING_MS;
  while (Date.now() < deadline) {
    if (await isListening(host, port)) return 'listening';
    await pause(PROBE_MS);
  }
  return 'overdue';
}

function explainEnd(directory: string, how: string, lines: readonly string[]): Error {
  if (how === 'overdue') return new LocalServerError(`Dynoxide does not listen after ${STARTING_MS / 1_000} s.`);
  const reason = lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? 'it gave no reason';
  const message = `Dynoxide ended with ${how}: ${reason.replace(/^error: /, '').replace(/\. .*$/, '')}`;
  // 126 and 127 are a shell's codes for a program that it cannot run: the data are not at fault.
  if (/in use|ENOENT|EACCES|code 12[67]:/.test(message)) return new LocalServerError(message);
  return unusableFolder(directory, message, new Error(lines.join('\n')));
}

async function end({ child, ended }: Running): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  child.kill();
  const overdue = setTimeout(() => child.kill('SIGKILL'), STOPPING_MS);
  await ended;
  clearTimeout(overdue);
}

const DAY_SECONDS = 24 * 60 * 60;
// The engine may be writing.
const PATIENCE_MS = 5_000;

/**
 * Keeps writes to a table with a stream at the same speed. Dynoxide (1.2.1) has the records of all streams in one table of its
 * file, looks for their greatest number at each write, without an index, and removes none: 18 writes took 38 ms at 1,800 records
 * and 96 ms at 14,400; with the index 4 to 5 ms at any number.
 *
 * Records older than a day are removed, as DynamoDB does. The last one of each table stays: the next number is counted from
 * it, and readers of the stream continue behind the number that they remember.
 */
export function maintainStreamRecords(file: string, now: Date): void {
  const oldest = Math.floor(now.getTime() / 1_000) - DAY_SECONDS;
  const database = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    database.exec(
      `CREATE INDEX IF NOT EXISTS _stream_records_by_number
         ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
       DELETE FROM _stream_records WHERE created_at < ${oldest}
         AND id NOT IN (SELECT MAX(id) FROM _stream_records GROUP BY table_name)`,
    );
  } finally {
    database.close();
  }
}
