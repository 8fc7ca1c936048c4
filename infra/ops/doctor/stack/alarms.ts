import * as z from 'zod';
import { setting } from '../../command.ts';
import { callJsonApi } from '../aws-calls.ts';
import type { Finding, StackCheck } from '../check.ts';
import { checkSubscriptions, SUBSCRIBE } from '../subscriptions.ts';
import { isSuccess, listActions } from './alarm-history.ts';
import type { StackResources } from './resources.ts';

const alarm = z.object({
  AlarmName: z.string(),
  ActionsEnabled: z.boolean().default(false),
  AlarmActions: z.array(z.string()).default([]),
  StateValue: z.enum(['OK', 'ALARM', 'INSUFFICIENT_DATA']),
  TreatMissingData: z.string().optional(),
  Namespace: z.string().optional(),
  MetricName: z.string().optional(),
});
const answer = z.object({ MetricAlarms: z.array(alarm).default([]), CompositeAlarms: z.array(alarm).default([]) });
export type Alarm = z.infer<typeof alarm>;

// DescribeAlarms takes no more names.
const PAGE = 100;

// CodeDeploy reads these during a release, and they tell nobody (infra/cloud/functions/canary-alarms.ts).
const isOfRelease = (name: string): boolean => name.includes('-release-');

/** Returns the alarms of the stack that an operator is told of. */
export async function describeAlarms(resources: StackResources): Promise<Alarm[]> {
  const names = ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'].flatMap((type) =>
    (resources.get(type) ?? []).filter((name) => !isOfRelease(name)),
  );
  const alarms: Alarm[] = [];
  for (let from = 0; from < names.length; from += PAGE) {
    const input = {
      AlarmNames: names.slice(from, from + PAGE),
      AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
      MaxRecords: PAGE,
    };
    const found = answer.parse(await callJsonApi({ api: 'cloudwatch', action: 'DescribeAlarms', input }));
    alarms.push(...found.MetricAlarms, ...found.CompositeAlarms);
  }
  return alarms;
}

/** The checks of the alarms, and that they reach somebody. */
export const alarmChecks = (alarms: () => Promise<readonly Alarm[]>): StackCheck[] => [
  {
    name: 'alarms',
    remedy: 'infra/cloud/README.md has a row for each alarm, with what to do.',
    look: async () => checkStates(await alarms()),
  },
  {
    name: 'alarm actions',
    remedy: 'Deploy the stack again: it sets the actions, and the policy of the topic that lets CloudWatch publish.',
    look: async () => checkActions(await alarms()),
  },
  {
    name: 'alarm subscriptions',
    needs: ['ALARM_TOPIC_ARN'],
    remedy: SUBSCRIBE,
    look: async () => {
      const topics = (await alarms()).flatMap(({ AlarmActions }) => AlarmActions);
      return checkSubscriptions([setting('ALARM_TOPIC_ARN'), ...topics]);
    },
  },
];

const namesOf = (alarms: readonly Alarm[]): string => alarms.map(({ AlarmName }) => AlarmName).join(', ');

function checkStates(alarms: readonly Alarm[]): Finding {
  const ringing = alarms.filter(({ StateValue }) => StateValue === 'ALARM');
  if (ringing.length > 0) return { failed: `In ALARM: ${namesOf(ringing)}.` };
  const silent = alarms.filter(({ StateValue }) => StateValue === 'INSUFFICIENT_DATA');
  if (silent.length > 0) return { warning: `Without data so far: ${namesOf(silent)}.` };
  return { ok: `${alarms.length} are OK` };
}

async function checkActions(alarms: readonly Alarm[]): Promise<Finding> {
  if (alarms.length === 0) return { failed: 'The stack has no alarm.' };
  const mute = alarms.filter(({ ActionsEnabled, AlarmActions }) => !ActionsEnabled || AlarmActions.length === 0);
  if (mute.length > 0) return { failed: `They tell nobody: ${namesOf(mute)}.` };
  const [last] = await listActions(alarms);
  if (last && !isSuccess(last)) return { failed: `${last.AlarmName}: ${last.HistorySummary}` };
  return { ok: `${alarms.length} alarms publish` };
}
