import { fileURLToPath } from 'node:url';
import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { bundling } from './bundling.ts';

type Job = {
  /** The file of its handler, from the project's root. */
  readonly handler: string;
  readonly every: Duration;
  readonly environment: Record<string, string>;
};

/** A function that a clock calls instead of the gateway, with the rights that it is given from outside. */
export class JobFunction extends NodejsFunction {
  constructor(scope: Construct, id: string, { handler, every, environment }: Job) {
    super(scope, id, {
      entry: fileURLToPath(new URL(`../../${handler}`, import.meta.url)),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 512,
      timeout: Duration.minutes(15),
      logGroup: new LogGroup(scope, `${id}-logs`, { retention: RetentionDays.ONE_MONTH }),
      bundling,
      environment,
    });
    new Rule(this, 'Schedule', { schedule: Schedule.rate(every), targets: [new LambdaFunction(this)] });
  }
}
