import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { business } from '../../../../shared/runtime/config.ts';
import { renewCredentials } from '../../target.ts';
import { guardAccess } from './access.ts';
import { serveDocuments } from './documents.ts';
import { answerError, answerUnknownPath } from './error-answer.ts';
import { serveFiles } from './files.ts';
import { serveCommands } from './run-command.ts';
import type { Session } from './session.ts';

export type CounterOptions = {
  /** The port on loopback; 0 takes any that is free. */
  readonly port: number;
  /** The person at the counter, as the history of an order names them. */
  readonly operator: string;
  /** The place that the counter works on: `Local: …` or `Stage: …`. */
  readonly place: string;
  readonly isLocal: boolean;
};

export type Counter = {
  /** The address for a browser, with the token. */
  readonly address: string;
  readonly token: string;
  close(): Promise<void>;
};

const HOST = '127.0.0.1';
const TOKEN_BYTES = 32;

/** Opens the counter on loopback. Rejects if the port is taken. */
export async function openCounter({ port, operator, place, isLocal }: CounterOptions): Promise<Counter> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  // A browser holds its connections open, and closing must not wait for them.
  const server = fastify({ forceCloseConnections: true });
  guardAccess(server, token);
  // The counter outlives the keys of a role, which end after an hour.
  server.addHook('preHandler', async () => renewCredentials());
  server.setErrorHandler(answerError);
  server.setNotFoundHandler(answerUnknownPath);
  await serveFiles(server);
  serveSession(server, { place, operator, timeZone: business().timeZone });
  serveCommands(server, { operator, isLocal });
  serveDocuments(server);
  await server.listen({ host: HOST, port });
  const address = server.server.address() as AddressInfo;
  return { address: `http://${HOST}:${address.port}/#${token}`, token, close: () => server.close() };
}

function serveSession(server: FastifyInstance, session: Session): void {
  server.get('/session', async () => session);
}
