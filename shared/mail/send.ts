import { type MailSender, mailConfig } from '../runtime/config.ts';
import { neverConnected } from '../runtime/network.ts';
import { once } from '../runtime/once.ts';

/**
 * `sent`: SES has it. `refused`: SES does not have it, and may take it later. `unknown`: it may have it or not, and
 * whoever sends it again may send it twice.
 */
export type MailOutcome =
  | { readonly outcome: 'sent'; readonly messageId: string }
  | { readonly outcome: 'refused'; readonly code: string }
  | { readonly outcome: 'unknown'; readonly code: string };

export type Mailer = {
  /** Who mails are from, and who is told of those that cannot be delivered. */
  readonly sender: MailSender;
  /** What that sender calls itself. */
  readonly sellerName: string;
  /** Sends a composed mail to this one address, whatever its headers say. Never throws; ends by its own deadline. */
  send(raw: Uint8Array, to: string, signal?: AbortSignal): Promise<MailOutcome>;
};

const DEADLINE_MS = 4_000;

/** Mail through SES, as the configuration names it. */
export function openMailer(): Mailer {
  const { MAIL_SENDER: sender, MAIL_CONFIGURATION_SET: configurationSet } = mailConfig();
  // Only at the first mail: a function that sends none does not wait for the client.
  const ses = once(async () => (await import('./ses.ts')).openSes());
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
        return outcomeOf(error);
      }
    },
  };
}

const withDeadline = (signal: AbortSignal | undefined): AbortSignal =>
  AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), ...(signal ? [signal] : [])]);

/** As the SDK makes them: of SES, of the connection, or of itself. */
type SesFailure = Error & { readonly code?: string; readonly $metadata?: { readonly httpStatusCode?: number } };

// 503 says that the request was not taken; any other 5xx may come after SES, or something before it, took it.
const isRefusal = (status = 0): boolean => (status >= 400 && status < 500) || status === 503;

function outcomeOf(error: unknown): MailOutcome {
  if (!(error instanceof Error)) return { outcome: 'unknown', code: typeof error };
  const { name, code, $metadata }: SesFailure = error;
  // The only time-out that is set is the connection's; one with a code is what the SDK calls a reset.
  const isUnconnected = neverConnected(error) || (name === 'TimeoutError' && code === undefined);
  const isUnsent = isUnconnected || name === 'CredentialsProviderError' || isRefusal($metadata?.httpStatusCode);
  return { outcome: isUnsent ? 'refused' : 'unknown', code: code ?? name };
}
