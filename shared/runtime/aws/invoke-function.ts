import { awsConfig } from '../config.ts';
import { configuredAccess, signedFetch } from './signed-fetch.ts';

const TIMEOUT_MS = 2_000;

class LambdaError extends Error {
  override readonly name = 'LambdaError';
  /** The status of the answer, for the log, which leaves out messages. */
  readonly code: number;

  constructor(status: number) {
    super(`Lambda answered ${status}`);
    this.code = status;
  }
}

/** Invokes a Lambda function, which runs by itself then. */
export type Invoke = (event: object) => Promise<void>;

/**
 * Returns what invokes a function (`<name>` or `<name>:<alias>`) asynchronously (Lambda's Invoke with `InvocationType: Event`).
 * It throws if Lambda does not take the event.
 */
export function functionInvoker(named: string): Invoke {
  const access = configuredAccess();
  const base = awsConfig().AWS_ENDPOINT_URL_LAMBDA ?? `https://lambda.${access.region}.amazonaws.com`;
  const [name = '', alias] = named.split(':');
  const qualifier = alias === undefined ? '' : `?Qualifier=${alias}`;
  const url = `${base}/2015-03-31/functions/${name}/invocations${qualifier}`;
  const send = signedFetch('lambda', access);
  const headers = { 'Content-Type': 'application/json', 'X-Amz-Invocation-Type': 'Event' };
  return async (event) => {
    const answer = await send(url, TIMEOUT_MS, { method: 'POST', headers, body: JSON.stringify(event) });
    await answer.body?.cancel();
    if (!answer.ok) throw new LambdaError(answer.status);
  };
}
