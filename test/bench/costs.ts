import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePorts } from '../support/engines/ports.ts';
import { type Call, KINDS, LOGIN, place, toRow } from './costs/kinds.ts';
import { type Answer, findLine, send } from './costs/send.ts';

/*
 * Prints the table of infra/cloud/costs.md, what a million requests of each kind cost: `npm run bench:costs`. Bytes of
 * answers and log lines and the read units are measured at the local server; write units are those of `npm run bench --
 * orders`, and Lambda's milliseconds the estimates of test/bench/README.md.
 */

const START = join(import.meta.dirname, '../../infra/local/start.ts');

/** Prints a row of the table for each kind of request. */
async function run(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'costs-'));
  const env = { ...process.env, ...(await freePorts()), LOCAL_DIR: directory };
  const server = spawn(process.execPath, [START], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  try {
    const url = (await findLine(lines, (line) => line.startsWith('ready '))).replace('ready ', '');
    await printRows((call, token) => send(url, lines, call, token));
  } finally {
    server.kill('SIGINT');
    await once(server, 'exit');
    await rm(directory, { recursive: true, force: true });
  }
}

async function printRows(ask: (call: Call, token: string) => Promise<Answer>): Promise<void> {
  const token = JSON.parse((await ask(LOGIN(), '')).text).access;
  // The page of orders is as long as it can be only if there are enough.
  for (let placed = 1; placed <= 20; placed++) await ask(place(`known-${placed}@bench.example`)(), token);
  console.log('| Request | Bytes out, logged | Read, write units | Gateway | Lambda | Table | Logs | Out | S3 | USD |');
  for (const kind of KINDS) console.log(toRow(kind, await ask(kind.call(), token)));
}

await run();
