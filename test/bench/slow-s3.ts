import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export type SlowS3 = { readonly endpoint: string; stop(): void };

/** The delay before an answer begins, and the bytes that it then has in a millisecond. */
type Pace = { readonly delayMs: number; readonly bytesPerMs: number };

const CHUNK_BYTES = 64 * 1024;

/** Starts an S3 on loopback that has these objects, by `bucket/key`, and answers at a pace. */
export async function startSlowS3(objects: ReadonlyMap<string, Buffer>, pace: Pace): Promise<SlowS3> {
  const server = createServer(async (request, response) => {
    await pause(pace.delayMs);
    const object = objects.get(request.url?.slice(1) ?? '');
    if (!object) return response.writeHead(404).end();
    response.writeHead(200, { ETag: '"bench"', 'Content-Length': object.length });
    await sendAtPace(response, object, pace);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function sendAtPace(response: ServerResponse, object: Buffer, { bytesPerMs }: Pace): Promise<void> {
  const startedAt = performance.now();
  for (let sent = 0; sent < object.length; sent += CHUNK_BYTES) {
    const aheadMs = sent / bytesPerMs - (performance.now() - startedAt);
    // Timers have a resolution of 1 ms, in which 50 KB pass.
    if (aheadMs >= 1) await pause(aheadMs);
    response.write(object.subarray(sent, sent + CHUNK_BYTES));
  }
  response.end();
}
