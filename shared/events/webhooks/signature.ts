import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

// Standard Webhooks (github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md): 24 to 64 bytes.
const SECRET_BYTES = 32;

/** Returns a new random secret in the form in which receivers keep it: `whsec_` and base64. */
export const createSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/** An event as it is sent; the id has no dot, so that no other id and time give the same signed text. */
export type WebhookMessage = { readonly id: string; readonly sentAt: Date; readonly body: string };

/** Returns the headers that sign a message: a signature for each secret, so that receivers may replace theirs. */
export function signatureHeaders({ id, sentAt, body }: WebhookMessage, secrets: readonly string[]) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body)).join(' '),
  };
}
