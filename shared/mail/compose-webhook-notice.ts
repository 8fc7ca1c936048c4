import type { MailSender } from '../runtime/config.ts';
import { composeMail, oneLine } from './compose-mail.ts';
import { type NoticeWords, noticeText } from './webhook-notice-text.ts';

export type WebhookNotice = NoticeWords & { readonly to: string; readonly sender: MailSender };

/** Composes the mail to the owner of an endpoint that the service disabled. Throws RangeError as `composeMail` does. */
export function composeWebhookNotice(notice: WebhookNotice): Promise<Uint8Array> {
  const { to, sender, endpointId, disabledAt } = notice;
  const sellerName = oneLine(notice.sellerName);
  return composeMail({
    to,
    sender,
    subject: `Webhook ${endpointId} desactivado – ${sellerName}`,
    reference: `webhook ${endpointId} ${disabledAt}`,
    text: noticeText({ ...notice, sellerName }),
  });
}
