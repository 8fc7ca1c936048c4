import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { Agent, request as forward, type RequestListener, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import type { Readable, Writable } from 'node:stream';
import { LocalServerError, unusableFolder } from '../environment.ts';
import { closeServer, serveGuarded } from './ports.ts';

const PACKAGE = `@dynoxide/${process.platform}-${process.arch}`;
const FILE = 'dynoxide.db';
const IS_WINDOWS = process.platform === 'win32';
const STOPPING_MS = 3_000;
const LISTENING = / listening on /;

/**
 * Starts Dynoxide on loopback, with its file in the directory, and starts it again when it ends by itself, as a request can end
 * version 1.2.1. The `url` is for this process and those that it starts; others find the engine on the port. `failed` rejects once
 * the engine cannot be started again. Throws LocalServerError if the engine is not installed, or cannot use the directory.
 */
export async function startDynamoDb(directory: string, port: number) {
  const program = { executable: findExecutable(), directory, ...(await pickAddress()) };
  const url = `http://${program.host}:${program.port}`;
  mkdirSync(directory, { recursive: true });
  let engine = await launch(program);
  let isStopping = false;

  async function watch(): Promise<void> {
    for (;;) {
      const how = await engine.ended;
      if (isStopping) return;
      console.error(`Dynoxide, the DynamoDB engine, has ended (${how}): it is being started again.`);
      engine = await launch(program);
      // `stop` may have been called meanwhile.
      if (isStopping) return engine.stop();
      console.error('Dynoxide runs again.');
    }
  }

  try {
    maintainStreamRecords(join(directory, FILE), new Date());
    const guard = await openGuard(url, port);
    const failed = watch();
    return {
      url,
      failed,
      async stop() {
        isStopping = true;
        await closeServer(guard);
        await engine.stop();
        await failed.catch(() => undefined);
      },
    };
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
async function pickAddress() {
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

type Program = {
  readonly executable: string;
  readonly directory: string;
  readonly host: string;
  readonly port: number;
};

/** Runs Dynoxide. Resolves once it takes connections. */
async function launch({ executable, directory, host, port }: Program) {
  const words = [executable, '--host', host, '--port', String(port), '--db-path', join(directory, FILE)];
  const child = spawnWithParent(words, directory);
  // The last output may arrive after `exit`.
  const ended = once(child, 'close').then(([code, signal]): string => signal ?? `code ${code}`);
  const stderr = child.stderr as Readable;
  const lines: string[] = [];
  for await (const line of createInterface(stderr)) {
    lines.push(line);
    if (LISTENING.test(line)) break;
  }
  if (!LISTENING.test(lines.at(-1) ?? '')) throw explainEnd(directory, await ended, lines);
  // The output is read on, or the engine would wait for a reader.
  stderr.resume();
  return { ended, stop: () => end(child, ended) };
}

// On POSIX systems a child outlives a parent that was killed. So the engine takes the place of a shell, whose copy ends the
// engine once nothing can be read from a pipe that only this process holds. Windows ends the children with their parent.
const WITH_PARENT = '(read -r line <&3 || kill $$) & exec 3<&-; exec "$0" "$@"';

function spawnWithParent(words: readonly string[], cwd: string): ChildProcess {
  const [program = '', ...all] = IS_WINDOWS ? words : ['/bin/sh', '-c', WITH_PARENT, ...words];
  const child = spawn(program, all, {
    cwd,
    // Its own process group: a Ctrl-C in the terminal must reach only the server, which stops its engines last.
    detached: !IS_WINDOWS,
    windowsHide: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const pipe = child.stdio[3] as Writable;
  // Ends the shell's copy without its `kill`, as the process id may soon belong to another process.
  child.once('exit', () => pipe.on('error', () => undefined).end('\n'));
  return child;
}

function explainEnd(directory: string, how: string, lines: readonly string[]): Error {
  const reason = lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? 'it gave no reason';
  const message = `Dynoxide ended with ${how}: ${reason.replace(/^error: /, '').replace(/\. .*$/, '')}`;
  // 126 and 127 are a shell's codes for a program that it cannot run: the data are not at fault.
  if (/in use|code 12[67]:/.test(message)) return new LocalServerError(message);
  return unusableFolder(directory, message, new Error(lines.join('\n')));
}

async function end(child: ChildProcess, ended: Promise<string>): Promise<void> {
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
