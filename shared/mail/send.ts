import { once } from '../runtime/async.ts';
import { type MailSender, mailConfig } from '../runtime/config.ts';
import { neverConnected } from '../runtime/log.ts';

/** After `refused`, SES has not accepted the mail and may do so later; after `unknown`, a second try may send it twice. */
export type MailOutcome =
  | { readonly outcome: 'sent'; readonly messageId: string }
  | { readonly outcome: 'refused'; readonly code: string }
  | { readonly outcome: 'unknown'; readonly code: string };

export type Mailer = {
  /** Also receives bounces. */
  readonly sender: MailSender;
  readonly sellerName: string;
  /** Sends a composed mail to one address, ignoring the recipients in its headers. Never throws; has its own deadline. */
  send(raw: Uint8Array, to: string, signal?: AbortSignal): Promise<MailOutcome>;
};

const DEADLINE_MS = 4_000;

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

type SesFailure = Error & { readonly code?: string; readonly $metadata?: { readonly httpStatusCode?: number } };

// A 503 means that the request was not accepted; after another 5xx, SES may have accepted it.
const isRefusal = (status = 0): boolean => (status >= 400 && status < 500) || status === 503;

function toOutcome(error: unknown): MailOutcome {
  if (!(error instanceof Error)) return { outcome: 'unknown', code: typeof error };
  const { name, code, $metadata }: SesFailure = error;
  // Only connecting has a timeout; a TimeoutError with a code is a connection reset.
  const isUnconnected = neverConnected(error) || (name === 'TimeoutError' && code === undefined);
  const isUnsent = isUnconnected || name === 'CredentialsProviderError' || isRefusal($metadata?.httpStatusCode);
  return { outcome: isUnsent ? 'refused' : 'unknown', code: code ?? name };
}
