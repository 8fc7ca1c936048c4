import { listMembers, textOf } from '../target/query-api.ts';
import { type Finding, worstOf } from './check.ts';

// https://docs.aws.amazon.com/sns/latest/dg/sns-delete-subscription-topic.html (2026-11-22): SNS removes an unconfirmed
// subscription after 48 hours, and a deployment does not make it again.
export const SUBSCRIBE =
  'Open the link in the mail "AWS Notification - Subscription Confirmation". It works for 48 hours; after that ' +
  'subscribe the address again: aws sns subscribe --protocol email --topic-arn <topic> --notification-endpoint <address>.';

type Subscription = { readonly arn: string; readonly endpoint: string };

/** Checks that each of these SNS topics has a confirmed subscription. */
export async function checkSubscriptions(targets: readonly string[]): Promise<Finding> {
  const topics = [...new Set(targets)].filter((arn) => arn.split(':')[2] === 'sns');
  if (topics.length === 0) return { failed: 'There is no topic that mails anybody.' };
  const found = await Promise.all(topics.map(async (topic) => checkTopic(topic, await listSubscriptions(topic))));
  const ok = found.flatMap((finding) => ('ok' in finding ? [finding.ok] : []));
  return worstOf(found) ?? { ok: [...new Set(ok)].join(', ') };
}

function checkTopic(topic: string, subscriptions: readonly Subscription[]): Finding {
  const confirmed = subscriptions.filter(({ arn }) => arn.startsWith('arn:'));
  const pending = subscriptions.filter(({ arn }) => arn === 'PendingConfirmation').map(({ endpoint }) => endpoint);
  const name = topic.split(':').at(-1);
  const waiting = `${pending.join(', ')} has not confirmed the subscription to ${name}.`;
  if (confirmed.length > 0 && pending.length > 0) return { warning: waiting };
  if (confirmed.length > 0) return { ok: confirmed.map(({ endpoint }) => endpoint).join(', ') };
  return { failed: pending.length > 0 ? waiting : `Nobody is subscribed to ${name}.` };
}

async function listSubscriptions(topic: string): Promise<Subscription[]> {
  // A topic may be in another region than the stack: that of the mail.
  const region = topic.split(':')[3];
  const input = { TopicArn: topic };
  const members = await listMembers({ api: 'sns', action: 'ListSubscriptionsByTopic', input, region });
  return members.map(parseSubscription);
}

const parseSubscription = (member: string): Subscription => ({
  arn: textOf(member, 'SubscriptionArn') ?? '',
  endpoint: textOf(member, 'Endpoint') ?? '',
});
