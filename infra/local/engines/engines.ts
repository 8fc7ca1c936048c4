import { join } from 'node:path';
import { type Environment, localDirectory, localPorts } from '../environment.ts';
import { type DynamoDb, type Engine, startDynamoDb } from './dynamodb/engine.ts';
import type { NamedPort } from './ports.ts';
import { startS3 } from './s3.ts';
import { startSes } from './ses.ts';

export type Engines = Engine & {
  /** The address of the DynamoDB that was started here; undefined if the environment names another. */
  readonly dynamoDbUrl: string | undefined;
};

/**
 * Starts DynamoDB, S3 and SES on loopback in parallel, except those for which the environment names another endpoint. If one
 * cannot start, the others are stopped. `report` receives a line whenever DynamoDB ends by itself. Throws LocalServerError for a
 * cause that the user can fix.
 */
export async function startEngines(env: Environment, report: (line: string) => void): Promise<Engines> {
  const ports = localPorts(env);
  const directory = localDirectory(env);
  const start = {
    DYNAMODB_PORT: () => startDynamoDb({ directory: join(directory, 'dynamodb'), port: ports.DYNAMODB_PORT, report }),
    S3_PORT: () => startS3(join(directory, 's3'), ports.S3_PORT),
    SES_PORT: () => startSes(ports.SES_PORT),
  };
  const outcomes = await Promise.allSettled(
    enginesHere(env).map(({ port }): Promise<Engine | DynamoDb> => start[port]()),
  );
  const running = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const stop = async () => {
    await Promise.all(running.map((engine) => engine.stop()));
  };
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (!failure) return { stop, dynamoDbUrl: running.find((engine) => 'url' in engine)?.url };
  await stop();
  throw failure.reason;
}

/** Returns the ports on which `startEngines` opens engines. */
export function enginePorts(env: Environment): NamedPort[] {
  const ports = localPorts(env);
  return enginesHere(env).map(({ port }) => ({ port: ports[port], variable: port }));
}

const enginesHere = (env: Environment) => ENGINES.filter(({ elsewhere }) => !env[elsewhere]);

const ENGINES = [
  { port: 'DYNAMODB_PORT', elsewhere: 'AWS_ENDPOINT_URL_DYNAMODB' },
  { port: 'S3_PORT', elsewhere: 'AWS_ENDPOINT_URL_S3' },
  { port: 'SES_PORT', elsewhere: 'AWS_ENDPOINT_URL_SES' },
] as const;
