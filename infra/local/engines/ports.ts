import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { LocalServerError } from '../local-server-error.ts';

const HOST = '127.0.0.1';

/** Listens on loopback. Throws LocalServerError, naming the variable, if the port is taken. */
export async function listenOn(server: Server, port: number, variable: string): Promise<void> {
  try {
    server.listen(port, HOST);
    await once(server, 'listening');
  } catch (cause) {
    throw toPortError(port, variable, cause);
  }
}

/** Throws LocalServerError, naming the variable, if the port is taken. */
export async function expectFreePort(port: number, variable: string): Promise<void> {
  const probe = createServer();
  await listenOn(probe, port, variable);
  probe.close();
  await once(probe, 'close');
}

function toPortError(port: number, variable: string, cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return cause;
  const state = code === 'EADDRINUSE' ? 'is in use' : 'may not be opened by this user';
  return new LocalServerError(`Port ${port} ${state}: set ${variable} to a free one.`);
}
