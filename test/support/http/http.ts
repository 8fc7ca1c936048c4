import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { json, text } from 'node:stream/consumers';

export type HttpCall = {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string | string[]>> | undefined;
  /** An object is sent as JSON, a text or bytes as they are. */
  readonly body?: object | string | Buffer | undefined;
  /** Whose connections it takes; those of all other calls if not given. */
  readonly agent?: Agent;
};

export type HttpAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Parsed when it is JSON, else the text. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into it by the names that it expects
  readonly body: any;
};

const shared = new Agent({ keepAlive: true });

/** One HTTP request with its target exactly as written: no library tidies slashes or escapes up. */
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
