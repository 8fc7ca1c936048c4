import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { once } from '../../../shared/runtime/async.ts';
import { refuseForeignPages } from '../local-request.ts';
import type { Engine } from './dynamodb/engine.ts';
import { closeServer, listenOn } from './ports.ts';

type Mailbox = { readonly default: (config: { host: string; port: number }) => Promise<Server> };
type MailboxStore = { readonly getStoreReadonly: () => { readonly emails: unknown[] } };

// The mailbox keeps mails in memory, 10 KB each.
const MAX_MAILS = 100;

/** Starts SES with a mailbox page on loopback, which shows the latest 100 mails. */
export async function startSes(port: number): Promise<Engine> {
  const server = createServer();
  const mailbox = once(openMailbox);
  server.on('request', async (request, response) => {
    const { answer, forgetOldMails } = await mailbox();
    response.once('close', forgetOldMails);
    answer.emit('request', request, response);
  });
  refuseForeignPages(server);
  await listenOn(server, port, 'SES_PORT');
  return { stop: () => closeServer(server) };
}

/**
 * Returns the server of the mailbox, which answers but does not listen. It is loaded for the first request, as it takes 15
 * MB, and many sessions send no mail.
 */
async function openMailbox(): Promise<{ answer: Server; forgetOldMails: () => void }> {
  // Loaded with require, because the default import of this CommonJS package differs between Node and vitest.
  const require = createRequire(import.meta.url);
  const { default: startMailbox }: Mailbox = require('aws-ses-v2-local');
  const { getStoreReadonly }: MailboxStore = require('aws-ses-v2-local/dist/store');
  const answer = await startMailbox({ host: '127.0.0.1', port: 0 });
  await closeServer(answer);
  const forgetOldMails = () => {
    const { emails } = getStoreReadonly();
    emails.splice(0, emails.length - MAX_MAILS);
  };
  return { answer, forgetOldMails };
}
