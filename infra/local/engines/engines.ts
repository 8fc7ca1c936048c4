import { join } from 'node:path';
import type { LateModules } from '../bundle/import-late-modules.ts';
import { type Environment, localDirectory, localPorts } from '../environment.ts';
import { type Engine, startDynamoDb } from './dynamodb/engine.ts';
import type { NamedPort } from './ports.ts';

type ImportLate = () => Promise<LateModules>;

/**
 * Starts DynamoDB, S3 and SES on loopback in parallel, except those for which the environment names another endpoint. If
 * one cannot start, the others are stopped. Throws LocalServerError for a cause that the user can fix.
 *
 * Java, which takes longest, is started before the modules of the others are asked for.
 */
export async function startEngines(
  env: Environment,
  late: ImportLate = () => import('../late-modules.ts'),
): Promise<Engine> {
  const ports = localPorts(env);
  const directory = localDirectory(env);
  const wanted = enginesHere(env);
  const outcomes = await Promise.allSettled(
    wanted.map(({ folder, port, start }) => start(join(directory, folder), ports[port], late)),
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

async function startReadableDynamoDb(directory: string, port: number, late: ImportLate): Promise<Engine> {
  const engine = await startDynamoDb(directory, port);
  try {
    const { importDataCheck } = await late();
    const { expectReadableData } = await importDataCheck();
    await expectReadableData(directory, port);
    return engine;
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

async function startLateS3(directory: string, port: number, late: ImportLate): Promise<Engine> {
  const { importS3 } = await late();
  const { startS3 } = await importS3();
  return startS3(directory, port);
}

async function startLateSes(_directory: string, port: number, late: ImportLate): Promise<Engine> {
  const { importSes } = await late();
  const { startSes } = await importSes();
  return startSes(port);
}

const ENGINES = [
  { port: 'DYNAMODB_PORT', elsewhere: 'AWS_ENDPOINT_URL_DYNAMODB', folder: 'dynamodb', start: startReadableDynamoDb },
  { port: 'S3_PORT', elsewhere: 'AWS_ENDPOINT_URL_S3', folder: 's3', start: startLateS3 },
  { port: 'SES_PORT', elsewhere: 'AWS_ENDPOINT_URL_SES', folder: 'ses', start: startLateSes },
] as const;
