import { setting } from '../command.ts';
import { isLocalServerRunning } from '../target/local-server.ts';
import type { CheckResult } from './check.ts';

/** Returns the one result of a desk whose local server is not running; undefined if it is. */
export async function checkLocalServer(): Promise<CheckResult | undefined> {
  if (await isLocalServerRunning()) return undefined;
  const finding = `The local server is not running at ${new URL(setting('API_URL')).host}.`;
  return { check: 'local server', state: 'failed', finding, remedy: 'Start it with `npm start`.' };
}
