import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { now } from '../../../../shared/runtime/clock.ts';
import { callJsonApi } from '../../target/json-api.ts';

const action = z.object({ AlarmName: z.string(), HistorySummary: z.string(), Timestamp: z.number() });
const history = z.object({ AlarmHistoryItems: z.array(action).default([]) });
export type AlarmAction = z.infer<typeof action>;

const DAY_MS = 24 * 60 * 60 * 1_000;
// CloudWatch answers 3 calls of DescribeAlarmHistory a second ("CloudWatch service quotas"), of which --ring makes one.
const CALLS_A_SECOND = 2;
const waitASecond = (): Promise<unknown> => setTimeout(1_000);

// The summary of an action is "Successfully executed action <ARN>", or "Failed to execute action <ARN>" with the error of
// the topic: the only place where CloudWatch tells that it may not publish.
export const isSuccess = ({ HistorySummary }: AlarmAction): boolean => HistorySummary.startsWith('Successfully');

/** An alarm by its name, and its region if that is not the one of the stage. */
type Asked = { readonly AlarmName: string; readonly region?: string | undefined };

/** Returns the newest action that each of these alarms has taken since yesterday, the newest of all first. */
export async function listNewestActions(alarms: readonly Asked[], pause = waitASecond): Promise<AlarmAction[]> {
  const newest: (AlarmAction | undefined)[] = [];
  for (let from = 0; from < alarms.length; from += CALLS_A_SECOND) {
    if (from > 0) await pause();
    newest.push(...(await Promise.all(alarms.slice(from, from + CALLS_A_SECOND).map(findNewestAction))));
  }
  return newest.filter((action) => action !== undefined).toSorted((a, b) => b.Timestamp - a.Timestamp);
}

/** Returns the newest action that an alarm has taken since yesterday. */
export async function findNewestAction({ AlarmName, region }: Asked): Promise<AlarmAction | undefined> {
  const input = {
    // Without a name it is the history of all alarms of the account, which may be long.
    AlarmName,
    AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
    HistoryItemType: 'Action',
    StartDate: (now().getTime() - DAY_MS) / 1_000,
    ScanBy: 'TimestampDescending',
    MaxRecords: 1,
  };
  const answer = await callJsonApi({ api: 'cloudwatch', action: 'DescribeAlarmHistory', input, region });
  return history.parse(answer).AlarmHistoryItems[0];
}
