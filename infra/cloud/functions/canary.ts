import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, MathExpression, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { type IRole, PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { CfnAlias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { RequestMetricName } from '../../../shared/runtime/metrics.ts';
import { type Settings, SettingsError } from '../settings.ts';
import { allow, getNamespace } from '../stage.ts';
import type { PharmacyFunction } from './function.ts';

/**
 * Releases functions that write, in production, by CodeDeploy: a new version gets a tenth of the requests for five minutes,
 * then all. Its alarm makes CodeDeploy move the alias back, and CloudFormation undo the update. Each function has its own
 * deployment group, because a group makes one deployment at a time.
 */
export function addCanaries(stack: Construct, settings: Settings, routes: readonly PharmacyFunction[]): void {
  const atOnce = isAtOnce(stack);
  if (settings.purpose !== 'production') return;
  const scope = new Construct(stack, 'Canary');
  const application = new LambdaApplication(scope, 'Application');
  const functions = routes.filter((fn) => fn.writesRecords);
  const role = addRole(scope, functions);
  for (const fn of functions) {
    new LambdaDeploymentGroup(scope, fn.node.id, {
      application,
      role,
      alias: fn.alias,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: [addAlarm(scope, fn, settings)],
      // Without it the alias stays between two versions, and the next deployment fails (CodeDeploy's guide, "Troubleshoot
      // Lambda deployment issues").
      autoRollback: { stoppedDeployment: true },
    });
    if (atOnce) (fn.alias.node.defaultChild as CfnAlias).addDeletionOverride('UpdatePolicy');
  }
}

/** Less than the managed policy AWSCodeDeployRoleForLambdaLimited, which moves any alias; CDK adds it to a changeable role. */
function addRole(scope: Construct, functions: readonly PharmacyFunction[]): IRole {
  const statements = [
    allow(
      'lambda:GetAlias lambda:UpdateAlias lambda:GetProvisionedConcurrencyConfig',
      // The first two actions are checked on the function, the third on the alias.
      functions.flatMap(({ lambda: { functionArn }, alias }) => [functionArn, `${functionArn}:${alias.aliasName}`]),
    ),
    // As in the managed policy for CodeDeploy.
    allow('cloudwatch:DescribeAlarms', '*'),
  ];
  return new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    inlinePolicies: { Releases: new PolicyDocument({ statements }) },
  }).withoutPolicyUpdates();
}

/** For a rollback or an urgent correction. */
function isAtOnce({ node }: Construct): boolean {
  const release: unknown = node.tryGetContext('release');
  if (release === undefined || release === 'at-once') return release !== undefined;
  throw new SettingsError(`Leave -c release out, or say -c release=at-once, not ${JSON.stringify(release)}.`);
}

// As the API's alarm `latency`.
const SLOW_MS = 3_000;
// These wait for the provider of invoices, mail or payments, almost up to a request's 7 s. A slow one stops no release.
const SLOW_WITH_PROVIDER_MS = 7_000;
const WITH_PROVIDER = ['orders-create', 'orders-pay', 'orders-request-invoice', 'orders-update', 'payments-stripe'];

/**
 * Sees only the new version, so that failures of the former one do not stop their correction. Each version has its own alarm,
 * because an updated one keeps its state (PutMetricAlarm) and would stop a deployment at once. FILL makes a minute 0 until its
 * metrics arrive, so the alarm looks back five, as AWS advises ("Using math expressions with CloudWatch metrics"; "Setting
 * alarms on metrics created with the embedded metric format"); a metric without any data is 0 too (measured in
 * compiler-explorer/infra#1661). Of the few requests of a minute the 99th percentile would be the slowest one: hence the average.
 */
function addAlarm(scope: Construct, fn: PharmacyFunction, settings: Settings): Alarm {
  const { node, lambda } = fn;
  const slowMs = WITH_PROVIDER.includes(node.id) ? SLOW_WITH_PROVIDER_MS : SLOW_MS;
  return new Alarm(scope, `${node.id}-alarm`, {
    alarmName: `pharmacy-${settings.stage}-release-${node.id}-${lambda.currentVersion.version}`,
    alarmDescription: 'While this version is being released, the alarm ends the release, and the former version stays.',
    metric: new MathExpression({
      expression: `FILL(crashes, 0) + FILL(answers5xx, 0) + IF(FILL(duration, 0) > ${slowMs}, 1, 0)`,
      usingMetrics: {
        // Lambda counts time-outs as errors, but 5xx answers as successes.
        crashes: versionMetric(fn, 'Errors', Stats.SUM),
        answers5xx: new Metric({
          namespace: getNamespace(settings),
          metricName: 'answers5xx' satisfies RequestMetricName,
          dimensionsMap: { function: lambda.functionName, version: lambda.currentVersion.version },
          statistic: Stats.SUM,
        }),
        duration: versionMetric(fn, 'Duration', Stats.AVERAGE),
      },
      // CloudWatch gets Lambda's metrics once a minute.
      period: Duration.minutes(1),
    }),
    threshold: 0,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 5,
    datapointsToAlarm: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}

const versionMetric = ({ lambda, alias }: PharmacyFunction, metricName: string, statistic: string): Metric =>
  new Metric({
    namespace: 'AWS/Lambda',
    metricName,
    dimensionsMap: {
      FunctionName: lambda.functionName,
      Resource: `${lambda.functionName}:${alias.aliasName}`,
      ExecutedVersion: lambda.currentVersion.version,
    },
    statistic,
  });
