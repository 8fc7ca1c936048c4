import { inject } from 'vitest';
import { startEngines } from '../../../infra/local/engines/engines.ts';
import { openFaultProxy } from '../faults/fault-proxy.ts';
import { sendHttp } from '../http/http.ts';
import { freePorts } from './ports.ts';

/** `well` forwards mails; `down` answers 503; `lost reply` forwards them but drops the answer. */
type SesMode = 'well' | 'down' | 'lost reply';

/** A mail in the store of the local SES. */
type Mail = {
  readonly subject: string;
  readonly destination: { readonly to: readonly string[] };
  readonly attachments: readonly { readonly filename: string; readonly content: string }[];
};

export type SesRelay = Awaited<ReturnType<typeof openSesRelay>>;

/** Opens a fault proxy in front of a local SES, whose faults have names. */
export async function openSesRelay(engine: string) {
  const sent: URLSearchParams[] = [];
  const { url, set, close } = await openFaultProxy(engine);
  /** Returns all mails that SES accepted, to any address. */
  const mails = async (): Promise<Mail[]> => (await sendHttp(engine, '/store', { method: 'GET' })).body.emails;
  const relay = {
    url,
    scenario: 'well' as SesMode,
    /** The form of every request that was forwarded. */
    sent: sent as readonly URLSearchParams[],
    mails,
    mailsTo: async (address: string) => (await mails()).filter(({ destination }) => destination.to.includes(address)),
    close,
  };
  set(({ body }) => {
    if (relay.scenario === 'down') return 'failure';
    sent.push(new URLSearchParams(body));
    return relay.scenario === 'lost reply' ? 'lost reply' : undefined;
  });
  return relay;
}

/** Opens a relay in front of a separate local SES, because the mailbox that all files share has too many mails to read them all. */
export async function openMailbox(): Promise<SesRelay & { readonly engine: string }> {
  const ports = await freePorts();
  const { stop } = await startEngines({ ...inject('serverEnvironment'), ...ports, AWS_ENDPOINT_URL_SES: '' });
  const engine = `http://127.0.0.1:${ports.SES_PORT}`;
  // The engine loads its mailbox at the first request, for which a test's mail would wait while the machine is busy.
  await fetch(`${engine}/health-check`);
  const relay = await openSesRelay(engine);
  const { close } = relay;
  return Object.assign(relay, { engine, close: () => close().then(stop) });
}
