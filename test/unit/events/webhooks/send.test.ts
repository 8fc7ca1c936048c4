import { describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../../../shared/client/webhook.ts';
import { createSecret, signatureHeaders } from '../../../../shared/events/webhooks/send.ts';

const BODY = '{"id":"evt_12_3_0","type":"order.moved"}';
const SENT_AT = new Date();
const verify = (headers: Record<string, string>, secret: string) => verifyWebhook({ headers, body: BODY }, { secret });
const message = { id: 'evt_12_3_0', sentAt: SENT_AT, body: BODY };

describe('a signed webhook', () => {
  it('is accepted by the client, with its body', async () => {
    const secret = createSecret();
    expect(await verify(signatureHeaders(message, [secret]), secret)).toEqual({
      id: 'evt_12_3_0',
      type: 'order.moved',
    });
  });

  it('has the signature that the specification shows for its example', () => {
    const body = '{"test": 2432232314}';
    const sentAt = new Date(1_614_265_330_000);
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    expect(signatureHeaders({ id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', sentAt, body }, [secret])).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is accepted with the former secret and with the new one while it is rotated, and with no other', async () => {
    const [current, previous, other] = [createSecret(), createSecret(), createSecret()];
    const headers = signatureHeaders(message, [current, previous]);
    expect(await verify(headers, current)).toBeTruthy();
    expect(await verify(headers, previous)).toBeTruthy();
    await expect(verify(headers, other)).rejects.toThrow('The signature is not that of this message.');
  });

  it('is refused when it is sent again after more than five minutes', async () => {
    const secret = createSecret();
    const headers = signatureHeaders({ ...message, sentAt: new Date(SENT_AT.getTime() - 302_000) }, [secret]);
    await expect(verify(headers, secret)).rejects.toThrow('The message is too old or too new.');
  });

  it('has secrets of 32 random bytes', () => {
    const secret = createSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(createSecret()).not.toBe(secret);
  });
});
