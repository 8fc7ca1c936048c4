import { join } from 'node:path';
import { type Environment, localDirectory, localPorts } from '../environment.ts';
import { type Engine, startDynamoDb } from './dynamodb/engine.ts';
import type { NamedPort } from './ports.ts';

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

// Loaded late: Java, which takes longest, starts while Node loads the other two.
async function startS3(directory: string, port: number): Promise<Engine> {
  const s3 = await import('./s3.ts');
  return s3.startS3(directory, port);
}

async function startSes(_directory: string, port: number): Promise<Engine> {
  const ses = await import('./ses.ts');
  return ses.startSes(port);
}

const ENGINES = [
  { port: 'DYNAMODB_PORT', elsewhere: 'AWS_ENDPOINT_URL_DYNAMODB', folder: 'dynamodb', start: startDynamoDb },
  { port: 'S3_PORT', elsewhere: 'AWS_ENDPOINT_URL_S3', folder: 's3', start: startS3 },
  { port: 'SES_PORT', elsewhere: 'AWS_ENDPOINT_URL_SES', folder: 'ses', start: startSes },
] as const;
