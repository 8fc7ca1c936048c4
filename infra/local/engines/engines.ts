import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import { type Environment, type LocalPorts, localDirectory, localPorts } from '../environment.ts';
import { type Engine, startDynamoDb } from './dynamodb/engine.ts';
import { makeFolder } from './folder.ts';
import { expectFreePort, listenOn } from './ports.ts';

// Loaded with require, because the default import of this CommonJS package differs between Node and vitest.
type Mailbox = { readonly default: (config: { host: string; port: number }) => Promise<Server> };
const { default: startMailbox }: Mailbox = createRequire(import.meta.url)('aws-ses-v2-local');

/**
 * Starts DynamoDB, S3 and SES on loopback in parallel, except those for which the environment names another endpoint. If
 * one cannot start, the others are stopped. Throws LocalServerError for a cause that the user can fix.
 */
export async function startEngines(env: Environment): Promise<Engine> {
  const ports = localPorts(env);
  const directory = localDirectory(env);
  const starts: Promise<Engine>[] = [];
  if (!env.AWS_ENDPOINT_URL_DYNAMODB) starts.push(startTable(join(directory, 'dynamodb'), ports));
  if (!env.AWS_ENDPOINT_URL_S3) starts.push(startObjects(join(directory, 's3'), ports));
  if (!env.AWS_ENDPOINT_URL_SES) starts.push(startMail(ports));

  const outcomes = await Promise.allSettled(starts);
  const running = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const stop = async () => {
    await Promise.all(running.map((engine) => engine.stop()));
  };
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (!failure) return { stop };
  await stop();
  throw failure.reason;
}

async function startTable(directory: string, { DYNAMODB_PORT }: LocalPorts): Promise<Engine> {
  await expectFreePort(DYNAMODB_PORT, 'DYNAMODB_PORT');
  return startDynamoDb(directory, DYNAMODB_PORT);
}

async function startObjects(directory: string, { S3_PORT }: LocalPorts): Promise<Engine> {
  await makeFolder(directory);
  // S3rver computes the signature of bucket requests without the trailing slash that the SDK signs.
  const engine = new S3rver({ directory, silent: true, allowMismatchedSignatures: true });
  const server = createServer(engine.callback());
  await listenOn(server, S3_PORT, 'S3_PORT');
  return { stop: () => close(server) };
}

async function startMail({ SES_PORT }: LocalPorts): Promise<Engine> {
  // The package itself does not report that a port is taken.
  await expectFreePort(SES_PORT, 'SES_PORT');
  const server = await startMailbox({ host: '127.0.0.1', port: SES_PORT });
  return { stop: () => close(server) };
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
