import * as z from 'zod';
import { now } from '../../../../shared/runtime/clock.ts';
import { callJsonApi } from '../aws-calls.ts';

const action = z.object({ AlarmName: z.string(), HistorySummary: z.string(), Timestamp: z.number() });
const history = z.object({ AlarmHistoryItems: z.array(action).default([]) });
export type AlarmAction = z.infer<typeof action>;

const DAY_MS = 24 * 60 * 60 * 1_000;
const PAGE = 100;

// The summary of an action is "Successfully executed action <ARN>", or "Failed to execute action <ARN>" with the error of
// the topic: the only place where CloudWatch tells that it may not publish.
export const isSuccess = ({ HistorySummary }: AlarmAction): boolean => HistorySummary.startsWith('Successfully');

type Asked = readonly { readonly AlarmName: string }[];

/** Returns the actions that these alarms have taken since yesterday, the newest first. */
export async function listActions(alarms: Asked): Promise<AlarmAction[]> {
  const input = {
    // Without a name it is the history of all alarms of the account.
    ...(alarms.length === 1 && { AlarmName: alarms[0]?.AlarmName }),
    HistoryItemType: 'Action',
    StartDate: (now().getTime() - DAY_MS) / 1_000,
    ScanBy: 'TimestampDescending',
    MaxRecords: PAGE,
  };
  const answer = await callJsonApi({ api: 'cloudwatch', action: 'DescribeAlarmHistory', input });
  const names = new Set(alarms.map(({ AlarmName }) => AlarmName));
  return history.parse(answer).AlarmHistoryItems.filter(({ AlarmName }) => names.has(AlarmName));
}
