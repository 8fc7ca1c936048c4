import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { loopback } from '../http/loopback.ts';

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
  const { url, close } = await loopback(async (request, response) => {
    const body = await text(request);
    const answer = script[Math.min(heard.length, script.length - 1)] ?? 'hangs up';
    heard.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    if (answer === 'hangs up') return response.destroy();
    if (answer === 'says nothing') return;
    if (typeof answer === 'function') return answer();
    response.writeHead(answer.status, { 'Content-Type': 'application/json', ...answer.headers });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}));
  });
  onTestFinished(close);
  return { url: `${url}/v2`, heard };
}
