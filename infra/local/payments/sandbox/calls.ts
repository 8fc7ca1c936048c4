import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { CallNotSigned, type PaymentSign, type ProviderCall } from '../../../../shared/payments/provider.ts';

// The local server answers only this machine, and a call only makes it read its own table.
const SECRET = 'sandbox-of-the-local-server';
const TOLERANCE_SECONDS = 300;

const sign = (seconds: number, body: Uint8Array): Buffer =>
  createHmac('sha256', SECRET).update(`${seconds}.`).update(body).digest();

type SandboxCall = { readonly body: Buffer<ArrayBuffer>; readonly signature: string };

/** Returns the call that announces a change, signed as Stripe signs. */
export function makeSandboxCall(content: PaymentSign, now: Date): SandboxCall {
  const body = Buffer.from(JSON.stringify(content));
  const seconds = Math.floor(now.getTime() / 1000);
  return { body, signature: `t=${seconds},v1=${sign(seconds, body).toString('hex')}` };
}

const paymentSign = z.object({
  orderId: z.number(),
  attempt: z.number().nullable(),
  about: z.enum(['payment', 'refund', 'dispute']),
});

/** Returns undefined if a call is not about an order. Throws CallNotSigned. */
export function readSandboxCall({ body, signature = '' }: ProviderCall, now: Date): PaymentSign | undefined {
  const [, stamp = '', hex = ''] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
  const isCurrent = Math.abs(now.getTime() / 1000 - Number(stamp)) <= TOLERANCE_SECONDS;
  if (hex === '' || !isCurrent || !timingSafeEqual(Buffer.from(hex, 'hex'), sign(Number(stamp), body)))
    throw new CallNotSigned();
  try {
    return paymentSign.safeParse(JSON.parse(Buffer.from(body).toString())).data;
  } catch (cause) {
    throw new CallNotSigned(cause);
  }
}
