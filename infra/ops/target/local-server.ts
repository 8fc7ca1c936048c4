import { connect } from 'node:net';

const LIMIT_MS = 2_000;

/** True if a program listens at the address of the local server's API. */
export async function isLocalServerRunning(): Promise<boolean> {
  const url = URL.parse(process.env.API_URL ?? '');
  return url !== null && isListening(url.hostname, Number(url.port || 80));
}

const isListening = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: LIMIT_MS });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
