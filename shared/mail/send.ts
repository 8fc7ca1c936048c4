import { once } from '../runtime/async.ts';
import { type MailSender, mailConfig } from '../runtime/config.ts';
import { neverConnected } from '../runtime/system-error.ts';

/**
 * `sent`: SES has accepted the mail. `refused`: SES has not, and may accept it later. `unknown`: SES may have accepted it,
 * so sending it again may send it twice.
 */
export type MailOutcome =
  | { readonly outcome: 'sent'; readonly messageId: string }
  | { readonly outcome: 'refused'; readonly code: string }
  | { readonly outcome: 'unknown'; readonly code: string };

export type Mailer = {
  /** The sender of mails, who also receives bounces. */
  readonly sender: MailSender;
  /** The display name of the sender. */
  readonly sellerName: string;
  /** Sends a composed mail to this one address, ignoring the recipients in its headers. Never throws; has its own deadline. */
  send(raw: Uint8Array, to: string, signal?: AbortSignal): Promise<MailOutcome>;
};

const DEADLINE_MS = 4_000;

/** Opens the mailer of the configuration, which sends through SES. */
export function openMailer(): Mailer {
  const { MAIL_SENDER: sender, MAIL_CONFIGURATION_SET: configurationSet, MAIL_REGION: region } = mailConfig();
  // Loaded with the first mail, so that other requests do not wait for the client.
  const ses = once(async () => (await import('./ses.ts')).openSesSender(region));
  return {
    sender,
    sellerName: sender.name,
    async send(raw, to, signal) {
      try {
        const sendOnce = await ses();
        if (signal?.aborted) return { outcome: 'refused', code: 'PastDeadline' };
        const messageId = await sendOnce({ raw, from: sender.address, to, configurationSet }, withDeadline(signal));
        return messageId ? { outcome: 'sent', messageId } : { outcome: 'unknown', code: 'NoMessageId' };
      } catch (error) {
        return toOutcome(error);
      }
    },
  };
}

const withDeadline = (signal: AbortSignal | undefined): AbortSignal =>
  AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), ...(signal ? [signal] : [])]);

/** An error of the SDK: an answer of SES, a connection error, or its own. */
type SesFailure = Error & { readonly code?: string; readonly $metadata?: { readonly httpStatusCode?: number } };

// A 503 says that the request was not accepted; after any other 5xx, SES may have accepted it.
const isRefusal = (status = 0): boolean => (status >= 400 && status < 500) || status === 503;

function toOutcome(error: unknown): MailOutcome {
  if (!(error instanceof Error)) return { outcome: 'unknown', code: typeof error };
  const { name, code, $metadata }: SesFailure = error;
  // Only the connection has a timeout set; a TimeoutError with a code is a connection reset.
  const isUnconnected = neverConnected(error) || (name === 'TimeoutError' && code === undefined);
  const isUnsent = isUnconnected || name === 'CredentialsProviderError' || isRefusal($metadata?.httpStatusCode);
  return { outcome: isUnsent ? 'refused' : 'unknown', code: code ?? name };
}
