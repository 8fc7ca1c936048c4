import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { partitionStart } from '../../../shared/store/keys.ts';
import {
  JOB_MINUTES,
  type JobHandler,
  PUBLISHER,
  type ScheduledHandler,
  STOCK_LEVELS,
  type StreamSource,
  WEBHOOKS,
} from '../../jobs.ts';
import { functionName } from '../../stack-names.ts';
import type { Resources } from '../data.ts';
import { PharmacyFunction } from './function.ts';
import { JOBS } from './table.ts';

/** A scheduled run that fails or cannot start leaves a dead letter, and the next one tries again. */
export function addScheduledJob(stack: Construct, handler: ScheduledHandler, resources: Resources): PharmacyFunction {
  const maxEventAge = Duration.minutes(JOB_MINUTES[handler]);
  const { scope, fn } = addJob(stack, handler, 'scheduled', resources);
  fn.alias.configureAsyncInvoke({ retryAttempts: 0, maxEventAge, onFailure: toQueue(resources) });
  new Rule(scope, 'Schedule', {
    schedule: Schedule.rate(maxEventAge),
    targets: [new LambdaFunction(fn.alias, { deadLetterQueue: resources.deadLetters, retryAttempts: 2, maxEventAge })],
  });
  if (handler === WEBHOOKS.handler) {
    new lambda.EventSourceMapping(scope, 'Stream', {
      ...toSource(WEBHOOKS, fn, resources),
      startingPosition: lambda.StartingPosition.LATEST,
      retryAttempts: 0,
      maxRecordAge: maxEventAge,
    });
  }
  return fn;
}

/** Failed records are retried, and their shard waits. */
export function addPublisher(stack: Construct, resources: Resources): PharmacyFunction {
  const { scope, fn } = addJob(stack, PUBLISHER.handler, 'on-stream', resources);
  new lambda.EventSourceMapping(scope, 'Stream', {
    ...toSource(PUBLISHER, fn, resources),
    // Records from before its first deployment are a day old at most.
    startingPosition: lambda.StartingPosition.TRIM_HORIZON,
    bisectBatchOnError: true,
    reportBatchItemFailures: true,
    // Then Lambda stores them in the bucket for documents, while it can read them: a stream keeps its records for a day.
    maxRecordAge: Duration.hours(20),
    // The function's role already has exactly these permissions.
    onFailure: { bind: () => ({ destination: resources.documents.bucketArn }) },
  });
  return fn;
}

export function addJob(stack: Construct, handler: JobHandler, called: string, resources: Resources) {
  const scope = new Construct(stack, `${functionName(handler)}-${called}`);
  return { scope, fn: new PharmacyFunction(scope, handler, JOBS[handler], resources) };
}

/** CDK's own destination would add a policy to each role. */
export const toQueue = ({ deadLetters }: Resources): lambda.IDestination => ({
  bind: () => ({ destination: deadLetters.queueArn }),
});

const INSERTED = lambda.FilterRule.isEqual('INSERT');
const itemsOf = (pk: string, sk: string) => ({
  Keys: { pk: { S: lambda.FilterRule.beginsWith(pk) }, sk: { S: lambda.FilterRule.beginsWith(sk) } },
});

const LEVELS = itemsOf(STOCK_LEVELS.pk, STOCK_LEVELS.sk);
const NOTHING_LEFT = { available: { N: lambda.FilterRule.isEqual('0') } };
const STOCK_FILTERS = [
  lambda.FilterCriteria.filter({ eventName: INSERTED, dynamodb: LEVELS }),
  lambda.FilterCriteria.filter({ dynamodb: { ...LEVELS, NewImage: NOTHING_LEFT } }),
  lambda.FilterCriteria.filter({ dynamodb: { ...LEVELS, OldImage: NOTHING_LEFT } }),
];

const toSource = ({ kind, newItems, stock }: StreamSource, { alias }: PharmacyFunction, { table }: Resources) => ({
  target: alias,
  eventSourceArn: table.tableStreamArn ?? '',
  filters: [
    lambda.FilterCriteria.filter({ eventName: INSERTED, dynamodb: itemsOf(partitionStart(kind), newItems) }),
    ...(stock ? STOCK_FILTERS : []),
  ],
  // One batch of a shard at a time: several would wait for each other's feed or lease.
  parallelizationFactor: 1,
});
