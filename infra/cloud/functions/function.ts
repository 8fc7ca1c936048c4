import { Duration, RemovalPolicy, Size } from 'aws-cdk-lib';
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
} from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { functionName } from '../../stack-names.ts';
import type { Resources } from '../data.ts';
import type { Settings } from '../settings.ts';
import { addLog, getNamespace, logGroupPrefix } from '../stage.ts';
import { catalog } from './needs.ts';
import type { FunctionRow } from './table.ts';

// 200,000 products take 284 MB, and a new version lies beside the present one (test/bench/large-catalog.ts).
const TWO_SNAPSHOTS = Size.mebibytes(1_024);

export type CodeOf = (handler: string) => Code;

/*
 * Lambda logs only failed and timed-out calls: START, END and REPORT of every call would be more bytes than our own line. It
 * does not re-encode JSON on stdout ("doesn't double-encode", monitoring-cloudwatchlogs-logformat), where Powertools writes
 * (aws-powertools/powertools-lambda-typescript#748), so metric filters find our fields at the top; output of `console` is
 * under `message` (measured: aws/aws-durable-execution-sdk-js#305).
 */
const LOGGING = {
  loggingFormat: LoggingFormat.JSON,
  systemLogLevelV2: SystemLogLevel.WARN,
  applicationLogLevelV2: ApplicationLogLevel.INFO,
};

export type FunctionInputs = { readonly resources: Resources; readonly codeOf: CodeOf };

/** The API and the schedules call functions by this alias, which a release moves. */
const LIVE = 'live';
const WRITING = /^dynamodb:(Put|Update|Delete|BatchWrite)Item$/;

export class PharmacyFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly log: LogGroup;
  readonly writesRecords: boolean;
  #alias: Alias | undefined;

  constructor(
    scope: Construct,
    { handler, memoryMb = 1_024, timeoutSeconds = 10, ...row }: FunctionRow & { handler: string },
    { resources, codeOf }: FunctionInputs,
  ) {
    super(scope, functionName(handler));
    const needs = row.needs.map((need) => need(resources));
    const rights = needs.flatMap((need) => need.rights ?? []);
    this.writesRecords = rights.some(({ actions }) => actions.some((action) => WRITING.test(action)));
    const { settings } = resources;
    this.log = addLog(this, 'Log', settings, `${logGroupPrefix(this, settings)}${functionName(handler)}`);
    this.lambda = new LambdaFunction(this, 'Function', {
      code: codeOf(handler),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memoryMb,
      timeout: Duration.seconds(timeoutSeconds),
      ...(row.needs.includes(catalog) && { ephemeralStorageSize: TWO_SNAPSHOTS }),
      environment: Object.assign(
        { METRICS_NAMESPACE: getNamespace(settings) },
        ...needs.map(({ environment }) => environment),
      ),
      role: this.#role(rights),
      logGroup: this.log,
      ...LOGGING,
      ...concurrencyOf(functionName(handler), handler, settings),
    });
  }

  /** Created on first use: a function that is not called by its alias has none. */
  get alias(): Alias {
    this.#alias ??= this.lambda.addAlias(LIVE);
    return this.#alias;
  }

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
 * Provisioned concurrency belongs to the version. On an alias, Lambda sets weights until the new environments are ready; if
 * INIT fails they remain, and each later deployment fails (gradientedge/cdk-utils#1110), and CodeDeploy ignores a changed
 * number (aws/serverless-application-model#1425). A version whose INIT fails is not created (aws/aws-cdk#6016), and the alias
 * stays.
 */
function concurrencyOf(name: string, handler: string, settings: Settings): Concurrency {
  const provisioned = settings.provisionedConcurrency[name];
  const reserved = settings.reservedConcurrency[name];
  // Production keeps former versions for rollbacks, but none whose environments would be billed. A failed deployment's version is
  // removed, because Lambda publishes no version that equals the last one, and the next attempt would get none. All versions are
  // deleted with their function (DeleteFunction).
  const isKept = settings.purpose === 'production' && provisioned === undefined;
  return {
    // Lambda publishes a version only for a changed configuration (PublishVersion), and a changed number needs one.
    description: provisioned === undefined ? handler : `${handler}, provisioned concurrency ${provisioned}`,
    ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
    currentVersionOptions: {
      ...(provisioned !== undefined && { provisionedConcurrentExecutions: provisioned }),
      removalPolicy: isKept ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    },
  };
}
