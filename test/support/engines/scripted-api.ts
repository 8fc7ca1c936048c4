import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { type FakeAnswer, loopback, sendAnswer } from '../http/loopback.ts';

type ReceivedRequest = {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};
/** A scripted answer, or a fault of the network instead of one; a function is called when the request has arrived, and says nothing. */
export type Scripted = (FakeAnswer & { readonly status: number }) | 'hangs up' | 'says nothing' | (() => void);

export type ScriptedApi = { readonly url: string; readonly heard: readonly ReceivedRequest[] };

/** Opens a server on loopback that answers requests in the order of the script and then repeats the last answer. */
export async function openScriptedApi(...script: readonly Scripted[]): Promise<ScriptedApi> {
  const heard: ReceivedRequest[] = [];
  const { url, close } = await loopback(async (request, response) => {
    const body = await text(request);
    const answer = script[Math.min(heard.length, script.length - 1)] ?? 'hangs up';
    heard.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    if (typeof answer === 'function') return answer();
    if (typeof answer === 'object') return sendAnswer(response, answer);
    sendAnswer(response, {}, answer === 'hangs up' ? 'drop' : 'hang');
  });
  onTestFinished(close);
  return { url: `${url}/v2`, heard };
}

type FakeCall = { readonly path: string; readonly body: string };
type Answering = FakeAnswer | ((call: FakeCall) => Promise<FakeAnswer> | FakeAnswer);
/** The answer to each call, by the call's target or action (`DescribeTable`) or by its method and path. */
export type FakeAnswers = Readonly<Record<string, Answering>>;

export type FakeAws = Awaited<ReturnType<typeof openFakeAws>>;

/** Opens a fake AWS on loopback for calls that no local engine supports. Calls without a prepared answer get 500. */
export async function openFakeAws(usual: FakeAnswers) {
  let answers = usual;
  const signatures = new Map<string, string>();
  const heard: { name: string; body: string; signature: string }[] = [];
  const { url, close } = await loopback(async (request, response) => {
    const sent = await text(request);
    const name = nameCall(request, sent);
    const { authorization: signature = '' } = request.headers;
    signatures.set(name, signature);
    heard.push({ name, body: sent, signature });
    sendAnswer(response, await findAnswer(name, { path: request.url ?? '', body: sent }, answers));
  });
  return {
    url,
    /** Replaces the answers to these calls until it is called again. */
    answer(changes: FakeAnswers = {}): void {
      answers = { ...usual, ...changes };
      signatures.clear();
      heard.length = 0;
    },
    /** The `Authorization` header of every call since the last `answer`, by the name of the call. */
    signatures,
    /** The bodies and signatures of the calls since the last `answer`, with the names of the calls. */
    heard,
    close,
  };
}

async function findAnswer(name: string, call: FakeCall, answers: FakeAnswers): Promise<FakeAnswer> {
  const found = answers[name] ?? Object.entries(answers).find(([call]) => name.startsWith(`${call}/`))?.[1];
  if (found === undefined) return { status: 500, body: { name } };
  try {
    return typeof found === 'function' ? await found(call) : found;
  } catch (error) {
    return { status: 500, body: { error: String(error) } };
  }
}

function nameCall({ method, url = '', headers }: IncomingMessage, body: string): string {
  const target = String(headers['x-amz-target'] ?? '').split('.')[1];
  if (target) return target;
  // Services of the query protocol are sent a form.
  const action = body.startsWith('Action=') ? new URLSearchParams(body).get('Action') : undefined;
  if (action) return action;
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const [flag] = ['publicAccessBlock', 'versioning'].filter((each) => searchParams.has(each));
  return `${method} ${pathname.replace(/\/$/, '')}${flag ? `?${flag}` : ''}`;
}
