import { inject } from 'vitest';
import { startEngines } from '../../../infra/local/engines/engines.ts';
import { loadMailbox } from './load-mailbox.ts';
import { freePorts } from './ports.ts';

/** Starts a separate local SES, because the mailbox that all files share has too many mails to read them all. */
export async function openMailbox() {
  const ports = await freePorts();
  const engine = await startEngines(
    { ...inject('serverEnvironment'), ...ports, AWS_ENDPOINT_URL_SES: '' },
    () => undefined,
  );
  const url = `http://127.0.0.1:${ports.SES_PORT}`;
  await loadMailbox(url);
  return { ...engine, url };
}
