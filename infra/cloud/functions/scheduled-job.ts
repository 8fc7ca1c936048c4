import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { functionName } from '../../function-name.ts';
import type { DeadLetters } from './dead-letters.ts';
import { type FunctionInputs, PharmacyFunction } from './function.ts';
import type { TimedJob } from './jobs.ts';

/** A job and its schedule. A run that fails or cannot start leaves a dead letter; the next run tries again. */
export class ScheduledJob extends Construct {
  readonly job: TimedJob;
  readonly function: PharmacyFunction;

  constructor(
    scope: Construct,
    job: TimedJob,
    { inputs, deadLetters }: { inputs: FunctionInputs; deadLetters: DeadLetters },
  ) {
    super(scope, `${functionName(job.handler)}-scheduled`);
    this.job = job;
    this.function = new PharmacyFunction(this, { ...job, needs: [...job.needs, deadLetters.sending] }, inputs);
    const maxEventAge = Duration.minutes(Math.max(1, job.every.toMinutes()));
    this.function.alias.configureAsyncInvoke({
      retryAttempts: 0,
      maxEventAge,
      onFailure: deadLetters.destination,
    });
    new Rule(this, 'Schedule', {
      schedule: Schedule.rate(job.every),
      targets: [
        new LambdaFunction(this.function.live, { deadLetterQueue: deadLetters, retryAttempts: 2, maxEventAge }),
      ],
    });
  }
}
