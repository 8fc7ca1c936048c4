import * as z from 'zod';
import { now } from '../../../../shared/runtime/clock.ts';
import { callJsonApi } from '../../target/json-api.ts';
import type { Stack } from '../../target/stack.ts';
import { type Finding, REMEDIES, type StackCheck } from '../check.ts';
import type { Alarm } from './alarms.ts';
import { isNew, type StackResources } from './resources.ts';

const HOUR_MS = 60 * 60 * 1_000;

type Described = {
  readonly resources: () => Promise<StackResources>;
  readonly alarms: () => Promise<readonly Alarm[]>;
  readonly stack: () => Promise<Stack>;
};

/** The checks that the jobs are started, that they report, and that none has failed. */
export function jobChecks({ resources, alarms, stack }: Described): StackCheck[] {
  return [
    {
      name: 'schedules',
      remedy: REMEDIES.deployAgain,
      look: async () => checkSchedules((await resources()).get('AWS::Events::Rule') ?? []),
    },
    {
      name: 'job metrics',
      remedy: 'The log of the job that reports it says why: watch-catalog without a catalog reports nothing.',
      look: async () => checkReports(await alarms(), await stack()),
    },
    {
      name: 'dead letters',
      remedy: 'Read the messages and the log of the job that they name, fix the cause, and purge the queue.',
      look: async () => checkQueues((await resources()).get('AWS::SQS::Queue') ?? []),
    },
  ];
}

const rule = z.object({ State: z.string().default('') });
const targets = z.object({ Targets: z.array(z.object({ Arn: z.string() })).default([]) });

async function checkSchedules(names: readonly string[]): Promise<Finding> {
  if (names.length === 0) return { failed: 'The stack has no schedule.' };
  const faults = (await Promise.all(names.map(findScheduleFault))).filter((fault) => fault !== undefined);
  return faults.length > 0 ? { failed: faults.join(' ') } : { ok: `${names.length} are enabled` };
}

async function findScheduleFault(name: string): Promise<string | undefined> {
  const [described, listed] = await Promise.all([
    callJsonApi({ api: 'events', action: 'DescribeRule', input: { Name: name } }),
    callJsonApi({ api: 'events', action: 'ListTargetsByRule', input: { Rule: name } }),
  ]);
  const { State } = rule.parse(described);
  // EventBridge has two values for an enabled rule.
  if (!State.startsWith('ENABLED')) return `${name} is ${State}.`;
  return targets.parse(listed).Targets.length === 0 ? `${name} starts nothing.` : undefined;
}

const statistics = z.object({ Datapoints: z.array(z.unknown()).default([]) });

/** Checks the metrics whose absence is an alarm: a job reports each of them at every run. */
async function checkReports(alarms: readonly Alarm[], stack: Stack): Promise<Finding> {
  const expected = alarms.filter(({ TreatMissingData, MetricName }) => TreatMissingData === 'breaching' && MetricName);
  if (expected.length === 0) return { failed: 'No alarm watches a job.' };
  const found = await Promise.all(expected.map(async (alarm) => ({ alarm, isReported: await isReported(alarm) })));
  const missing = found.filter(({ isReported }) => !isReported).map(({ alarm }) => alarm.MetricName);
  if (missing.length === 0) return { ok: expected.map(({ MetricName }) => MetricName).join(', ') };
  const finding = `Not reported in the last hour: ${missing.join(', ')}.`;
  return isNew(stack) ? { warning: finding } : { failed: finding };
}

async function isReported({ Namespace, MetricName }: Alarm): Promise<boolean> {
  const until = now().getTime();
  const seconds = (ms: number) => Math.floor(ms / 1_000);
  const input = {
    Namespace,
    MetricName,
    StartTime: seconds(until - HOUR_MS),
    EndTime: seconds(until),
    Period: seconds(HOUR_MS),
    Statistics: ['SampleCount'],
  };
  const answer = await callJsonApi({ api: 'cloudwatch', action: 'GetMetricStatistics', input });
  return statistics.parse(answer).Datapoints.length > 0;
}

const attributes = z.object({ Attributes: z.object({ ApproximateNumberOfMessages: z.coerce.number() }) });

async function checkQueues(urls: readonly string[]): Promise<Finding> {
  const AttributeNames = ['ApproximateNumberOfMessages'];
  const counts = await Promise.all(
    urls.map(async (QueueUrl) => {
      const answer = await callJsonApi({
        api: 'sqs',
        action: 'GetQueueAttributes',
        input: { QueueUrl, AttributeNames },
      });
      return attributes.parse(answer).Attributes.ApproximateNumberOfMessages;
    }),
  );
  const waiting = counts.reduce((sum, count) => sum + count, 0);
  return waiting > 0 ? { failed: `${waiting} failed runs of jobs wait in the queue.` } : { ok: 'none' };
}
