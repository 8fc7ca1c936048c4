import { type Answer, openFaultProxy } from '../faults/fault-proxy.ts';
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

/** Opens a fault proxy in front of a local SES, whose faults have names. */
export async function openSesRelay(engine: string): Promise<SesRelay> {
  const sent: URLSearchParams[] = [];
  const { url, set, close } = await openFaultProxy(engine);
  const relay: SesRelay = {
    url,
    mood: 'well',
    sent,
    mails: async () => (await sendHttp(engine, '/store', { method: 'GET' })).body.emails,
    mailsTo: async (address) => (await relay.mails()).filter(({ destination }) => destination.to.includes(address)),
    close,
  };
  set(({ body }) => {
    if (relay.mood === 'down') return { answer: TURNED_AWAY };
    sent.push(new URLSearchParams(body));
    return relay.mood === 'lost reply' ? 'lost reply' : undefined;
  });
  return relay;
}

const TURNED_AWAY: Answer = {
  status: 503,
  type: 'text/xml',
  body: '<ErrorResponse><Error><Type>Receiver</Type><Code>ServiceUnavailable</Code><Message>x</Message></Error></ErrorResponse>',
};
