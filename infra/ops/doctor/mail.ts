import * as z from 'zod';
import { askAws, listMembers, textOf } from '../aws.ts';
import { setting } from '../errors.ts';
import { type Check, type Finding, isProduction } from './check.ts';

const identity = z.object({ VerifiedForSendingStatus: z.boolean().default(false) });
const account = z.object({
  SendingEnabled: z.boolean().default(false),
  ProductionAccessEnabled: z.boolean().default(false),
  EnforcementStatus: z.string().default(''),
});
const destination = z.object({
  Enabled: z.boolean().default(false),
  SnsDestination: z.object({ TopicArn: z.string() }).optional(),
});
const destinations = z.object({ EventDestinations: z.array(destination).default([]) });

const region = (): string => process.env.MAIL_REGION ?? setting('AWS_REGION');

const LIMIT_MS = 60_000;

// Only version 2 of the API tells whether an account is in the sandbox.
const SES = { host: 'email', service: 'ses', endpointVariable: 'AWS_ENDPOINT_URL_SESV2' };
const askSes = (path: string) => askAws({ ...SES, region: region(), path: `/v2/email/${path}` });

export function mailChecks(): Check[] {
  const checks: Check[] = [
    {
      name: 'mail sender',
      needs: ['SES_IDENTITY'],
      remedy: 'Open the link that SES has mailed to the address, or put its DKIM records into the DNS of the domain.',
      look: async () => {
        const name = setting('SES_IDENTITY');
        const { VerifiedForSendingStatus: isVerified } = identity.parse(
          await askSes(`identities/${encodeURIComponent(name)}`),
        );
        const where = `verified in ${region()}`;
        return isVerified ? { ok: `${name} is ${where}` } : { failed: `${name} is not ${where} yet.` };
      },
    },
    {
      name: 'mail sending',
      needs: ['PURPOSE'],
      remedy: 'The SES console of that region says what it waits for; there one asks for production access, too.',
      look: async () => checkSending(account.parse(await askSes('account'))),
    },
    {
      name: 'mail subscriptions',
      needs: ['MAIL_CONFIGURATION_SET'],
      remedy: SUBSCRIBE,
      look: async () => {
        const set = encodeURIComponent(setting('MAIL_CONFIGURATION_SET'));
        const found = destinations.parse(await askSes(`configuration-sets/${set}/event-destinations`));
        const enabled = found.EventDestinations.filter(({ Enabled }) => Enabled);
        return checkSubscriptions(enabled.flatMap(({ SnsDestination }) => SnsDestination?.TopicArn ?? []));
      },
    },
  ];
  const limits = { notLocally: 'The local mailbox takes mail from anybody.', limitMs: LIMIT_MS };
  return checks.map((check) => ({ ...check, ...limits }));
}

type Account = z.infer<typeof account>;

function checkSending({ SendingEnabled, EnforcementStatus, ProductionAccessEnabled }: Account): Finding {
  if (EnforcementStatus === 'SHUTDOWN') return { failed: 'SES has stopped the account for its reputation.' };
  if (!SendingEnabled) return { failed: `SES has paused sending in ${region()}.` };
  if (!ProductionAccessEnabled) {
    const found = `The account is in the sandbox in ${region()}: mail reaches verified addresses only.`;
    return isProduction() ? { failed: found } : { warning: found };
  }
  if (EnforcementStatus === 'PROBATION') return { warning: 'SES reviews the account for its reputation.' };
  return { ok: `on in ${region()}` };
}

// https://docs.aws.amazon.com/sns/latest/dg/sns-delete-subscription-topic.html (2026-11-22): SNS removes an unconfirmed
// subscription after 48 hours, and a deployment does not make it again.
export const SUBSCRIBE =
  'Open the link in the mail "AWS Notification - Subscription Confirmation". It works for 48 hours; after that ' +
  'subscribe the address again: aws sns subscribe --protocol email --topic-arn <topic> --notification-endpoint <address>.';

/** Checks that each of these SNS topics has a confirmed subscription. */
export async function checkSubscriptions(targets: readonly string[]): Promise<Finding> {
  const topics = [...new Set(targets)].filter((arn) => arn.split(':')[2] === 'sns');
  if (topics.length === 0) return { failed: 'There is no topic that mails anybody.' };
  const found = await Promise.all(topics.map(checkTopic));
  const ok = found.flatMap((finding) => ('ok' in finding ? [finding.ok] : []));
  const worst = found.find((finding) => 'failed' in finding) ?? found.find((finding) => 'warning' in finding);
  return worst ?? { ok: [...new Set(ok)].join(', ') };
}

async function checkTopic(topic: string): Promise<Finding> {
  // A topic may be in another region than the stack: that of the mail.
  const region = topic.split(':')[3];
  const input = { TopicArn: topic };
  const members = await listMembers({ api: 'sns', action: 'ListSubscriptionsByTopic', input, region });
  const endpointsOf = (isOf: (arn: string) => boolean) =>
    members.filter((member) => isOf(textOf(member, 'SubscriptionArn') ?? '')).map((each) => textOf(each, 'Endpoint'));
  const confirmed = endpointsOf((arn) => arn.startsWith('arn:'));
  const pending = endpointsOf((arn) => arn === 'PendingConfirmation');
  const name = topic.split(':').at(-1);
  const waiting = `${pending.join(', ')} has not confirmed the subscription to ${name}.`;
  if (confirmed.length > 0) return pending.length > 0 ? { warning: waiting } : { ok: confirmed.join(', ') };
  return { failed: pending.length > 0 ? waiting : `Nobody is subscribed to ${name}.` };
}
