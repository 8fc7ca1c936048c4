import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { functionName } from '../../function-name.ts';
import { keyStart, type StreamSource } from '../../stream-jobs.ts';
import { type FunctionInputs, PharmacyFunction } from './function.ts';
import type { StreamJob } from './jobs.ts';

// A stream keeps its records for a day; what fails for so long is put into the bucket while Lambda can still read it.
const OLDEST = Duration.hours(20);

/**
 * A function on the stream of the table, which gets the records of its kind at once. One that fails is tried again, and
 * those of its shard wait behind it; what still fails after 20 hours is kept in the bucket for documents.
 */
export class StreamFunction extends Construct {
  readonly job: StreamJob;
  readonly function: PharmacyFunction;

  constructor(scope: Construct, job: StreamJob, inputs: FunctionInputs) {
    super(scope, `${functionName(job.handler)}-on-stream`);
    this.job = job;
    this.function = new PharmacyFunction(this, job, inputs);
    const { table, documents } = inputs.resources;
    new EventSourceMapping(this, 'Stream', {
      target: this.function.live,
      eventSourceArn: table.tableStreamArn ?? '',
      // Whatever was written before its first deployment is a day old at most.
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [toFilter(job.source)],
      // One batch of a shard at a time: several would wait for each other at the feed of a client.
      parallelizationFactor: 1,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      maxRecordAge: OLDEST,
      // The role of the function has its permissions already, and no more.
      onFailure: { bind: () => ({ destination: documents.bucketArn }) },
    });
  }
}

function toFilter(source: StreamSource) {
  const pk = { S: FilterRule.beginsWith(keyStart(source)) };
  if (source.newItems === undefined) return FilterCriteria.filter({ dynamodb: { Keys: { pk } } });
  const sk = { S: FilterRule.beginsWith(source.newItems) };
  return FilterCriteria.filter({ eventName: FilterRule.isEqual('INSERT'), dynamodb: { Keys: { pk, sk } } });
}
