import { buffer } from 'node:stream/consumers';
import { forward, loopback } from '../http/loopback.ts';

/** An error answer of a service that quotes the request body. */
export type Complaint = { readonly status: number; readonly type: string; body(quoted: string): string };

const escapeXml = (text: string): string => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

export const COMPLAINTS = {
  dynamodb: {
    status: 400,
    type: 'application/x-amz-json-1.0',
    body: (quoted) => JSON.stringify({ __type: 'com.amazon.coral.validate#ValidationException', message: quoted }),
  },
  s3: {
    status: 403,
    type: 'application/xml',
    body: (quoted) => `<Error><Code>AccessDenied</Code><Message>${escapeXml(quoted)}</Message></Error>`,
  },
  ses: {
    status: 400,
    type: 'text/xml',
    body: (quoted) =>
      `<ErrorResponse><Error><Type>Sender</Type><Code>MessageRejected</Code><Message>${escapeXml(quoted)}</Message></Error></ErrorResponse>`,
  },
  facturapi: {
    status: 400,
    type: 'application/json',
    body: (quoted) =>
      JSON.stringify({ ok: false, status: 400, code: 'invalid', message: quoted, errors: [{ message: quoted }] }),
  },
} as const satisfies Record<string, Complaint>;

export type QuotingRelay = {
  readonly url: string;
  /** `complaining` answers every request with a body with the complaint; `well` forwards it. */
  mood: 'well' | 'complaining';
  /** Returns the number of complaints. */
  readonly complaints: () => number;
  close(): Promise<void>;
};

/** Opens a relay on loopback in front of a service. */
export async function openQuotingRelay(engine: string, complaint: Complaint): Promise<QuotingRelay> {
  let complaints = 0;
  const { url, close } = await loopback(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    if (relay.mood === 'complaining' && body.length > 0) {
      complaints += 1;
      return void outgoing
        .writeHead(complaint.status, { 'Content-Type': complaint.type })
        .end(complaint.body(`${body}`));
    }
    const answer = await forward(engine, incoming, body);
    outgoing.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const relay: QuotingRelay = {
    url,
    mood: 'well',
    complaints: () => complaints,
    close,
  };
  return relay;
}
