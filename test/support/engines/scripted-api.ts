import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

type ReceivedRequest = {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};
/** A scripted answer, or a network failure instead of one. */
export type Scripted =
  | {
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | 'hangs up'
  | 'says nothing'
  /** Says nothing either, and calls this when the request has arrived. */
  | (() => void);

export type ScriptedApi = { readonly url: string; readonly heard: readonly ReceivedRequest[] };

/** Opens a server on loopback that answers requests in the order of the script and then repeats the last answer. */
export async function openScriptedApi(...script: readonly Scripted[]): Promise<ScriptedApi> {
  const heard: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const body = await text(request);
    const answer = script[Math.min(heard.length, script.length - 1)] ?? 'hangs up';
    heard.push({ line: `${method} ${url}`, headers, body });
    if (answer === 'hangs up') return response.destroy();
    if (answer === 'says nothing') return;
    if (typeof answer === 'function') return answer();
    response.writeHead(answer.status, { 'Content-Type': 'application/json', ...answer.headers });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`, heard };
}
