import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  type Alias,
  ApplicationLogLevel,
  Architecture,
  type Code,
  type FunctionOptions,
  type IFunction,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  type VersionOptions,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { functionName } from '../../stack-names.ts';
import type { Resources } from '../resources.ts';
import type { Settings } from '../settings.ts';
import { getNamespace, logGroupPrefix, removalPolicy } from '../stage.ts';
import type { FunctionRow } from './route-functions.ts';

/** Returns the code of a handler, named by its path from the project root. */
export type CodeOf = (handler: string) => Code;

/*
 * Lambda writes its own lines only for calls that failed or timed out: START, END and REPORT of every call would be more
 * bytes than our own line. It leaves JSON on stdout as it is ("doesn't double-encode", monitoring-cloudwatchlogs-logformat),
 * which is where Powertools writes (aws-powertools/powertools-lambda-typescript#748), so that metric filters find our fields
 * at the top; what goes through `console` stands under `message` (measured: aws/aws-durable-execution-sdk-js#305).
 */
const LOGGING = {
  loggingFormat: LoggingFormat.JSON,
  systemLogLevelV2: SystemLogLevel.WARN,
  applicationLogLevelV2: ApplicationLogLevel.INFO,
};

export type FunctionInputs = { readonly resources: Resources; readonly codeOf: CodeOf };

/** The name of the alias through which the API and the schedules call a function; a release moves it. */
const LIVE = 'live';

/**
 * One handler: its function, with a version per deployment and an alias, its log group, and a role that allows what its
 * row needs and writing that log, nothing else.
 */
export class PharmacyFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly log: LogGroup;
  #alias: Alias | undefined;

  constructor(
    scope: Construct,
    { handler, ...row }: FunctionRow & { handler: string },
    { resources, codeOf }: FunctionInputs,
  ) {
    super(scope, functionName(handler));
    const needs = row.needs.map((need) => need(resources));
    for (const { acknowledged = [] } of needs) Validations.of(this).acknowledge(...acknowledged);
    const rights = needs.flatMap((need) => need.rights ?? []);
    this.log = new LogGroup(this, 'Log', {
      logGroupName: `${logGroupPrefix(this, resources.settings)}${functionName(handler)}`,
      retention: resources.settings.logRetentionDays,
      removalPolicy: removalPolicy(resources.settings),
    });
    this.lambda = new LambdaFunction(this, 'Function', {
      code: codeOf(handler),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: row.memoryMb,
      timeout: Duration.seconds(row.timeoutSeconds),
      environment: Object.assign(
        { METRICS_NAMESPACE: getNamespace(resources.settings) },
        ...needs.map(({ environment }) => environment),
      ),
      role: this.#role(rights),
      logGroup: this.log,
      ...LOGGING,
      ...concurrencyOf(functionName(handler), handler, resources.settings),
    });
  }

  /** The alias of the version that is called; a function that nobody calls by it has none. */
  get alias(): Alias {
    this.#alias ??= this.lambda.addAlias(LIVE);
    return this.#alias;
  }

  /** The alias as the API and the schedules call it, in the type that CDK has for what can be called. */
  get live(): IFunction {
    return this.alias as IFunction;
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

type Concurrency = Pick<FunctionOptions, 'description' | 'reservedConcurrentExecutions' | 'currentVersionOptions'>;

/**
 * Returns how much of a function runs at the same time. Provisioned concurrency belongs to the version. On an alias, Lambda
 * sets weights until the new environments are ready; if INIT fails they stay, and each later deployment fails
 * (gradientedge/cdk-utils#1110). CodeDeploy leaves a changed number of an alias as it was
 * (aws/serverless-application-model#1425). A version whose INIT fails is not made (aws/aws-cdk#6016), and the alias stays.
 */
function concurrencyOf(name: string, handler: string, settings: Settings): Concurrency {
  const provisioned = settings.provisionedConcurrency[name];
  const reserved = settings.reservedConcurrency[name];
  return {
    // Lambda publishes a version only if the configuration has changed (PublishVersion), and a changed number needs one.
    description: provisioned === undefined ? handler : `${handler}, provisioned concurrency ${provisioned}`,
    ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
    currentVersionOptions: provisioned === undefined ? formerVersions(settings) : provision(provisioned),
  };
}

/** The version ends with the release that replaces it, because its environments are paid for as long as it is there. */
const provision = (provisionedConcurrentExecutions: number): VersionOptions => ({
  provisionedConcurrentExecutions,
  removalPolicy: RemovalPolicy.DESTROY,
});

/*
 * Production keeps the former versions, so that an alias can go back to one. The version of a deployment that failed is
 * removed, because Lambda publishes no version that equals the last one, and the next attempt would get none. All versions
 * go with their function (DeleteFunction's text).
 */
const formerVersions = ({ purpose }: Settings): VersionOptions => ({
  removalPolicy: purpose === 'production' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
});
