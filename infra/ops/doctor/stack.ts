import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, DescribeAlarmsCommand, type MetricAlarm } from '@aws-sdk/client-cloudwatch';
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
import { describeStack, inRegion, isMissingStack, type Stack, type StackPlace } from '../aws.ts';
import { setting } from '../errors.ts';
import { type Check, CLIENT_LIMITS, type Finding, isProduction } from './check.ts';

// https://docs.aws.amazon.com/sns/latest/dg/sns-delete-subscription-topic.html (2026-11-22): SNS removes an unconfirmed
// subscription after 48 hours, and a deployment does not make it again.
const SUBSCRIBE =
  'Open the link in the mail "AWS Notification - Subscription Confirmation". It works for 48 hours; after that ' +
  'subscribe the address again: aws sns subscribe --protocol email --topic-arn <topic> --notification-endpoint <address>.';

const READ_EVENTS = 'Its events in the CloudFormation console say why: mend it, and deploy again.';

export function stackChecks(): Check[] {
  const { MAIL_STACK, MAIL_REGION, BUDGET_STACK } = process.env;
  const place = () => ({ name: setting('STACK_NAME') });
  const mailPlaces = MAIL_STACK ? [{ name: MAIL_STACK, region: MAIL_REGION }] : [];
  const budgetPlaces = BUDGET_STACK ? [{ name: BUDGET_STACK, region: BUDGET_REGION }] : [];
  const stack = once(() => describeStack(place()));
  const alarms = once(async () => (await Promise.all([place(), ...mailPlaces].map(describeAlarms))).flat());
  const checks: Omit<Check, 'needs'>[] = [
    {
      name: 'stack',
      remedy: READ_EVENTS,
      look: async () => checkStack(await stack()),
    },
    {
      name: 'mail stack',
      remedy: READ_EVENTS,
      look: () => checkBeside(mailPlaces, 'The mail is in the stack of the stage.'),
    },
    {
      name: 'budget',
      remedy: `Deploy the stage again with all of its stacks. ${READ_EVENTS}`,
      look: () => checkBeside(budgetPlaces, 'The stage has none (`budget`).'),
    },
    {
      name: 'alarms',
      remedy: 'infra/cloud/alarms.md has a row for each alarm, with what to do.',
      look: async () => checkAlarms(await alarms(), await stack()),
    },
    {
      name: 'alarm subscriptions',
      remedy: SUBSCRIBE,
      look: async () => {
        const targets = (await alarms()).flatMap(({ AlarmActions = [] }) => AlarmActions);
        return checkSubscriptions([setting('ALARM_TOPIC_ARN'), ...targets]);
      },
    },
    {
      name: 'concurrency',
      remedy:
        'Ask for a higher quota in the Service Quotas console: AWS Lambda, Concurrent executions. It takes some days.',
      look: checkAccountLimit,
    },
  ];
  const needs = ['STACK_NAME', 'PURPOSE', 'ALARM_TOPIC_ARN'];
  return checks.map((check) => ({ ...check, needs, notLocally: 'The local server has no stack.' }));
}

const GOOD = ['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'IMPORT_COMPLETE'];

function checkStatus({ status }: Stack): Finding {
  if (status === 'UPDATE_ROLLBACK_COMPLETE') return ['warning', 'The last deployment failed and was undone.'];
  if (status.endsWith('_IN_PROGRESS')) return ['warning', `It is ${status}: a deployment is under way.`];
  return GOOD.includes(status) ? ['ok', status] : ['failed', `It is ${status}.`];
}

function checkStack(stack: Stack): Finding {
  const found = checkStatus(stack);
  const isUnprotected = found[0] === 'ok' && isProduction() && !stack.isProtected;
  return isUnprotected ? ['failed', 'Termination protection is off in production.'] : found;
}

async function checkBeside([place]: readonly StackPlace[], none: string): Promise<Finding> {
  if (!place) return ['skipped', none];
  try {
    return checkStatus(await describeStack(place));
  } catch (error) {
    if (!isMissingStack(error)) throw error;
    return ['failed', `${place.name} does not exist in ${place.region}.`];
  }
}

// The slowest job whose silence is an alarm runs every hour, and for the first time an hour after its schedule was made.
const NEW_MS = 2 * 60 * 60 * 1_000;

async function describeAlarms({ name: stack, region }: StackPlace): Promise<MetricAlarm[]> {
  const client = new CloudFormationClient({ ...CLIENT_LIMITS, ...inRegion(region) });
  const pages = await Array.fromAsync(paginateListStackResources({ client }, { StackName: stack }));
  // CodeDeploy reads these during a release, and they tell nobody (infra/cloud/functions/canary.ts). Stack
  // `Pharmacy-sol` has alarms `pharmacy-sol-…`.
  const ofRelease = `${stack.toLowerCase()}-release-`;
  const AlarmNames = pages
    .flatMap(({ StackResourceSummaries = [] }) => StackResourceSummaries)
    .filter(({ ResourceType }) => ResourceType === 'AWS::CloudWatch::Alarm')
    .map(({ PhysicalResourceId = '' }) => PhysicalResourceId)
    .filter((name) => !name.startsWith(ofRelease));
  // Without names it would describe every alarm of the account.
  if (AlarmNames.length === 0) return [];
  // A stage has some 30; DescribeAlarms takes 100 names.
  const describe = new DescribeAlarmsCommand({ AlarmNames, MaxRecords: 100 });
  const { MetricAlarms = [] } = await new CloudWatchClient({ ...CLIENT_LIMITS, ...inRegion(region) }).send(describe);
  return MetricAlarms;
}

function checkAlarms(alarms: readonly MetricAlarm[], stack: Stack): Finding {
  const isNew = now().getTime() - stack.createdAt.getTime() < NEW_MS;
  const namesOf = (some: readonly MetricAlarm[]) => some.map(({ AlarmName }) => AlarmName).join(', ');
  // One that tells of silence has no data until its job has run for the first time, and none if it never does.
  const isLate = ({ InsufficientDataActions = [] }: MetricAlarm) => !isNew && InsufficientDataActions.length > 0;
  const silent = alarms.filter(({ StateValue }) => StateValue === 'INSUFFICIENT_DATA');
  const late = silent.filter(isLate);
  const ringing = alarms.filter(({ StateValue }) => StateValue === 'ALARM');
  if (alarms.length === 0) return ['failed', 'The stack has no alarm.'];
  if (ringing.length > 0) return ['failed', `In ALARM: ${namesOf(ringing)}.`];
  if (late.length > 0) return ['failed', `A job does not run, or fails: ${namesOf(late)}.`];
  if (silent.length > 0) return ['warning', `Without data so far: ${namesOf(silent)}.`];
  return ['ok', `${alarms.length} are OK`];
}

async function checkSubscriptions(targets: readonly string[]): Promise<Finding> {
  const topics = [...new Set(targets)].filter((arn) => arn.split(':')[2] === 'sns');
  if (topics.length === 0) return ['failed', 'There is no topic that mails anybody.'];
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
  const client = new SNSClient({ ...CLIENT_LIMITS, ...inRegion(region) });
  const pages = await Array.fromAsync(paginateListSubscriptionsByTopic({ client }, { TopicArn }));
  const subscriptions = pages.flatMap(({ Subscriptions = [] }) => Subscriptions);
  const endpointsOf = (state: RegExp) =>
    subscriptions.filter((each) => state.test(each.SubscriptionArn ?? '')).map(({ Endpoint = '' }) => Endpoint);
  return { name, confirmed: endpointsOf(/^arn:/), pending: endpointsOf(/^PendingConfirmation$/) };
}

// New accounts have less than the default of 1,000 (AWS, "Lambda quotas"), 10 as users report: quota L-B99A9384.
const LEAST_CONCURRENCY = 100;

async function checkAccountLimit(): Promise<Finding> {
  const { AccountLimit } = await new LambdaClient(CLIENT_LIMITS).send(new GetAccountSettingsCommand({}));
  const { ConcurrentExecutions: all = 0, UnreservedConcurrentExecutions: unreserved } = AccountLimit ?? {};
  if (all >= LEAST_CONCURRENCY) return ['ok', `${unreserved} of ${all} are unreserved`];
  return ['warning', `The account may run ${all} functions at the same time; further requests fail.`];
}

const region = (): string => process.env.MAIL_REGION ?? setting('AWS_REGION');

// SES answers some calls once a second (API reference of GetSendQuota).
const ses = () => new SESv2Client({ ...CLIENT_LIMITS, maxAttempts: 10, region: region() });

export function mailChecks(): Check[] {
  const checks: Check[] = [
    {
      name: 'mail sender',
      needs: ['SES_IDENTITY'],
      remedy: 'Open the link that SES has mailed to the address, or put its DKIM records into the DNS of the domain.',
      look: async (name) => {
        const identity = await ses().send(new GetEmailIdentityCommand({ EmailIdentity: name }));
        if (identity.VerifiedForSendingStatus) return ['ok', `${name} is verified in ${region()}`];
        return ['failed', `${name} is not verified in ${region()} yet.`];
      },
    },
    {
      name: 'mail sending',
      needs: ['PURPOSE', 'SES_IDENTITY'],
      remedy: 'The SES console of that region says what it waits for; there one asks for production access, too.',
      look: async () => checkSending(await ses().send(new GetAccountCommand({}))),
    },
    {
      name: 'mail subscriptions',
      needs: ['MAIL_CONFIGURATION_SET'],
      remedy: SUBSCRIBE,
      look: async (set) => {
        const command = new GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName: set });
        const { EventDestinations = [] } = await ses().send(command);
        const enabled = EventDestinations.filter(({ Enabled }) => Enabled);
        return checkSubscriptions(enabled.flatMap(({ SnsDestination }) => SnsDestination?.TopicArn ?? []));
      },
    },
  ];
  return checks.map((check) => ({ ...check, notLocally: 'The local mailbox takes mail from anybody.' }));
}

function checkSending({
  SendingEnabled,
  EnforcementStatus,
  ProductionAccessEnabled,
}: GetAccountCommandOutput): Finding {
  if (EnforcementStatus === 'SHUTDOWN') return ['failed', 'SES has stopped the account for its reputation.'];
  if (!SendingEnabled) return ['failed', `SES has paused sending in ${region()}.`];
  if (!ProductionAccessEnabled) {
    const found = `The account is in the sandbox in ${region()}: mail reaches verified addresses only.`;
    return isProduction() ? ['failed', found] : ['warning', found];
  }
  if (EnforcementStatus === 'PROBATION') return ['warning', 'SES reviews the account for its reputation.'];
  return ['ok', `on in ${region()}`];
}
