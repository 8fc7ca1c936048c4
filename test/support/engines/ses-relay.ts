import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { sendHttp } from '../http/http.ts';

/** `well` forwards mails; `down` answers 503; `lost reply` forwards them but drops the answer. */
type SesMode = 'well' | 'down' | 'lost reply';

/** A mail in the store of the local SES. */
export type Mail = {
  readonly subject: string;
  readonly destination: { readonly to: readonly string[] };
  readonly attachments: readonly { readonly filename: string; readonly content: string }[];
};

export type SesRelay = {
  readonly url: string;
  mood: SesMode;
  /** The form of every request that was forwarded. */
  readonly sent: readonly URLSearchParams[];
  /** Returns all mails that SES accepted, to any address. */
  mails(): Promise<Mail[]>;
  mailsTo(address: string): Promise<Mail[]>;
  close(): Promise<void>;
};

/** Opens a relay on loopback in front of a local SES. */
export async function openSesRelay(engine: string): Promise<SesRelay> {
  const sent: URLSearchParams[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    if (relay.mood === 'down') return void outgoing.writeHead(503, { 'Content-Type': 'text/xml' }).end(TURNED_AWAY);
    sent.push(new URLSearchParams(body.toString()));
    const { method, url, headers } = incoming;
    const passed = request(engine, { method, path: url, headers }).end(body);
    const [answer] = await once(passed, 'response');
    const said = await buffer(answer);
    if (relay.mood === 'lost reply') return void incoming.socket.destroy();
    outgoing.writeHead(answer.statusCode, answer.headers).end(said);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const relay: SesRelay = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mood: 'well',
    sent,
    mails: async () => (await sendHttp(engine, '/store', { method: 'GET' })).body.emails,
    mailsTo: async (address) => (await relay.mails()).filter(({ destination }) => destination.to.includes(address)),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return relay;
}

const TURNED_AWAY =
  '<ErrorResponse><Error><Type>Receiver</Type><Code>ServiceUnavailable</Code><Message>x</Message></Error></ErrorResponse>';
