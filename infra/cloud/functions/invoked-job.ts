import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { functionName } from '../../function-name.ts';
import type { DeadLetters } from './dead-letters.ts';
import { type FunctionInputs, PharmacyFunction } from './function.ts';
import type { InvokedJob as Job } from './jobs.ts';

// A job invokes the function again within a minute if there still is something to do.
const OLDEST = Duration.minutes(1);

/** A function that other functions invoke asynchronously. A run that fails or cannot start leaves a dead letter. */
export class InvokedJob extends Construct {
  readonly job: Job;
  readonly function: PharmacyFunction;

  constructor(
    scope: Construct,
    job: Job,
    { inputs, deadLetters }: { inputs: FunctionInputs; deadLetters: DeadLetters },
  ) {
    super(scope, `${functionName(job.handler)}-invoked`);
    this.job = job;
    this.function = new PharmacyFunction(this, { ...job, needs: [...job.needs, deadLetters.sending] }, inputs);
    this.function.alias.configureAsyncInvoke({
      retryAttempts: 0,
      maxEventAge: OLDEST,
      onFailure: deadLetters.destination,
    });
  }
}
