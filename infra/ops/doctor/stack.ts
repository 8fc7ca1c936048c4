import { CloudWatchClient, type MetricAlarm, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  GetAccountCommand,
  type GetAccountCommandOutput,
  GetConfigurationSetEventDestinationsCommand,
  GetEmailIdentityCommand,
  SESv2Client,
} from '@aws-sdk/client-sesv2';
import { paginateListSubscriptionsByTopic, SNSClient } from '@aws-sdk/client-sns';
import { once } from '../../../shared/runtime/async.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { BUDGET_REGION } from '../../stack-names.ts';
import { describeStack, inRegion } from '../aws.ts';
import { setting } from '../errors.ts';
import { type Check, type Finding, isProduction } from './check.ts';

// https://docs.aws.amazon.com/sns/latest/dg/sns-delete-subscription-topic.html (2026-11-22): SNS removes an unconfirmed
// subscription after 48 hours, and a deployment does not make it again.
const SUBSCRIBE =
  'Open the link in the mail "AWS Notification - Subscription Confirmation". It works for 48 hours; after that ' +
  'subscribe the address again: aws sns subscribe --protocol email --topic-arn <topic> --notification-endpoint <address>.';

type Stack = Awaited<ReturnType<typeof describeStack>>;

export function stackChecks(): Check[] {
  const stack = once(() => describeStack({ name: setting('STACK_NAME') }));
  const topics = once(listTopics);
  const checks: Omit<Check, 'needs'>[] = [
    {
      name: 'stacks',
      remedy:
        'Its events in the CloudFormation console say why: mend it, and deploy again with all stacks of the stage.',
      look: (name) => checkStacks(name, stack()),
    },
    {
      name: 'alarms',
      remedy: 'infra/cloud/alarms.md has a row for each alarm, with what to do.',
      look: async (name) => checkAlarms(await describeAlarms(name, await topics()), await stack()),
    },
    {
      name: 'alarm subscriptions',
      step: 'Confirm the mails to the alarm address',
      remedy: SUBSCRIBE,
      look: async () => checkSubscriptions(await topics()),
    },
    {
      name: 'concurrency',
      remedy:
        'Ask for a higher quota in the Service Quotas console: AWS Lambda, Concurrent executions. It takes some days.',
      look: checkAccountLimit,
    },
  ];
  const needs = ['STACK_NAME', 'PURPOSE', 'ALARM_TOPIC_ARN'];
  return checks.map((check) => ({ ...check, needs, isOfStage: true }));
}

/** Looks at the stack of the stage, and at those of its mail and its budget in other regions; returns the worst finding. */
async function checkStacks(name: string, stack: Promise<Stack>): Promise<Finding> {
  const { MAIL_STACK, MAIL_REGION, BUDGET_STACK } = process.env;
  const beside = [
    { name: MAIL_STACK, region: MAIL_REGION },
    { name: BUDGET_STACK, region: BUDGET_REGION },
  ].flatMap(({ name, region }) => (name ? [{ name, region }] : []));
  const described = [{ name, stack }, ...beside.map((place) => ({ name: place.name, stack: describeStack(place) }))];
  const findings = await Promise.all(described.map(async (each) => checkStack(each.name, await each.stack)));
  const wrong = findings.filter(([state]) => state !== 'ok');
  return wrong.find(([state]) => state === 'failed') ?? wrong[0] ?? ['ok', findings.map(([, text]) => text).join(', ')];
}

const GOOD = ['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'IMPORT_COMPLETE'];

function checkStack(name: string, { status, isProtected }: Stack): Finding {
  if (status === 'UPDATE_ROLLBACK_COMPLETE')
    return ['warning', `The last deployment of ${name} failed and was undone.`];
  if (status.endsWith('_IN_PROGRESS')) return ['warning', `${name} is ${status}: a deployment is under way.`];
  if (!GOOD.includes(status)) return ['failed', `${name} is ${status}.`];
  if (isProduction() && !isProtected && name === process.env.STACK_NAME)
    return ['failed', 'Termination protection is off in production.'];
  return ['ok', `${name} is ${status}`];
}

// The slowest job whose silence is an alarm runs every hour, and for the first time an hour after its schedule was made.
const NEW_MS = 2 * 60 * 60 * 1_000;

/** Describes the alarms of a stage that mail somebody; those of a release, which CodeDeploy reads, do not. */
async function describeAlarms(stack: string, topics: readonly string[]): Promise<MetricAlarm[]> {
  const regions = new Set([setting('AWS_REGION'), mailRegion()]);
  const pages = await Promise.all(
    [...regions].map((region) => {
      const client = new CloudWatchClient({ region });
      // Stack `Pharmacy-sol` has alarms `pharmacy-sol-…`; those of a stage `sol-norte` have another topic.
      return Array.fromAsync(paginateDescribeAlarms({ client }, { AlarmNamePrefix: `${stack.toLowerCase()}-` }));
    }),
  );
  const alarms = pages.flat().flatMap(({ MetricAlarms = [] }) => MetricAlarms);
  return alarms.filter(({ AlarmActions = [] }) => AlarmActions.some((action) => topics.includes(action)));
}

function checkAlarms(alarms: readonly MetricAlarm[], { createdAt }: Stack): Finding {
  const isNew = now().getTime() - createdAt.getTime() < NEW_MS;
  const namesOf = (some: readonly MetricAlarm[]) => some.map(({ AlarmName }) => AlarmName).join(', ');
  // One that tells of silence has no data until its job has run for the first time, and none if it never does.
  const isLate = ({ InsufficientDataActions = [] }: MetricAlarm) => !isNew && InsufficientDataActions.length > 0;
  const silent = alarms.filter(({ StateValue }) => StateValue === 'INSUFFICIENT_DATA');
  const late = silent.filter(isLate);
  const ringing = alarms.filter(({ StateValue }) => StateValue === 'ALARM');
  if (alarms.length === 0) return ['failed', 'The stage has no alarm.'];
  if (ringing.length > 0) return ['failed', `In ALARM: ${namesOf(ringing)}.`];
  if (late.length > 0) return ['failed', `A job does not run, or fails: ${namesOf(late)}.`];
  if (silent.length > 0) return ['warning', `Without data so far: ${namesOf(silent)}.`];
  return ['ok', `${alarms.length} are OK`];
}

/** Returns the topics that mail the operator: that of the alarms, and that of bounces, which may be in the region of the mail. */
async function listTopics(): Promise<string[]> {
  const { MAIL_CONFIGURATION_SET: ConfigurationSetName } = process.env;
  const { EventDestinations = [] } = ConfigurationSetName
    ? await ses().send(new GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName }))
    : {};
  const ofMail = EventDestinations.flatMap(({ SnsDestination }) => SnsDestination?.TopicArn ?? []);
  return [setting('ALARM_TOPIC_ARN'), ...ofMail];
}

async function checkSubscriptions(topics: readonly string[]): Promise<Finding> {
  const found = await Promise.all(topics.map(listSubscriptions));
  const unheard = found.find(({ confirmed }) => confirmed.length === 0);
  const unconfirmed = (unheard ? [unheard] : found).find(({ pending }) => pending.length > 0);
  if (unconfirmed) {
    const waiting = `${unconfirmed.pending.join(', ')} has not confirmed the subscription to ${unconfirmed.name}.`;
    return unheard ? ['failed', waiting] : ['warning', waiting];
  }
  if (unheard) return ['failed', `Nobody is subscribed to ${unheard.name}.`];
  return ['ok', [...new Set(found.flatMap(({ confirmed }) => confirmed))].join(', ')];
}

async function listSubscriptions(TopicArn: string) {
  // A topic may be in another region than the stack: that of the mail.
  const [, , , region, , name] = TopicArn.split(':');
  const client = new SNSClient(inRegion(region));
  const pages = await Array.fromAsync(paginateListSubscriptionsByTopic({ client }, { TopicArn }));
  const subscriptions = pages.flatMap(({ Subscriptions = [] }) => Subscriptions);
  const endpointsOf = (state: RegExp) =>
    subscriptions.filter((each) => state.test(each.SubscriptionArn ?? '')).map(({ Endpoint = '' }) => Endpoint);
  return { name, confirmed: endpointsOf(/^arn:/), pending: endpointsOf(/^PendingConfirmation$/) };
}

// New accounts have less than the default of 1,000 (AWS, "Lambda quotas"), 10 as users report: quota L-B99A9384.
const LEAST_CONCURRENCY = 100;

async function checkAccountLimit(): Promise<Finding> {
  const { AccountLimit } = await new LambdaClient({}).send(new GetAccountSettingsCommand({}));
  const { ConcurrentExecutions: all = 0, UnreservedConcurrentExecutions: unreserved } = AccountLimit ?? {};
  if (all >= LEAST_CONCURRENCY) return ['ok', `${unreserved} of ${all} are unreserved`];
  return ['warning', `The account may run ${all} functions at the same time; further requests fail.`];
}

const mailRegion = (): string => process.env.MAIL_REGION ?? setting('AWS_REGION');

// SES answers some calls once a second (API reference of GetSendQuota).
const ses = () => new SESv2Client({ maxAttempts: 10, region: mailRegion() });

export function mailChecks(): Check[] {
  const checks: Check[] = [
    {
      name: 'mail sender',
      step: 'Verify the sender of the mails',
      needs: ['SES_IDENTITY'],
      remedy: 'Open the link that SES has mailed to the address, or put its DKIM records into the DNS of the domain.',
      look: async (name) => {
        const identity = await ses().send(new GetEmailIdentityCommand({ EmailIdentity: name }));
        if (identity.VerifiedForSendingStatus) return ['ok', `${name} is verified in ${mailRegion()}`];
        return ['failed', `${name} is not verified in ${mailRegion()} yet.`];
      },
    },
    {
      name: 'mail sending',
      step: 'Get production access to SES',
      needs: ['PURPOSE', 'SES_IDENTITY'],
      remedy: 'The SES console of that region says what it waits for; there one asks for production access, too.',
      look: async () => checkSending(await ses().send(new GetAccountCommand({}))),
    },
  ];
  return checks.map((check) => ({ ...check, isOfStage: true }));
}

function checkSending({
  SendingEnabled,
  EnforcementStatus,
  ProductionAccessEnabled,
}: GetAccountCommandOutput): Finding {
  if (EnforcementStatus === 'SHUTDOWN') return ['failed', 'SES has stopped the account for its reputation.'];
  if (!SendingEnabled) return ['failed', `SES has paused sending in ${mailRegion()}.`];
  if (!ProductionAccessEnabled) {
    const found = `The account is in the sandbox in ${mailRegion()}: mail reaches verified addresses only.`;
    return isProduction() ? ['failed', found] : ['warning', found];
  }
  if (EnforcementStatus === 'PROBATION') return ['warning', 'SES reviews the account for its reputation.'];
  return ['ok', `on in ${mailRegion()}`];
}
