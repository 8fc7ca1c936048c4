import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { runVitest } from '../vitest.ts';
import { EXCLUDED_FILES, EXCLUDED_TESTS } from './excluded.ts';
import { checkPutEvents } from './put-events.ts';

/*
 * Runs the component tests on moto, another emulator of AWS, in place of the local engines of DynamoDB and S3: `npx node
 * test/moto/run.ts`. It shows what works only because the local engines forgive it. SES stays, because moto, like AWS, has none in
 * the region of the local server, and no mailbox that the tests could read.
 */

const INSTALL = `The tests need moto: install it with "python3 -m pip install 'moto[server]'".`;
const LISTENING = /Running on (http:\/\/127\.0\.0\.1:\d+)/;

type Moto = ChildProcessByStdio<null, null, Readable>;

/** Returns the address of moto, or undefined if it could not start. */
async function readAddress(moto: Moto): Promise<string | undefined> {
  // Without Python, the output ends at once.
  moto.on('error', () => undefined);
  for await (const line of createInterface({ input: moto.stderr })) {
    const address = LISTENING.exec(line)?.[1];
    if (address) return address;
  }
  return undefined;
}

function runTests(address: string): Promise<number> {
  const excluded = Object.keys(EXCLUDED_FILES).flatMap((file) => ['--exclude', `test/component/${file}`]);
  const names = `^(?!.*(${Object.keys(EXCLUDED_TESTS).join('|')}))`;
  const words = ['--project', 'component', '--maxWorkers=1', '-t', names, ...excluded, ...process.argv.slice(2)];
  return runVitest(words, { AWS_ENDPOINT_URL_DYNAMODB: address, AWS_ENDPOINT_URL_S3: address });
}

const server = join(import.meta.dirname, 'server.py');
const moto = spawn('python3', [server], { stdio: ['ignore', 'ignore', 'pipe'] });
const address = await readAddress(moto);
if (address) {
  moto.stderr.resume();
  try {
    await checkPutEvents(address);
    process.exitCode = await runTests(address);
  } finally {
    moto.kill();
  }
} else {
  console.error(INSTALL);
  process.exitCode = 1;
}
