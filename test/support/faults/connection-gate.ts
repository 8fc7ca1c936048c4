import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Gate = {
  readonly url: string;
  /** Refuses new connections and closes the open ones. */
  shut(): void;
  open(): void;
  close(): Promise<void>;
};

/** Opens a TCP proxy on loopback in front of an engine, which can be shut and opened. */
export async function openGate(engine: string): Promise<Gate> {
  const { hostname, port } = new URL(engine);
  const visitors = new Set<Socket>();
  let isShut = false;
  const throwOut = () => {
    for (const visitor of visitors) visitor.destroy();
  };

  const server = createServer((visitor) => {
    if (isShut) return visitor.resetAndDestroy();
    const inside = connect(Number(port), hostname);
    for (const socket of [visitor, inside]) {
      visitors.add(socket);
      socket.on('close', () => {
        visitors.delete(socket);
        visitor.destroy();
        inside.destroy();
      });
      socket.on('error', () => socket.destroy());
    }
    visitor.pipe(inside).pipe(visitor);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shut() {
      isShut = true;
      throwOut();
    },
    open() {
      isShut = false;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      throwOut();
      await closed;
    },
  };
}
