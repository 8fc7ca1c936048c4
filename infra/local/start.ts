import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { localDirectory } from './environment.ts';
import type { Stop } from './local-server.ts';
import { LocalServerError } from './local-server-error.ts';

const USAGE =
  'Usage: npm start [-- --fresh] [--quiet]\n\n  --fresh  empty the data first\n  --quiet  log failures only\n  --help   show these options\n';
// npm forwards a Ctrl-C that this process has already received from the terminal, so signals may arrive twice.
const LEAVING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
// With the code that an earlier start compiled, a start takes 1.2 s of work of Node instead of 1.8. `npm start` names the
// folder in the environment too: then Node need not load its TypeScript compiler for this file, which took 13 MB.
const COMPILED = join(import.meta.dirname, '../../node_modules/.cache/compiled');
// Engines take some seconds to start on a busy machine, and can be stopped cleanly only after that.
const LEAVING_MS = 15_000;

async function runServer(): Promise<number> {
  const leaving = new AbortController();
  const left = new Promise<void>((resolve) => leaving.signal.addEventListener('abort', () => resolve()));
  for (const signal of LEAVING_SIGNALS) process.on(signal, () => leaving.abort());
  // As on Lambda, an unhandled rejection fails one request and not the service.
  process.on('unhandledRejection', printFailure);

  const stops: Stop[] = [];
  try {
    const { fresh, quiet, help } = readOptions();
    if (help) {
      process.stdout.write(USAGE);
      return 0;
    }
    if (quiet) process.env.POWERTOOLS_LOG_LEVEL = 'ERROR';
    console.log(`Starting the pharmacy with its data in ${localDirectory(process.env)}`);
    enableCompileCache(COMPILED);
    // Imported late: a Ctrl-C must already work.
    const { startLocalServer } = await import('./local-server.ts');
    const opening = startLocalServer({ data: fresh ? 'emptied' : 'kept', signal: leaving.signal, stops });
    console.log(await Promise.race([opening, overdue(left)]));
    await left;
    return 0;
  } catch (error) {
    if (leaving.signal.aborted) return 0;
    printFailure(error);
    return 1;
  } finally {
    for (const stop of stops.reverse()) await stop().catch(printFailure);
  }
}

// Ends the process if the start hangs after a Ctrl-C.
async function overdue(left: Promise<void>): Promise<never> {
  await left;
  await pause(LEAVING_MS);
  throw new Error('the start did not end in time');
}

const FLAG = { type: 'boolean', default: false } as const;

function readOptions(): { fresh: boolean; quiet: boolean; help: boolean } {
  try {
    return parseArgs({ options: { fresh: FLAG, quiet: FLAG, help: FLAG } }).values;
  } catch (error) {
    throw new LocalServerError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function printFailure(error: unknown): void {
  console.error(error instanceof LocalServerError ? error.message : error);
}

process.exit(await runServer());
