import { once } from 'node:events';
import type { Server } from 'node:http';

/** Closes a server and the connections that it has. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
