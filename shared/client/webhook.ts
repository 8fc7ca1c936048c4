import { parseJson } from './error.ts';
import type { Event } from './types.ts';

/** A message that no endpoint of yours should act on: not signed with its secret, altered, or too old. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** The message of `webhooks test` is no event of an order. */
export type WebhookEvent = Event | { readonly id: string; readonly type: 'webhook.test'; readonly time: string };

export type WebhookRequest = {
  /** The headers of the request, in any case. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as it came, before anything parses it. */
  readonly body: string;
};

export type WebhookOptions = {
  /** The secret of the endpoint (`whsec_…`); both of them while it is being replaced. */
  readonly secret: string | readonly string[];
  /** The most that the time of a message may differ from now. Default: 5 minutes. */
  readonly toleranceMs?: number;
};

/**
 * Returns the event of a webhook, signed as Standard Webhooks say. Throws a WebhookError for anything else: answer that with
 * 400. The same event may come twice, under the same `id`.
 */
export async function verifyWebhook({ headers, body }: WebhookRequest, options: WebhookOptions): Promise<WebhookEvent> {
  const { secret, toleranceMs = 300_000 } = options;
  const read = (name: string) => readHeader(headers, `webhook-${name}`);
  const [id, timestamp, signatures] = [read('id'), read('timestamp'), read('signature')];
  checkTime(timestamp, toleranceMs);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const keys = await Promise.all([secret].flat().map(importSecret));
  const tries = parseSignatures(signatures).flatMap((signature) => keys.map((key) => ({ key, signature })));
  const verdicts = await Promise.all(
    tries.map(({ key, signature }) => crypto.subtle.verify('HMAC', key, signature, signed)),
  );
  if (!verdicts.includes(true)) throw new WebhookError('The signature is not that of this message.');
  const event = parseJson(body) as WebhookEvent | undefined;
  if (!event) throw new WebhookError('The body is not JSON.');
  return event;
}

function readHeader(headers: WebhookRequest['headers'], name: string): string {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const value = entries.find(([written]) => written.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '') throw new WebhookError(`The header ${name} is missing.`);
  return value;
}

function checkTime(timestamp: string, toleranceMs: number): void {
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (Number.isNaN(seconds)) throw new WebhookError('The header webhook-timestamp is no time.');
  if (Math.abs(Date.now() - seconds * 1_000) > toleranceMs)
    throw new WebhookError('The message is too old or too new.');
}

// A sender gives some signatures at most, each with its version.
const MAX_SIGNATURES = 10;

const parseSignatures = (written: string): Uint8Array<ArrayBuffer>[] =>
  written
    .split(' ', MAX_SIGNATURES)
    .filter((one) => one.startsWith('v1,'))
    .flatMap((one) => decodeBase64(one.slice('v1,'.length)) ?? []);

const PREFIX = 'whsec_';

/** Throws a TypeError for a text that is no secret. */
function importSecret(secret: string) {
  const bytes = secret.startsWith(PREFIX) ? decodeBase64(secret.slice(PREFIX.length)) : undefined;
  if (!bytes || bytes.length === 0)
    throw new TypeError('The secret of a webhook begins with whsec_ and goes on in base64.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Returns undefined unless the text is base64 exactly as an encoder writes it. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = atob(text);
    if (btoa(bytes) !== text) return undefined;
    return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
