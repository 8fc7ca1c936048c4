import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import { type Environment, localDirectory, localPorts } from '../environment.ts';
import { refuseForeignPages } from '../local-request.ts';
import { type Engine, startDynamoDb } from './dynamodb/engine.ts';
import { makeFolder } from './folder.ts';
import { listenOn, type NamedPort } from './ports.ts';

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
  const wanted = enginesHere(env);
  const outcomes = await Promise.allSettled(
    wanted.map(({ folder, port, start }) => start(join(directory, folder), ports[port])),
  );
  const running = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const stop = async () => {
    await Promise.all(running.map((engine) => engine.stop()));
  };
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (!failure) return { stop, failure: running.find((engine) => engine.failure)?.failure };
  await stop();
  throw failure.reason;
}

/** Returns the ports on which `startEngines` opens engines. */
export function enginePorts(env: Environment): NamedPort[] {
  const ports = localPorts(env);
  return enginesHere(env).map(({ port }) => ({ port: ports[port], variable: port }));
}

const enginesHere = (env: Environment) => ENGINES.filter(({ elsewhere }) => !env[elsewhere]);

async function startS3(directory: string, port: number): Promise<Engine> {
  await makeFolder(directory);
  // S3rver computes the signature of bucket requests without the trailing slash that the SDK signs.
  const engine = new S3rver({ directory, silent: true, allowMismatchedSignatures: true });
  const server = createServer(engine.callback());
  refuseForeignPages(server);
  await listenOn(server, port, 'S3_PORT');
  return { stop: () => close(server) };
}

// The package itself does not report that a port is taken.
async function startSes(_directory: string, port: number): Promise<Engine> {
  const server = await startMailbox({ host: '127.0.0.1', port });
  refuseForeignPages(server);
  return { stop: () => close(server) };
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

const ENGINES = [
  { port: 'DYNAMODB_PORT', elsewhere: 'AWS_ENDPOINT_URL_DYNAMODB', folder: 'dynamodb', start: startDynamoDb },
  { port: 'S3_PORT', elsewhere: 'AWS_ENDPOINT_URL_S3', folder: 's3', start: startS3 },
  { port: 'SES_PORT', elsewhere: 'AWS_ENDPOINT_URL_SES', folder: 'ses', start: startSes },
] as const;
