import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { openMailer } from '../../../shared/mail/send.ts';
import { holdLimits } from '../../support/faults/held-limits.ts';
import { loopback } from '../../support/http/loopback.ts';

const TO = 'ana.munoz@demo.example';

beforeEach(() => {
  for (const [name, value] of Object.entries(inject('serverEnvironment'))) vi.stubEnv(name, value);
});

type Exchange = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Opens an SES that answers each request with `exchange`, and keeps the requests. */
async function openSes(exchange: Exchange) {
  const asked: URLSearchParams[] = [];
  const { url, server, close } = await loopback(async (request, response) => {
    asked.push(new URLSearchParams(await text(request)));
    exchange(request, response);
  });
  vi.stubEnv('AWS_ENDPOINT_URL_SES', url);
  onTestFinished(close);
  return { asked, connections: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))) };
}

const failure = (status: number, code: string): Exchange =>
  answer(
    status,
    `<ErrorResponse xmlns="http://ses.amazonaws.com/doc/2010-12-01/"><Error><Type>Sender</Type><Code>${code}</Code><Message>Muñoz</Message></Error><RequestId>1</RequestId></ErrorResponse>`,
  );
const answer =
  (status: number, body: string): Exchange =>
  (_, response) =>
    response.writeHead(status, { 'Content-Type': 'text/xml' }).end(body);
const ACCEPTED = answer(
  200,
  '<SendRawEmailResponse xmlns="http://ses.amazonaws.com/doc/2010-12-01/"><SendRawEmailResult><MessageId>0100-abc</MessageId></SendRawEmailResult></SendRawEmailResponse>',
);

describe('sending', () => {
  it('names the sender, the one receiver and the configuration set', async () => {
    vi.stubEnv('MAIL_CONFIGURATION_SET', 'invoices');
    const { asked } = await openSes(ACCEPTED);
    expect(await openMailer().send(Buffer.from('To: b@demo.example\r\n\r\nx'), TO)).toEqual({
      outcome: 'sent',
      messageId: '0100-abc',
    });
    expect(Object.fromEntries(asked[0] ?? [])).toEqual({
      Action: 'SendRawEmail',
      Version: '2010-12-01',
      Source: 'facturas@botica.example',
      'Destinations.member.1': TO,
      ConfigurationSetName: 'invoices',
      'RawMessage.Data': Buffer.from('To: b@demo.example\r\n\r\nx').toString('base64'),
    });
  });

  it('asks SES in the region of the mail where there is one', async () => {
    vi.stubEnv('MAIL_REGION', 'us-east-1');
    const scopes: (string | undefined)[] = [];
    await openSes((request, response) => {
      scopes.push(request.headers.authorization);
      return ACCEPTED(request, response);
    });
    await openMailer().send(Buffer.from('x'), TO);
    expect(scopes).toEqual([expect.stringContaining('/us-east-1/ses/aws4_request')]);
  });

  it.each<[string, Exchange, { outcome: string; code: string }]>([
    ['is throttled', failure(400, 'Throttling'), { outcome: 'refused', code: 'Throttling' }],
    ['is turned away', failure(503, 'ServiceUnavailable'), { outcome: 'refused', code: 'ServiceUnavailable' }],
    ['meets a failure', failure(500, 'InternalFailure'), { outcome: 'unknown', code: 'InternalFailure' }],
    ['gets another answer', answer(200, '<html>'), { outcome: 'unknown', code: expect.any(String) }],
    ['is reset', ({ socket }) => socket.destroy(), { outcome: 'unknown', code: 'ECONNRESET' }],
  ])('once, when it %s', async (_, exchange, expected) => {
    const { asked } = await openSes(exchange);
    expect(await openMailer().send(Buffer.from('x'), TO)).toEqual(expected);
    expect(asked).toHaveLength(1);
  });

  it('ends at the deadline of its caller as unknown, and closes the connection', async () => {
    const deadline = new AbortController();
    const { connections } = await openSes(() => deadline.abort());
    const outcome = await openMailer().send(Buffer.from('x'), TO, deadline.signal);
    expect(outcome).toEqual({ outcome: 'unknown', code: expect.any(String) });
    await vi.waitFor(async () => expect(await connections()).toBe(0), { timeout: 10_000 });
  });

  it('is refused when the deadline has passed before it begins', async () => {
    const { asked } = await openSes(ACCEPTED);
    const outcome = await openMailer().send(Buffer.from('x'), TO, AbortSignal.abort());
    expect(outcome).toEqual({ outcome: 'refused', code: 'PastDeadline' });
    expect(asked).toEqual([]);
  });

  it('ends after 4 s without a deadline', async () => {
    const limits = holdLimits();
    onTestFinished(limits.release);
    await openSes(() => limits.end(4_000));
    expect(await openMailer().send(Buffer.from('x'), TO)).toMatchObject({ outcome: 'unknown' });
  });

  it('is refused when no server listens, or no connection is established', async () => {
    const { url, close } = await loopback(() => undefined);
    await close();
    for (const [endpoint, code] of [
      [url, 'ECONNREFUSED'],
      [`http://127.0.0.1:${await openDeafListener()}`, 'TimeoutError'],
    ] as const) {
      vi.stubEnv('AWS_ENDPOINT_URL_SES', endpoint);
      expect(await openMailer().send(Buffer.from('x'), TO)).toEqual({ outcome: 'refused', code });
    }
  });
});

// Listens with a short queue and accepts no connection, so that new ones hang once the queue is full.
const DEAF = `
  const server = require('node:net').createServer().listen(0, '127.0.0.1', 1, () => {
    require('node:fs').writeSync(1, String(server.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;
const FILLING_CONNECTIONS = 8;

async function openDeafListener(): Promise<number> {
  const listener = spawn(process.execPath, ['-e', DEAF], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(listener.stdout, 'data');
  const waiting = Array.from({ length: FILLING_CONNECTIONS }, () => connect(Number(port), '127.0.0.1'));
  for (const socket of waiting) socket.on('error', () => undefined);
  await once(waiting[0] as (typeof waiting)[number], 'connect');
  onTestFinished(() => {
    for (const socket of waiting) socket.destroy();
    listener.kill('SIGKILL');
  });
  return Number(port);
}
