import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { once } from '../../../shared/runtime/async.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { BUDGET_REGION } from '../../stack-names.ts';
import {
  callJsonApi,
  describeStack,
  isMissingStack,
  listMembers,
  type Stack,
  type StackPlace,
  textOf,
} from '../aws.ts';
import { setting } from '../errors.ts';
import { type Check, CLIENT_LIMITS, type Finding, isProduction } from './check.ts';
import { checkSubscriptions, SUBSCRIBE } from './mail.ts';

const READ_EVENTS = 'Its events in the CloudFormation console say why: mend it, and deploy again.';

export function stackChecks(): Check[] {
  const { MAIL_STACK, MAIL_REGION, BUDGET_STACK } = process.env;
  const place = () => ({ name: setting('STACK_NAME') });
  const mailPlace = MAIL_STACK ? { name: MAIL_STACK, region: MAIL_REGION } : undefined;
  const budgetPlace = BUDGET_STACK ? { name: BUDGET_STACK, region: BUDGET_REGION } : undefined;
  const stack = once(() => describeStack(place()));
  const alarms = once(async () => [
    ...(await describeAlarms(place())),
    ...(mailPlace ? await describeAlarms(mailPlace) : []),
  ]);
  const checks: (Omit<Check, 'needs'> & Partial<Check>)[] = [
    {
      name: 'stack',
      needs: ['PURPOSE'],
      remedy: READ_EVENTS,
      look: async () => checkStack(await stack()),
    },
    {
      name: 'mail stack',
      remedy: READ_EVENTS,
      look: () => checkBeside(mailPlace, 'The mail is in the stack of the stage.'),
    },
    {
      name: 'budget',
      remedy: `Deploy the stage again with all of its stacks. ${READ_EVENTS}`,
      look: () => checkBeside(budgetPlace, 'The stage has none (`budget`).'),
    },
    {
      name: 'alarms',
      remedy: 'infra/cloud/README.md has a row for each alarm, with what to do.',
      look: async () => checkAlarms(await alarms(), await stack()),
    },
    {
      name: 'alarm subscriptions',
      needs: ['ALARM_TOPIC_ARN'],
      remedy: SUBSCRIBE,
      look: async () =>
        checkSubscriptions([
          setting('ALARM_TOPIC_ARN'),
          ...(await alarms()).flatMap(({ AlarmActions }) => AlarmActions),
        ]),
    },
    {
      name: 'concurrency',
      remedy:
        'Ask for a higher quota in the Service Quotas console: AWS Lambda, Concurrent executions. It takes some days.',
      look: checkAccountLimit,
    },
  ];
  return checks.map((check) => ({
    ...check,
    needs: ['STACK_NAME', ...(check.needs ?? [])],
    notLocally: 'The local server has no stack.',
  }));
}

const GOOD = ['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'IMPORT_COMPLETE'];

function checkStatus({ status }: Stack): Finding {
  if (status === 'UPDATE_ROLLBACK_COMPLETE') return { warning: 'The last deployment failed and was undone.' };
  if (status.endsWith('_IN_PROGRESS')) return { warning: `It is ${status}: a deployment is under way.` };
  return GOOD.includes(status) ? { ok: status } : { failed: `It is ${status}.` };
}

/** Checks the status of a stack that nobody may remove in production before its protection is lifted. */
function checkStack(stack: Stack): Finding {
  const isUnprotected = isProduction() && !stack.isProtected;
  const found = checkStatus(stack);
  return 'ok' in found && isUnprotected ? { failed: 'Termination protection is off in production.' } : found;
}

/** Checks a stack beside that of the stage, if the settings ask for one; one that does not exist has failed. */
async function checkBeside(place: StackPlace | undefined, none: string): Promise<Finding> {
  if (!place) return { skipped: none };
  try {
    return checkStatus(await describeStack(place));
  } catch (error) {
    if (!isMissingStack(error)) throw error;
    return { failed: `${place.name} does not exist in ${place.region}.` };
  }
}

const HOUR_MS = 60 * 60 * 1_000;

const alarm = z.object({
  AlarmName: z.string(),
  AlarmActions: z.array(z.string()).default([]),
  StateValue: z.enum(['OK', 'ALARM', 'INSUFFICIENT_DATA']),
  TreatMissingData: z.string().optional(),
});
const described = z.object({ MetricAlarms: z.array(alarm).default([]), CompositeAlarms: z.array(alarm).default([]) });
type Alarm = z.infer<typeof alarm>;

// DescribeAlarms takes no more names.
const PAGE = 100;

/** Returns the alarms of a stack that an operator is told of. */
async function describeAlarms({ name: stack, region }: StackPlace): Promise<Alarm[]> {
  const input = { StackName: stack };
  const members = await listMembers({ api: 'cloudformation', action: 'ListStackResources', input, region });
  const all = members
    .filter((member) => /^AWS::CloudWatch::(Composite)?Alarm$/.test(textOf(member, 'ResourceType') ?? ''))
    .map((member) => textOf(member, 'PhysicalResourceId') ?? '');
  // CodeDeploy reads these during a release, and they tell nobody (infra/cloud/functions/canary-alarms.ts). Stack
  // `Pharmacy-sol` has alarms `pharmacy-sol-…`.
  const names = all.filter((name) => !name.startsWith(`${stack.toLowerCase()}-release-`));
  const alarms: Alarm[] = [];
  for (let from = 0; from < names.length; from += PAGE) {
    const AlarmTypes = ['MetricAlarm', 'CompositeAlarm'];
    const input = { AlarmNames: names.slice(from, from + PAGE), AlarmTypes, MaxRecords: PAGE };
    const answer = await callJsonApi({ api: 'cloudwatch', action: 'DescribeAlarms', input, region });
    const { MetricAlarms, CompositeAlarms } = described.parse(answer);
    alarms.push(...MetricAlarms, ...CompositeAlarms);
  }
  return alarms;
}

function checkAlarms(alarms: readonly Alarm[], stack: Stack): Finding {
  const isNew = now().getTime() - stack.createdAt.getTime() < HOUR_MS;
  const namesOf = (some: readonly Alarm[]) => some.map(({ AlarmName }) => AlarmName).join(', ');
  // An alarm that silence sets off is in ALARM from its first evaluation until its job has run.
  const isSilent = ({ StateValue, TreatMissingData }: Alarm) =>
    StateValue === 'INSUFFICIENT_DATA' || (isNew && StateValue === 'ALARM' && TreatMissingData === 'breaching');
  const silent = alarms.filter(isSilent);
  const ringing = alarms.filter((alarm) => alarm.StateValue === 'ALARM' && !isSilent(alarm));
  if (alarms.length === 0) return { failed: 'The stack has no alarm.' };
  if (ringing.length > 0) return { failed: `In ALARM: ${namesOf(ringing)}.` };
  if (silent.length > 0) return { warning: `Without data so far: ${namesOf(silent)}.` };
  return { ok: `${alarms.length} are OK` };
}

// New accounts have less than the default of 1,000 (AWS, "Lambda quotas"), 10 as users report: quota L-B99A9384.
const LEAST_CONCURRENCY = 100;

async function checkAccountLimit(): Promise<Finding> {
  const { AccountLimit } = await new LambdaClient(CLIENT_LIMITS).send(new GetAccountSettingsCommand({}));
  const { ConcurrentExecutions: all = 0, UnreservedConcurrentExecutions: unreserved } = AccountLimit ?? {};
  if (all >= LEAST_CONCURRENCY) return { ok: `${unreserved} of ${all} are unreserved` };
  return { warning: `The account may run ${all} functions at the same time; further requests fail.` };
}
