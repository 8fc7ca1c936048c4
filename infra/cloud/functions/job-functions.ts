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
import type { InvokedJob, StreamJob, TimedJob } from './jobs.ts';
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

/** Adds a job and its schedule. A run that fails or cannot start leaves a dead letter; the next run tries again. */
export function addScheduledJob(scope: Construct, job: TimedJob, props: JobInputs): PharmacyFunction {
  const own = new Construct(scope, `${functionName(job.handler)}-scheduled`);
  const maxEventAge = Duration.minutes(JOB_MINUTES[job.handler]);
  const made = addAsynchronous(own, job, maxEventAge, props);
  const { deadLetters: deadLetterQueue } = props;
  new Rule(own, 'Schedule', {
    schedule: Schedule.rate(maxEventAge),
    targets: [new LambdaFunction(made.live, { deadLetterQueue, retryAttempts: 2, maxEventAge })],
  });
  return made;
}

// A job invokes the function again within a minute if there still is something to do.
const OLDEST_INVOCATION = Duration.minutes(1);

/** Adds a function that other functions invoke asynchronously. A run that fails or cannot start leaves a dead letter. */
export const addInvokedJob = (scope: Construct, job: InvokedJob, props: JobInputs): PharmacyFunction =>
  addAsynchronous(new Construct(scope, `${functionName(job.handler)}-invoked`), job, OLDEST_INVOCATION, props);

function addAsynchronous(
  scope: Construct,
  job: TimedJob | InvokedJob,
  maxEventAge: Duration,
  { inputs, deadLetters }: JobInputs,
): PharmacyFunction {
  const made = new PharmacyFunction(scope, { ...job, needs: [...job.needs, deadLetters.sending] }, inputs);
  made.alias.configureAsyncInvoke({ retryAttempts: 0, maxEventAge, onFailure: deadLetters.destination });
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
  const { table, documents } = inputs.resources;
  new EventSourceMapping(own, 'Stream', {
    target: made.live,
    eventSourceArn: table.tableStreamArn ?? '',
    // Whatever was written before its first deployment is a day old at most.
    startingPosition: StartingPosition.TRIM_HORIZON,
    filters: [toFilter(job.source)],
    // One batch of a shard at a time: several would wait for each other at the feed of a client.
    parallelizationFactor: 1,
    bisectBatchOnError: true,
    reportBatchItemFailures: true,
    maxRecordAge: OLDEST_RECORD,
    // The role of the function has its permissions already, and no more.
    onFailure: { bind: () => ({ destination: documents.bucketArn }) },
  });
  return made;
}

function toFilter(source: StreamSource) {
  const pk = { S: FilterRule.beginsWith(keyStart(source)) };
  const sk = { S: FilterRule.beginsWith(source.newItems) };
  return FilterCriteria.filter({ eventName: FilterRule.isEqual('INSERT'), dynamodb: { Keys: { pk, sk } } });
}
