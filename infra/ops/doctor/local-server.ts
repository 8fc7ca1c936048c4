import { connect } from 'node:net';
import { setting } from '../command.ts';
import type { CheckResult } from './check.ts';

const LIMIT_MS = 2_000;

/** Returns the one result of a desk whose local server is not running; undefined if it is. */
export async function checkLocalServer(): Promise<CheckResult | undefined> {
  const { hostname, port, host } = new URL(setting('API_URL'));
  if (await isListening(hostname, Number(port || 80))) return undefined;
  const finding = `The local server is not running at ${host}.`;
  return { check: 'local server', state: 'failed', finding, remedy: 'Start it with `npm start`.' };
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
