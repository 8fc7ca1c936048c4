import { Duration, RemovalPolicy, Size } from 'aws-cdk-lib';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { functionName } from '../../stack-names.ts';
import type { Resources } from '../data.ts';
import type { Settings } from '../settings.ts';
import { addLog, allow, getNamespace, logGroupPrefix } from '../stage.ts';
import { catalog, toEnvironment } from './needs.ts';
import type { FunctionRow } from './table.ts';

// 200,000 products take 284 MB, and a new version lies beside the present one (test/bench/large-catalog.ts).
const TWO_SNAPSHOTS = Size.mebibytes(1_024);

/*
 * Lambda logs only failed and timed-out calls: START, END and REPORT of every call would be more bytes than our own line. It
 * does not re-encode JSON on stdout ("doesn't double-encode", monitoring-cloudwatchlogs-logformat), where Powertools writes
 * (aws-powertools/powertools-lambda-typescript#748), so metric filters find our fields at the top; output of `console` is
 * under `message` (measured: aws/aws-durable-execution-sdk-js#305).
 */
const LOGGING = {
  loggingFormat: lambda.LoggingFormat.JSON,
  systemLogLevelV2: lambda.SystemLogLevel.WARN,
  applicationLogLevelV2: lambda.ApplicationLogLevel.INFO,
};

const WRITING = /^dynamodb:(Put|Update|Delete|BatchWrite)Item$/;

export class PharmacyFunction extends Construct {
  readonly lambda: lambda.Function;
  readonly log: LogGroup;
  readonly writesRecords: boolean;
  #alias: lambda.Alias | undefined;

  constructor(scope: Construct, handler: string, row: FunctionRow, resources: Resources) {
    super(scope, functionName(handler));
    const { settings, codeOf } = resources;
    const needs = row.needs.map((need) => need(resources));
    const rights = needs.flatMap((need) => need.rights ?? []);
    this.writesRecords = rights.some(({ actions }) => actions.some((action) => WRITING.test(action)));
    this.log = addLog(this, 'Log', settings, `${logGroupPrefix(this, settings)}${functionName(handler)}`);
    const logging = allow('logs:CreateLogStream logs:PutLogEvents', this.log.logGroupArn);
    this.lambda = new lambda.Function(this, 'Function', {
      code: codeOf(handler),
      handler: 'index.handler',
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      memorySize: row.memoryMb ?? 1_024,
      timeout: Duration.seconds(row.timeoutSeconds ?? 10),
      ...(row.needs.includes(catalog) && { ephemeralStorageSize: TWO_SNAPSHOTS }),
      environment: { METRICS_NAMESPACE: getNamespace(settings), ...toEnvironment(needs) },
      role: new Role(this, 'Role', {
        assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
        inlinePolicies: { Needs: new PolicyDocument({ statements: [logging, ...rights] }) },
      }),
      logGroup: this.log,
      ...LOGGING,
      ...concurrencyOf(handler, settings),
    });
  }

  /** The API and the schedules call functions by it. Created on first use: a function that is not called so has none. */
  get alias(): lambda.Alias {
    this.#alias ??= this.lambda.addAlias('live');
    return this.#alias;
  }

  get live(): lambda.IFunction {
    return this.alias as lambda.IFunction;
  }
}

/**
 * Provisioned concurrency belongs to the version. On an alias, Lambda sets weights until the new environments are ready; if
 * INIT fails they remain, and each later deployment fails (gradientedge/cdk-utils#1110), and CodeDeploy ignores a changed
 * number (aws/serverless-application-model#1425). A version whose INIT fails is not created (aws/aws-cdk#6016), and the alias
 * stays.
 */
function concurrencyOf(handler: string, settings: Settings) {
  const provisioned = settings.provisionedConcurrency[functionName(handler)];
  const reserved = settings.reservedConcurrency[functionName(handler)];
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
