import * as z from 'zod';
import { setting } from '../../command.ts';
import { callJsonApi } from '../../target/json-api.ts';
import { parseJson } from '../../target/parse-json.ts';
import type { Stack } from '../../target/stack.ts';
import { type Finding, type StackCheck, worstOf } from '../check.ts';
import { checkSubscriptions, SUBSCRIBE } from '../subscriptions.ts';
import { isSuccess, listNewestActions } from './alarm-history.ts';
import { isNew, type StackResources } from './resources.ts';

const alarm = z.object({
  AlarmName: z.string(),
  ActionsEnabled: z.boolean().default(false),
  AlarmActions: z.array(z.string()).default([]),
  StateValue: z.enum(['OK', 'ALARM', 'INSUFFICIENT_DATA']),
  StateReasonData: z.string().optional(),
  TreatMissingData: z.string().optional(),
  Namespace: z.string().optional(),
  MetricName: z.string().optional(),
});
const answer = z.object({ MetricAlarms: z.array(alarm).default([]), CompositeAlarms: z.array(alarm).default([]) });
export type Alarm = z.infer<typeof alarm> & {
  /** The region of the alarm, if it is not that of the stage. */
  readonly region?: string | undefined;
};

// DescribeAlarms takes no more names.
const PAGE = 100;
// The histories of some twenty alarms are read, two in a second.
const ACTIONS_LIMIT_MS = 60_000;

/** Returns the names of the alarms of the stack that an operator is told of. */
function listNames(resources: StackResources): string[] {
  // CodeDeploy reads these during a release, and they tell nobody (infra/cloud/functions/canary-alarms.ts). Stack
  // `Pharmacy-sol` has alarms `pharmacy-sol-…`.
  const ofRelease = `${setting('STACK_NAME').toLowerCase()}-release-`;
  return ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'].flatMap((type) =>
    (resources.get(type) ?? []).filter((name) => !name.startsWith(ofRelease)),
  );
}

/** Returns the alarms of the stack that an operator is told of, as far as they exist. */
export async function describeAlarms(resources: StackResources, region?: string): Promise<Alarm[]> {
  const names = listNames(resources);
  const alarms: Alarm[] = [];
  for (let from = 0; from < names.length; from += PAGE) {
    const input = {
      AlarmNames: names.slice(from, from + PAGE),
      AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
      MaxRecords: PAGE,
    };
    const found = answer.parse(await callJsonApi({ api: 'cloudwatch', action: 'DescribeAlarms', input, region }));
    alarms.push(...[...found.MetricAlarms, ...found.CompositeAlarms].map((each) => ({ ...each, region })));
  }
  return alarms;
}

type Described = {
  readonly resources: () => Promise<StackResources>;
  readonly alarms: () => Promise<readonly Alarm[]>;
  readonly stack: () => Promise<Stack>;
  /** The environment variables that name topics beside those of the alarms. */
  readonly topics: readonly string[];
};

/** The checks of the alarms of a stack, and that they reach somebody. */
export const alarmChecks = ({ resources, alarms, stack, topics }: Described): StackCheck[] => [
  {
    name: 'alarms',
    remedy: 'infra/cloud/README.md has a row for each alarm, with what to do.',
    look: async () => {
      const found = await alarms();
      const deleted = findDeleted(listNames(await resources()), found);
      return worstOf([deleted, ...judgeStates(found, await stack())]) ?? { ok: `${found.length} are OK` };
    },
  },
  {
    name: 'alarm actions',
    remedy: 'Deploy the stack again: it sets the actions, and the policy of the topic that lets CloudWatch publish.',
    limitMs: ACTIONS_LIMIT_MS,
    look: async () => checkActions(await alarms()),
  },
  {
    name: 'alarm subscriptions',
    needs: topics,
    remedy: SUBSCRIBE,
    look: async () => {
      const targets = (await alarms()).flatMap(({ AlarmActions }) => AlarmActions);
      return checkSubscriptions([...topics.map(setting), ...targets]);
    },
  },
];

const namesOf = (alarms: readonly Alarm[]): string => alarms.map(({ AlarmName }) => AlarmName).join(', ');

/** CloudWatch describes those alarms that exist, and is silent about the others. */
function findDeleted(names: readonly string[], found: readonly Alarm[]): Finding | undefined {
  const deleted = names.filter((name) => !found.some(({ AlarmName }) => AlarmName === name));
  if (deleted.length === 0) return undefined;
  return { failed: `Deleted: ${deleted.join(', ')}. A deployment makes them again with --revert-drift.` };
}

function* judgeStates(alarms: readonly Alarm[], stack: Stack): Generator<Finding> {
  const hasNoData = (alarm: Alarm) =>
    alarm.StateValue === 'INSUFFICIENT_DATA' || (isNew(stack) && isSetOffBySilence(alarm));
  const silent = alarms.filter(hasNoData);
  const ringing = alarms.filter((alarm) => alarm.StateValue === 'ALARM' && !hasNoData(alarm));
  if (ringing.length > 0) yield { failed: `In ALARM: ${namesOf(ringing)}.` };
  if (silent.length > 0) yield { warning: `Without data so far: ${namesOf(silent)}.` };
}

const stateReason = z.object({ recentDatapoints: z.array(z.unknown()) });

/** True if an alarm is in ALARM because no data has come, as it is from its first evaluation until its job has run. */
function isSetOffBySilence({ StateValue, TreatMissingData, StateReasonData }: Alarm): boolean {
  if (StateValue !== 'ALARM' || TreatMissingData !== 'breaching') return false;
  // Whoever sets an alarm off by SetAlarmState gives a reason of their own, or none.
  const reason = stateReason.safeParse(parseJson(StateReasonData ?? ''));
  return reason.success && reason.data.recentDatapoints.length === 0;
}

async function checkActions(alarms: readonly Alarm[]): Promise<Finding> {
  if (alarms.length === 0) return { failed: 'The stack has no alarm.' };
  const mute = alarms.filter(({ ActionsEnabled, AlarmActions }) => !ActionsEnabled || AlarmActions.length === 0);
  if (mute.length > 0) return { failed: `They tell nobody: ${namesOf(mute)}.` };
  const [last] = await listNewestActions(alarms);
  if (last && !isSuccess(last)) return { failed: `${last.AlarmName}: ${last.HistorySummary}` };
  return { ok: `${alarms.length} alarms publish` };
}
