import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { refuseForeignPages } from '../local-request.ts';
import { closeServer } from './close-server.ts';
import type { Engine } from './dynamodb/engine.ts';

// Loaded with require, because the default import of this CommonJS package differs between Node and vitest.
type Mailbox = { readonly default: (config: { host: string; port: number }) => Promise<Server> };
const { default: startMailbox }: Mailbox = createRequire(import.meta.url)('aws-ses-v2-local');

/** Starts SES with a mailbox page on loopback. The package itself does not report that a port is taken. */
export async function startSes(port: number): Promise<Engine> {
  const server = await startMailbox({ host: '127.0.0.1', port });
  refuseForeignPages(server);
  return { stop: () => closeServer(server) };
}
