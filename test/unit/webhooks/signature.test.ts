import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { createSecret, signatureHeaders } from '../../../shared/events/webhooks/signature.ts';

const BODY = '{"id":"evt_12_3_0","type":"order.moved"}';
const SENT_AT = new Date();
const message = { id: 'evt_12_3_0', sentAt: SENT_AT, body: BODY };

describe('a signed webhook', () => {
  it('is accepted by the public library, with its body', () => {
    const secret = createSecret();
    expect(new Webhook(secret).verify(BODY, signatureHeaders(message, [secret]))).toEqual({
      id: 'evt_12_3_0',
      type: 'order.moved',
    });
  });

  it('has the signature that the specification shows for its example', () => {
    const body = '{"test": 2432232314}';
    const sentAt = new Date(1_614_265_330_000);
    // The library's own example, which signs the same text.
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const expected = new Webhook(secret).sign('msg_p5jXN8AQM9LWM0D4loKWxJek', sentAt, body);
    expect(signatureHeaders({ id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', sentAt, body }, [secret])).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
    expect(expected).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('is accepted with the former secret and with the new one while it is rotated, and with no other', () => {
    const [current, previous, other] = [createSecret(), createSecret(), createSecret()];
    const headers = signatureHeaders(message, [current, previous]);
    expect(new Webhook(current).verify(BODY, headers)).toBeTruthy();
    expect(new Webhook(previous).verify(BODY, headers)).toBeTruthy();
    expect(() => new Webhook(other).verify(BODY, headers)).toThrow('No matching signature found');
  });

  it('is refused when it is sent again after more than five minutes', () => {
    const secret = createSecret();
    const headers = signatureHeaders({ ...message, sentAt: new Date(SENT_AT.getTime() - 302_000) }, [secret]);
    expect(() => new Webhook(secret).verify(BODY, headers)).toThrow('Message timestamp too old');
  });

  it('has secrets of 32 random bytes', () => {
    const secret = createSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(createSecret()).not.toBe(secret);
  });
});
