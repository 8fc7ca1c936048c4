import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export type FakeAnswer = {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
};
/** The answer to each call, by the call's target (`DescribeTable`) or by its method and path. */
export type FakeAnswers = Readonly<Record<string, FakeAnswer | ((path: string) => Promise<FakeAnswer> | FakeAnswer)>>;

export type FakeAws = {
  readonly url: string;
  /** Replaces the answers to these calls until it is called again. */
  answer(changes?: FakeAnswers): void;
  /** The `Authorization` header of every call since the last `answer`, by the name of the call. */
  readonly signatures: ReadonlyMap<string, string>;
  close(): Promise<void>;
};

/** Opens a fake AWS on loopback for calls that no local engine supports. Calls without a prepared answer get 500. */
export async function openFakeAws(usual: FakeAnswers): Promise<FakeAws> {
  let answers = usual;
  const signatures = new Map<string, string>();
  const server = createServer(async (request, response) => {
    request.resume();
    const name = nameCall(request);
    signatures.set(name, request.headers.authorization ?? '');
    const { status = 200, headers, body } = await findAnswer(name, request.url ?? '', answers);
    const payload = body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(payload);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer(changes = {}) {
      answers = { ...usual, ...changes };
      signatures.clear();
    },
    signatures,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function findAnswer(name: string, path: string, answers: FakeAnswers): Promise<FakeAnswer> {
  const found = Object.entries(answers).find(([call]) => name === call || name.startsWith(`${call}/`))?.[1];
  if (found === undefined) return { status: 500, body: { name } };
  try {
    return typeof found === 'function' ? await found(path) : found;
  } catch (error) {
    return { status: 500, body: { error: String(error) } };
  }
}

function nameCall({ method, url = '', headers }: IncomingMessage): string {
  const target = String(headers['x-amz-target'] ?? '').split('.')[1];
  if (target) return target;
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const [flag] = ['publicAccessBlock', 'versioning'].filter((each) => searchParams.has(each));
  return `${method} ${pathname.replace(/\/$/, '')}${flag ? `?${flag}` : ''}`;
}
