import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
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
import { JOB_MINUTES } from '../../job-schedules.ts';
import { functionName } from '../../stack-names.ts';
import { keyStart, type StreamSource } from '../../stream-jobs.ts';
import { type FunctionInputs, PharmacyFunction } from './function.ts';
import type { StreamJob, TimedJob } from './jobs.ts';
import type { Need } from './needs.ts';

/** Keeps a message for each failed run of a job, for two weeks. */
export class DeadLetters extends Queue {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(this).acknowledge({ id: 'AwsSolutions-SQS3', reason: 'It is a dead-letter queue itself.' });
  }

  /** The right of a function to send here, which Lambda does with its role. */
  readonly sending: Need = () => ({
    rights: [
      new PolicyStatement({
        actions: ['sqs:SendMessage', 'sqs:GetQueueAttributes', 'sqs:GetQueueUrl'],
        resources: [this.queueArn],
      }),
    ],
  });

  /** The destination of failed runs. CDK's own destination would add a policy to each role. */
  get destination(): IDestination {
    return { bind: () => ({ destination: this.queueArn }) };
  }
}

type JobInputs = { readonly inputs: FunctionInputs; readonly deadLetters: DeadLetters };

/**
 * Adds a job and its schedule. A run that fails or cannot start leaves a dead letter; the next run tries again. A run that
 * records of the stream have started leaves none, as the next one of the schedule does the same.
 */
export function addScheduledJob(scope: Construct, job: TimedJob, { inputs, deadLetters }: JobInputs): PharmacyFunction {
  const own = new Construct(scope, `${functionName(job.handler)}-scheduled`);
  const maxEventAge = Duration.minutes(JOB_MINUTES[job.handler]);
  const made = new PharmacyFunction(own, { ...job, needs: [...job.needs, deadLetters.sending] }, inputs);
  made.alias.configureAsyncInvoke({ retryAttempts: 0, maxEventAge, onFailure: deadLetters.destination });
  new Rule(own, 'Schedule', {
    schedule: Schedule.rate(maxEventAge),
    targets: [new LambdaFunction(made.live, { deadLetterQueue: deadLetters, retryAttempts: 2, maxEventAge })],
  });
  if (job.startedBy) {
    new EventSourceMapping(own, 'Stream', {
      ...toSource(job.startedBy, made, inputs),
      startingPosition: StartingPosition.LATEST,
      retryAttempts: 0,
      maxRecordAge: maxEventAge,
    });
  }
  return made;
}

// A stream keeps its records for a day; what fails for so long is put into the bucket while Lambda can still read it.
const OLDEST_RECORD = Duration.hours(20);

/**
 * Adds a function on the stream of the table, which gets the records of its kind at once. One that fails is tried again, and
 * those of its shard wait behind it; what still fails after 20 hours is kept in the bucket for documents.
 */
export function addStreamJob(scope: Construct, job: StreamJob, inputs: FunctionInputs): PharmacyFunction {
  const own = new Construct(scope, `${functionName(job.handler)}-on-stream`);
  const made = new PharmacyFunction(own, job, inputs);
  new EventSourceMapping(own, 'Stream', {
    ...toSource(job.source, made, inputs),
    // Whatever was written before its first deployment is a day old at most.
    startingPosition: StartingPosition.TRIM_HORIZON,
    bisectBatchOnError: true,
    reportBatchItemFailures: true,
    maxRecordAge: OLDEST_RECORD,
    // The role of the function has its permissions already, and no more.
    onFailure: { bind: () => ({ destination: inputs.resources.documents.bucketArn }) },
  });
  return made;
}

const toSource = (
  source: StreamSource,
  { live: target }: PharmacyFunction,
  { resources: { table } }: FunctionInputs,
) => ({
  target,
  eventSourceArn: table.tableStreamArn ?? '',
  filters: [toFilter(source)],
  // One batch of a shard at a time: several would wait for each other at the feed of a client, or the lease of an endpoint.
  parallelizationFactor: 1,
});

function toFilter(source: StreamSource) {
  const pk = { S: FilterRule.beginsWith(keyStart(source)) };
  const sk = { S: FilterRule.beginsWith(source.newItems) };
  return FilterCriteria.filter({ eventName: FilterRule.isEqual('INSERT'), dynamodb: { Keys: { pk, sk } } });
}
