import type { IncomingMessage } from 'node:http';

const NOTHING = Buffer.alloc(0);

/** Reads the body of a request; undefined if it exceeds the limit. Never holds more than the limit in memory. */
export async function readBody(message: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  const declared = message.headers['content-length'];
  if (Number(declared ?? 0) > limitBytes) return undefined;
  if (declared === undefined && message.headers['transfer-encoding'] === undefined) return NOTHING;
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  const chunks: Buffer[] = [];
  let size = 0;
  message.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limitBytes) chunks.push(chunk);
    else resolve(undefined);
  });
  message.on('end', () => resolve(Buffer.concat(chunks)));
  message.on('error', reject);
  return promise;
}
