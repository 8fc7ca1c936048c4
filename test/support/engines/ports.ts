import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const VARIABLES = ['PORT', 'DYNAMODB_PORT', 'S3_PORT', 'SES_PORT'] as const;
// The system gives the ports above to connections, one of which could take a port before the server opens it.
const PORTS = [10_240, 32_768] as const;

/** Returns a free port for each port variable of the server. */
export async function freePorts(): Promise<Record<(typeof VARIABLES)[number], string>> {
  const found = new Set<number>();
  while (found.size < VARIABLES.length) {
    const port = randomInt(...PORTS);
    if (await isFree(port)) found.add(port);
  }
  const [port, table, objects, mail] = [...found].map(String);
  return { PORT: `${port}`, DYNAMODB_PORT: `${table}`, S3_PORT: `${objects}`, SES_PORT: `${mail}` };
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return false;
  }
  await once(probe.close(), 'close');
  return true;
}

export async function isListening(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
