import { Duration, RemovalPolicy, Size } from 'aws-cdk-lib';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { functionName } from '../../stack-names.ts';
import type { Resources } from '../data.ts';
import type { Settings } from '../settings.ts';
import { addLog, allow, getNamespace, logGroupPrefix } from '../stage.ts';
import { catalog, toEnvironment } from './needs.ts';
import type { FunctionRow } from './table.ts';

// 200,000 products take 284 MB, and a new version lies beside the present one (test/bench/large-catalog.ts).
const TWO_SNAPSHOTS = Size.mebibytes(1_024);

// Lambda logs only failed and timed-out calls: START, END and REPORT of each would be more bytes than our own line. It does not
// encode JSON on stdout again ("doesn't double-encode", monitoring-cloudwatchlogs-logformat), where Powertools writes
// (aws-powertools/powertools-lambda-typescript#748), so that metric filters find our fields.
const LOGGING = {
  loggingFormat: lambda.LoggingFormat.JSON,
  systemLogLevelV2: lambda.SystemLogLevel.WARN,
  applicationLogLevelV2: lambda.ApplicationLogLevel.INFO,
};

const WRITING = /^dynamodb:(Put|Update|Delete|BatchWrite)Item$/;

export class PharmacyFunction extends Construct {
  readonly lambda: lambda.Function;
  readonly writesRecords: boolean;
  #alias: lambda.Alias | undefined;

  constructor(scope: Construct, handler: string, row: FunctionRow, resources: Resources) {
    super(scope, functionName(handler));
    const { settings, codeOf } = resources;
    const needs = row.needs.map((need) => need(resources));
    const rights = needs.flatMap((need) => need.rights ?? []);
    this.writesRecords = rights.some(({ actions }) => actions.some((action) => WRITING.test(action)));
    const log = addLog(this, 'Log', settings, `${logGroupPrefix(this, settings)}${functionName(handler)}`);
    const logging = allow('logs:CreateLogStream logs:PutLogEvents', log.logGroupArn);
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
      logGroup: log,
      ...LOGGING,
      ...concurrencyOf(handler, settings),
    });
  }

  /** The API and the schedules call functions by it. Created on first use: a function that is not called so has none. */
  get alias(): lambda.Alias & lambda.IFunction {
    this.#alias ??= this.lambda.addAlias('live');
    return this.#alias as lambda.Alias & lambda.IFunction;
  }
}

/**
 * Provisioned concurrency belongs to the version, which is not created if its INIT fails (aws/aws-cdk#6016). On an alias, a
 * failed INIT leaves weights with which each later deployment fails (gradientedge/cdk-utils#1110), and CodeDeploy ignores a
 * changed number (aws/serverless-application-model#1425).
 */
function concurrencyOf(handler: string, settings: Settings) {
  const provisioned = settings.provisionedConcurrency[functionName(handler)];
  const reserved = settings.reservedConcurrency[functionName(handler)];
  // Production keeps former versions for rollbacks, but none whose environments would be billed. A failed deployment's version
  // goes: Lambda publishes no version that equals the last one (PublishVersion), so the next attempt would get none.
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
