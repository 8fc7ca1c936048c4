import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { DEMO_API_KEY } from '../../../infra/local/seed.ts';

export type HttpCall = {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string | string[]>> | undefined;
  /** An object is sent as JSON, text and bytes unchanged. */
  readonly body?: object | string | Buffer | undefined;
  /** The connection pool; by default one that all calls share. */
  readonly agent?: Agent;
};

export type HttpAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON, or the text of any other body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields that they expect
  readonly body: any;
};

const shared = new Agent({ keepAlive: true });

/** Sends an HTTP request with its target exactly as given; `fetch` would normalise slashes and escapes. */
export async function sendHttp(
  origin: string,
  target: string,
  { method, headers, body, agent = shared }: HttpCall,
): Promise<HttpAnswer> {
  const payload = encoded(body);
  const type = payload !== undefined && !(body instanceof Buffer) && { 'Content-Type': 'application/json' };
  const length = payload !== undefined && { 'Content-Length': Buffer.byteLength(payload) };
  const { hostname, port } = new URL(origin);
  const sent = request({ agent, hostname, port, path: target, method, headers: { ...type, ...length, ...headers } });
  sent.end(payload);
  const [response] = await once(sent, 'response');
  const isJson = method !== 'HEAD' && /\bjson\b/.test(response.headers['content-type'] ?? '');
  const hasBody = response.statusCode !== 204 && response.statusCode !== 304;
  const read = await (isJson && hasBody ? json(response) : text(response));
  return { status: response.statusCode, headers: response.headers, body: read };
}

export const encoded = (body: HttpCall['body']): string | Buffer | undefined =>
  typeof body === 'string' || body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body);

/** Returns the paths of a body's validation errors, as `order.details.1.product`. */
export function listErrorPaths(errors: unknown, path: readonly (string | number)[] = []): string[] {
  if (typeof errors === 'string') return [path.slice(0, -1).join('.')];
  const inner = Object.entries(errors as object).flatMap(([step, error]) => listErrorPaths(error, [...path, step]));
  return [...new Set(inner)];
}

export type Call = Pick<HttpCall, 'body'> & {
  readonly headers?: Readonly<Record<string, string>>;
  /** The API key; the demonstration client's if not given, none if null. */
  readonly key?: string | null;
  /** The access token, sent as `Authorization: Bearer`. */
  readonly token?: string;
};

/** Calls the API. The path has the query but not the stage. */
export type Caller = (method: string, path: string, call?: Call) => Promise<HttpAnswer>;

export function callHeaders({ key = DEMO_API_KEY, token, headers }: Call): Record<string, string> {
  return {
    ...(key !== null && { 'X-API-Key': key }),
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...headers,
  };
}
