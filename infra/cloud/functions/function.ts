import { Duration, Validations } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, type Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { functionName } from '../../function-name.ts';
import { removalPolicy } from '../removal-policy.ts';
import type { Resources } from '../resources.ts';
import type { Settings } from '../settings.ts';
import type { FunctionRow } from './route-functions.ts';

/** Returns the code of a handler, named by its path from the project root. */
export type CodeOf = (handler: string) => Code;

export type FunctionInputs = { readonly resources: Resources; readonly codeOf: CodeOf };

const reserveConcurrency = ({ reservedConcurrency }: Settings, name: string) => {
  const reservedConcurrentExecutions = reservedConcurrency[name];
  return reservedConcurrentExecutions === undefined ? {} : { reservedConcurrentExecutions };
};

/** One handler: its function, its log group, and a role that allows what its row needs and writing that log, nothing else. */
export class PharmacyFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly log: LogGroup;

  constructor(
    scope: Construct,
    { handler, ...row }: FunctionRow & { handler: string },
    { resources, codeOf }: FunctionInputs,
  ) {
    super(scope, functionName(handler));
    const needs = row.needs.map((need) => need(resources));
    for (const { acknowledged = [] } of needs) Validations.of(this).acknowledge(...acknowledged);
    this.log = new LogGroup(this, 'Log', {
      retention: resources.settings.logRetentionDays,
      removalPolicy: removalPolicy(resources.settings),
    });
    this.lambda = new LambdaFunction(this, 'Function', {
      description: handler,
      code: codeOf(handler),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: row.memoryMb,
      timeout: Duration.seconds(row.timeoutSeconds),
      environment: Object.assign({}, ...needs.map(({ environment }) => environment)),
      role: this.#role(needs.flatMap(({ rights = [] }) => rights)),
      logGroup: this.log,
      ...reserveConcurrency(resources.settings, functionName(handler)),
    });
  }

  #role(rights: readonly PolicyStatement[]): Role {
    const logging = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [this.log.logGroupArn],
    });
    return new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { Needs: new PolicyDocument({ statements: [logging, ...rights] }) },
    });
  }
}
