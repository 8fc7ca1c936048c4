import { inject } from 'vitest';
import { startEngines } from '../../../infra/local/engines/engines.ts';
import { freePorts } from './ports.ts';

/** Starts an SES of a file's own: the mailbox that all files share holds too many mails to be read as a whole. */
export async function openMailbox() {
  const ports = await freePorts();
  const engine = await startEngines({ ...inject('serverEnvironment'), ...ports, AWS_ENDPOINT_URL_SES: '' });
  return { ...engine, url: `http://127.0.0.1:${ports.SES_PORT}` };
}
