import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { LocalServerError } from './local-server-error.ts';

const USAGE =
  'Usage: npm start [-- --fresh] [--quiet]\n\n  --fresh  empty the data first\n  --quiet  log failures only\n  --help   show these options\n';
// npm forwards a Ctrl-C that this process has already received from the terminal, so signals may arrive twice.
const LEAVING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
// Engines take some seconds to start on a busy machine, and can be stopped cleanly only after that.
const LEAVING_MS = 15_000;
const PARENT_SEEN_EVERY_MS = 1_000;

/**
 * The server runs in a thread, because only there code can bound the memory of V8, in any shell: after 600 orders the process has
 * 200 MB instead of 360.
 */
const MEMORY = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 320 } as const;

function startServer(options: Options): void {
  const server = new Worker(new URL('./server-thread.ts', import.meta.url), {
    workerData: options,
    resourceLimits: MEMORY,
  });
  let isLeaving = false;
  const leave = () => {
    isLeaving = true;
    server.postMessage('leave');
    // Ends the process if the start hangs after a Ctrl-C.
    setTimeout(() => process.exit(0), LEAVING_MS).unref();
  };
  for (const signal of LEAVING_SIGNALS) process.on(signal, leave);
  leaveWithNpm(leave);
  server.on('error', (error) => {
    console.error(error);
    process.exitCode = 1;
  });
  server.on('exit', (code) => process.exit(isLeaving ? 0 : code));
}

/** Leaves once the shell has ended in which npm runs this: it passes no signal on, such as npm's when it is told to end. */
function leaveWithNpm(leave: () => void): void {
  const shell = process.ppid;
  if (process.env.npm_lifecycle_event === undefined) return;
  setInterval(() => process.ppid !== shell && leave(), PARENT_SEEN_EVERY_MS).unref();
}

/** The options of the command line. */
export type Options = { readonly fresh: boolean; readonly quiet: boolean };

const FLAG = { type: 'boolean', default: false } as const;

function readOptions(): Options & { help: boolean } {
  try {
    return parseArgs({ options: { fresh: FLAG, quiet: FLAG, help: FLAG } }).values;
  } catch (error) {
    throw new LocalServerError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

try {
  const { help, ...options } = readOptions();
  if (help) process.stdout.write(USAGE);
  else startServer(options);
} catch (error) {
  console.error(error instanceof LocalServerError ? error.message : error);
  process.exitCode = 1;
}
