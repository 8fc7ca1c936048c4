import { Duration, Validations } from 'aws-cdk-lib';
import { type EventPattern, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  type IDestination,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { partitionStart } from '../../../shared/store/keys.ts';
import {
  JOB_MINUTES,
  type JobHandler,
  PUBLISHER,
  SCAN_HANDLER,
  type ScheduledHandler,
  STOCK_LEVELS,
  type StreamSource,
  WEBHOOKS,
} from '../../jobs.ts';
import { functionName } from '../../stack-names.ts';
import { type FunctionInputs, PharmacyFunction } from './function.ts';
import type { Need } from './needs.ts';
import { JOBS } from './table.ts';

export class DeadLetters extends Queue {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(this).acknowledge({ id: 'AwsSolutions-SQS3', reason: 'It is a dead-letter queue itself.' });
  }

  /** Lambda sends with the function's role. */
  readonly sending: Need = () => ({
    rights: [
      new PolicyStatement({
        actions: ['sqs:SendMessage', 'sqs:GetQueueAttributes', 'sqs:GetQueueUrl'],
        resources: [this.queueArn],
      }),
    ],
  });

  /** CDK's own destination would add a policy to each role. */
  get destination(): IDestination {
    return { bind: () => ({ destination: this.queueArn }) };
  }
}

type JobInputs = { readonly inputs: FunctionInputs; readonly deadLetters: DeadLetters };

/** A scheduled run that fails or cannot start leaves a dead letter, and the next one tries again. */
export function addScheduledJob(scope: Construct, handler: ScheduledHandler, job: JobInputs): PharmacyFunction {
  const { inputs, deadLetters } = job;
  const jobScope = new Construct(scope, `${functionName(handler)}-scheduled`);
  const maxEventAge = Duration.minutes(JOB_MINUTES[handler]);
  const fn = addFunction(jobScope, handler, job);
  fn.alias.configureAsyncInvoke({ retryAttempts: 0, maxEventAge, onFailure: deadLetters.destination });
  new Rule(jobScope, 'Schedule', {
    schedule: Schedule.rate(maxEventAge),
    targets: [new LambdaFunction(fn.live, { deadLetterQueue: deadLetters, retryAttempts: 2, maxEventAge })],
  });
  if (handler === WEBHOOKS.handler) {
    new EventSourceMapping(jobScope, 'Stream', {
      ...toSource(WEBHOOKS, fn, inputs),
      startingPosition: StartingPosition.LATEST,
      retryAttempts: 0,
      maxRecordAge: maxEventAge,
    });
  }
  return fn;
}

// Lambda repeats a failed call after one minute and after two more.
const SCAN_RETRIES = 2;

/** A scan's result that cannot be recorded leaves a dead letter, and its prescription stays unreviewed. */
export function addScanJob(scope: Construct, eventPattern: EventPattern, job: JobInputs): PharmacyFunction {
  const { deadLetters } = job;
  const jobScope = new Construct(scope, `${functionName(SCAN_HANDLER)}-on-event`);
  const fn = addFunction(jobScope, SCAN_HANDLER, job);
  fn.alias.configureAsyncInvoke({ retryAttempts: SCAN_RETRIES, onFailure: deadLetters.destination });
  new Rule(jobScope, 'Results', {
    eventPattern,
    targets: [new LambdaFunction(fn.live, { deadLetterQueue: deadLetters })],
  });
  return fn;
}

function addFunction(scope: Construct, handler: JobHandler, { inputs, deadLetters }: JobInputs): PharmacyFunction {
  const row = JOBS[handler];
  return new PharmacyFunction(scope, { ...row, handler, needs: [...row.needs, deadLetters.sending] }, inputs);
}

// A stream keeps its records for a day; Lambda stores failing ones in the bucket while it can still read them.
const OLDEST_RECORD = Duration.hours(20);

/** Failed records are retried, and their shard waits; after 20 hours they are stored in the bucket for documents. */
export function addPublisher(scope: Construct, inputs: FunctionInputs): PharmacyFunction {
  const { handler } = PUBLISHER;
  const jobScope = new Construct(scope, `${functionName(handler)}-on-stream`);
  const fn = new PharmacyFunction(jobScope, { handler, ...JOBS[handler] }, inputs);
  new EventSourceMapping(jobScope, 'Stream', {
    ...toSource(PUBLISHER, fn, inputs),
    // Records from before its first deployment are a day old at most.
    startingPosition: StartingPosition.TRIM_HORIZON,
    bisectBatchOnError: true,
    reportBatchItemFailures: true,
    maxRecordAge: OLDEST_RECORD,
    // The function's role already has exactly these permissions.
    onFailure: { bind: () => ({ destination: inputs.resources.documents.bucketArn }) },
  });
  return fn;
}

const INSERTED = FilterRule.isEqual('INSERT');
const itemsOf = (pk: string, sk: string) => ({
  Keys: { pk: { S: FilterRule.beginsWith(pk) }, sk: { S: FilterRule.beginsWith(sk) } },
});

const LEVELS = itemsOf(STOCK_LEVELS.pk, STOCK_LEVELS.sk);
const NOTHING_LEFT = { available: { N: FilterRule.isEqual('0') } };
const STOCK_FILTERS = [
  FilterCriteria.filter({ eventName: INSERTED, dynamodb: LEVELS }),
  FilterCriteria.filter({ dynamodb: { ...LEVELS, NewImage: NOTHING_LEFT } }),
  FilterCriteria.filter({ dynamodb: { ...LEVELS, OldImage: NOTHING_LEFT } }),
];

const toSource = (source: StreamSource, { live: target }: PharmacyFunction, { resources }: FunctionInputs) => ({
  target,
  eventSourceArn: resources.table.tableStreamArn ?? '',
  filters: [
    FilterCriteria.filter({ eventName: INSERTED, dynamodb: itemsOf(partitionStart(source.kind), source.newItems) }),
    ...(source.stock ? STOCK_FILTERS : []),
  ],
  // One batch of a shard at a time: several would wait for each other's feed or lease.
  parallelizationFactor: 1,
});
