import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { once } from '../../../shared/runtime/once.ts';
import { refuseForeignPages } from '../local-request.ts';
import { closeServer } from './close-server.ts';
import type { Engine } from './dynamodb/engine.ts';
import { listenOn } from './ports.ts';

type Mailbox = { readonly default: (config: { host: string; port: number }) => Promise<Server> };

/** Starts SES with a mailbox page on loopback. */
export async function startSes(port: number): Promise<Engine> {
  const server = createServer();
  const mailbox = once(openMailbox);
  server.on('request', async (request, response) => {
    (await mailbox()).emit('request', request, response);
  });
  refuseForeignPages(server);
  await listenOn(server, port, 'SES_PORT');
  return { stop: () => closeServer(server) };
}

/**
 * Returns the server of the mailbox, which answers but does not listen. It is loaded for the first request, as it takes 15
 * MB, and many sessions send no mail.
 */
async function openMailbox(): Promise<Server> {
  // Loaded with require, because the default import of this CommonJS package differs between Node and vitest.
  const { default: startMailbox }: Mailbox = createRequire(import.meta.url)('aws-ses-v2-local');
  const server = await startMailbox({ host: '127.0.0.1', port: 0 });
  await closeServer(server);
  return server;
}
