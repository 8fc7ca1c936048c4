import { refusedToOperator } from '../../../shared/usecases/operations/operator-refusal.ts';
import { isUnreachable, toConnection } from '../terminal/explain-error.ts';
import { isLocalServerRunning } from './local-server.ts';

/** The engines of the local server, each with the environment variable of its address. */
export const LOCAL_ENGINES = [
  { name: 'DynamoDB', endpoint: 'AWS_ENDPOINT_URL_DYNAMODB' },
  { name: 'S3', endpoint: 'AWS_ENDPOINT_URL_S3' },
  { name: 'SES', endpoint: 'AWS_ENDPOINT_URL_SES' },
] as const;

/** Returns the engine at whose address an error's call found nobody listening; undefined if at none. */
export function findEndedEngine(error: unknown): (typeof LOCAL_ENGINES)[number] | undefined {
  if (!(error instanceof Error)) return undefined;
  if (!isUnreachable(error)) return findEndedEngine(error.cause);
  const { port } = toConnection(error);
  return LOCAL_ENGINES.find(({ endpoint }) => URL.parse(process.env[endpoint] ?? '')?.port === String(port));
}

/** Returns the result of a command on the local server. Throws a Refusal that names the engine if one has ended. */
export async function nameEndedEngine<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    const engine = findEndedEngine(error);
    // Without the server, no engine runs either.
    if (!engine || !(await isLocalServerRunning())) throw error;
    throw refusedToOperator('engine_ended', { engine: engine.name, url: process.env[engine.endpoint] ?? '' });
  }
}
