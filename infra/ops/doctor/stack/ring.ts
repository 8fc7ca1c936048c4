import { setTimeout } from 'node:timers/promises';
import { callJsonApi } from '../../target/json-api.ts';
import type { Finding, StackCheck } from '../check.ts';
import { type AlarmAction, findNewestAction, isSuccess } from './alarm-history.ts';
import type { Alarm } from './alarms.ts';

// No release is undone by this alarm, and nobody acts on it but who reads its mail.
const RUNG = 'dead-letters';

type Patience = { readonly tries: number; readonly pause: () => Promise<unknown> };
const PAUSE_MS = 1_000;
const PATIENCE: Patience = { tries: 60, pause: () => setTimeout(PAUSE_MS) };
const LIMIT_MS = 120_000;

/** The check that an alarm reaches the operator, which is made only when it is asked for. */
export const ringCheck = (alarms: () => Promise<readonly Alarm[]>, isAsked: boolean): StackCheck => ({
  name: 'alarm ring',
  remedy: 'Deploy the stack again: the policy of the topic must let CloudWatch publish.',
  limitMs: LIMIT_MS,
  look: async () => {
    if (!isAsked) return { skipped: '--ring sets an alarm off, which mails the alarm address.' };
    return ringAlarm(await alarms(), PATIENCE);
  },
});

/** Sets one alarm off, waits until its history tells whether its topic was notified, and sets it back. */
export async function ringAlarm(alarms: readonly Alarm[], patience: Patience): Promise<Finding> {
  const alarm = alarms.find(({ AlarmName }) => AlarmName.endsWith(`-${RUNG}`));
  if (!alarm) return { failed: `The stack has no alarm ${RUNG}.` };
  const { AlarmName } = alarm;
  if (alarm.StateValue === 'ALARM') return { skipped: `${AlarmName} is in ALARM already.` };
  const before = await findNewestAction(alarm);
  await setState(AlarmName, 'ALARM');
  try {
    return judge(AlarmName, await waitForAction(alarm, before?.Timestamp ?? 0, patience));
  } finally {
    // If this fails, the next evaluation sets a metric alarm back all the same.
    await setState(AlarmName, 'OK').catch(() => undefined);
  }
}

const setState = (AlarmName: string, StateValue: 'ALARM' | 'OK'): Promise<unknown> =>
  callJsonApi({
    api: 'cloudwatch',
    action: 'SetAlarmState',
    input: { AlarmName, StateValue, StateReason: 'A test of the way to the operator, by doctor --ring.' },
  });

async function waitForAction(alarm: Alarm, after: number, patience: Patience): Promise<AlarmAction | undefined> {
  for (let tries = patience.tries; tries > 0; tries -= 1) {
    await patience.pause();
    const newest = await findNewestAction(alarm);
    if (newest && newest.Timestamp > after) return newest;
  }
  return undefined;
}

function judge(name: string, action: AlarmAction | undefined): Finding {
  if (!action) return { failed: `${name} was set off, and its history names no notification.` };
  if (!isSuccess(action)) return { failed: `${name}: ${action.HistorySummary}` };
  return { ok: `${name}: ${action.HistorySummary}. Look whether its mail has arrived.` };
}
