import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookError } from '../../../shared/client/client.ts';
import { randomOf } from '../../support/proofs/random.ts';

// These secrets are made up; the public library signs with them.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'whsec_plJ3nmyCDGBKInavdOK15jsl3fQ8ZcBv';
const BODY = '{"id":"evt_12_3_0","type":"order.moved","time":"2026-11-23T18:00:00.000Z"}';
const EVENT = { id: 'evt_12_3_0', type: 'order.moved', time: '2026-11-23T18:00:00.000Z' };

const sign = (secrets: readonly string[], sentAt = new Date()) => ({
  'webhook-id': 'evt_12_3_0',
  'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign('evt_12_3_0', sentAt, BODY)).join(' '),
});
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

const GOOD = sign([SECRET]);

describe('verifyWebhook', () => {
  it('returns the event that the public library has signed, with headers in any case and form', async () => {
    const headers = sign([SECRET]);
    expect(await verifyWebhook({ headers, body: BODY }, { secret: SECRET })).toEqual(EVENT);
    expect(await verifyWebhook({ headers: new Headers(headers), body: BODY }, { secret: SECRET })).toEqual(EVENT);
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    expect(await verifyWebhook({ headers: shouted, body: BODY }, { secret: SECRET })).toEqual(EVENT);
  });

  it('takes either secret while one replaces the other, on both sides', async () => {
    expect(await verifyWebhook({ headers: sign([OTHER, SECRET]), body: BODY }, { secret: SECRET })).toEqual(EVENT);
    expect(await verifyWebhook({ headers: sign([SECRET]), body: BODY }, { secret: [OTHER, SECRET] })).toEqual(EVENT);
  });

  it.each([
    ['another secret', { headers: sign([OTHER]), body: BODY }],
    ['another body', { headers: GOOD, body: BODY.replace('moved', 'paid') }],
    ['another id', { headers: { ...GOOD, 'webhook-id': 'evt_12_4_0' }, body: BODY }],
    ['no header at all', { headers: {}, body: BODY }],
    ['a time that is none', { headers: { ...GOOD, 'webhook-timestamp': 'now' }, body: BODY }],
    ['a time of six minutes ago', { headers: sign([SECRET], minutesAgo(6)), body: BODY }],
    ['a time in six minutes', { headers: sign([SECRET], minutesAgo(-6)), body: BODY }],
  ])('refuses %s', async (_, request) => {
    await expect(verifyWebhook(request, { secret: SECRET })).rejects.toThrow(WebhookError);
  });

  it('refuses each of 1,000 messages of which one bit is another', async () => {
    const headers = sign([SECRET]);
    const below = randomOf(20_261_123);
    let accepted = 0;
    for (let round = 0; round < 1_000; round++) {
      const message = { ...headers, body: BODY };
      const field = (['webhook-id', 'webhook-timestamp', 'webhook-signature', 'body'] as const)[below(4)] ?? 'body';
      const bytes = Buffer.from(message[field], 'latin1');
      const place = below(bytes.length);
      bytes[place] = (bytes[place] ?? 0) ^ (1 << below(7));
      const { body, ...altered } = { ...message, [field]: bytes.toString('latin1') };
      const verdict = verifyWebhook({ headers: altered, body }, { secret: SECRET }).then(() => accepted++);
      await verdict.catch((error: unknown) => expect(error).toBeInstanceOf(WebhookError));
    }
    expect(accepted).toBe(0);
  });

  it('says that a secret is none', async () => {
    const message = { headers: sign([SECRET]), body: BODY };
    await expect(verifyWebhook(message, { secret: 'my secret' })).rejects.toThrow('begins with whsec_');
  });
});
