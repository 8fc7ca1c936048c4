import { createServer } from 'node:http';
import S3rver from '@20minutes/s3rver';
import { refuseForeignPages } from '../local-request.ts';
import type { Engine } from './dynamodb/engine.ts';
import { makeFolder } from './folder.ts';
import { closeServer, listenOn } from './ports.ts';

/** Starts S3 on loopback, working in the folder. */
export async function startS3(directory: string, port: number): Promise<Engine> {
  makeFolder(directory);
  // S3rver computes the signature of bucket requests without the trailing slash that the SDK signs.
  const engine = new S3rver({ directory, silent: true, allowMismatchedSignatures: true });
  const server = createServer(engine.callback());
  refuseForeignPages(server);
  await listenOn(server, port, 'S3_PORT');
  return { stop: () => closeServer(server) };
}
