import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LocalServerError, localDirectory } from './environment.ts';
import type { Stop } from './local-server.ts';

const USAGE =
  'Usage: npm start [-- --fresh] [--quiet]\n\n  --fresh  empty the data first\n  --quiet  log failures only';
// npm forwards a Ctrl-C that this process has already received from the terminal, so signals may arrive twice.
const LEAVING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
// Engines take some seconds to start on a busy machine, and can be stopped cleanly only after that.
const LEAVING_MS = 15_000;
const PARENT_SEEN_EVERY_MS = 1_000;
// With the code that an earlier start compiled, a start takes 1.2 s of work instead of 1.8.
const COMPILED = join(import.meta.dirname, '../../node_modules/.cache/compiled');

type Options = { readonly fresh: boolean; readonly quiet: boolean };

const FLAG = { type: 'boolean', default: false } as const;

function readOptions(): Options {
  try {
    return parseArgs({ options: { fresh: FLAG, quiet: FLAG } }).values;
  } catch (error) {
    throw new LocalServerError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

/** Runs the server until the process is told to end, and returns its exit code. */
async function runServer({ fresh, quiet }: Options): Promise<number> {
  const signal = leavingSignal();
  const stops: Stop[] = [];
  // The data hold names and prescriptions: what this process and its engines write is their user's alone.
  process.umask(0o077);
  // As on Lambda, an unhandled rejection fails one request and not the service.
  process.on('unhandledRejection', printFailure);
  try {
    if (quiet) process.env.POWERTOOLS_LOG_LEVEL = 'ERROR';
    console.log(`Starting the pharmacy with its data in ${localDirectory(process.env)}`);
    enableCompileCache(COMPILED);
    // Imported late: a Ctrl-C must already work.
    const { startLocalServer } = await import('./local-server.ts');
    const { welcome, failed } = await startLocalServer({ data: fresh ? 'emptied' : 'kept', signal, stops });
    console.log(welcome);
    await Promise.race([aborted(signal), failed]);
    return 0;
  } catch (error) {
    if (signal.aborted) return 0;
    printFailure(error);
    return 1;
  } finally {
    for (const stop of stops.reverse()) await stop().catch(printFailure);
  }
}

/** Returns a signal that is aborted once this process is told to end, which it does at the latest some seconds later. */
function leavingSignal(): AbortSignal {
  const leaving = new AbortController();
  const leave = () => {
    leaving.abort();
    setTimeout(() => process.exit(0), LEAVING_MS).unref();
  };
  for (const name of LEAVING_SIGNALS) process.on(name, leave);
  leaveWithNpm(leave);
  return leaving.signal;
}

/** Leaves once the shell has ended in which npm runs this: it passes no signal on, such as npm's when it is told to end. */
function leaveWithNpm(leave: () => void): void {
  const shell = process.ppid;
  if (process.env.npm_lifecycle_event === undefined) return;
  setInterval(() => process.ppid !== shell && leave(), PARENT_SEEN_EVERY_MS).unref();
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())));

function printFailure(error: unknown): void {
  console.error(error instanceof LocalServerError ? error.message : error);
}

try {
  process.exit(await runServer(readOptions()));
} catch (error) {
  printFailure(error);
  process.exitCode = 1;
}
