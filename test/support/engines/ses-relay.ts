import { buffer } from 'node:stream/consumers';
import { sendHttp } from '../http/http.ts';
import { forward, loopback } from '../http/loopback.ts';

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
  const { url, close } = await loopback(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    if (relay.mood === 'down') return void outgoing.writeHead(503, { 'Content-Type': 'text/xml' }).end(TURNED_AWAY);
    sent.push(new URLSearchParams(body.toString()));
    const answer = await forward(engine, incoming, body);
    if (relay.mood === 'lost reply') return void incoming.socket.destroy();
    outgoing.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const relay: SesRelay = {
    url,
    mood: 'well',
    sent,
    mails: async () => (await sendHttp(engine, '/store', { method: 'GET' })).body.emails,
    mailsTo: async (address) => (await relay.mails()).filter(({ destination }) => destination.to.includes(address)),
    close,
  };
  return relay;
}

const TURNED_AWAY =
  '<ErrorResponse><Error><Type>Receiver</Type><Code>ServiceUnavailable</Code><Message>x</Message></Error></ErrorResponse>';
