import { Duration, Validations } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, MathExpression, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { type IRole, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { CfnAlias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { RequestMetricName } from '../../../shared/runtime/metrics.ts';
import { type Settings, SettingsError } from '../settings.ts';
import { getNamespace } from '../stage.ts';
import type { PharmacyFunction } from './function.ts';

type ReleaseWay = 'canary' | 'at-once';

/**
 * Releases the functions of the routes by CodeDeploy: a new version gets a tenth of the requests for five minutes, then
 * all of them. CodeDeploy moves the alias back when the alarm of the new version goes off, and CloudFormation then undoes
 * the whole update. Each function has a deployment group of its own, because a group makes one deployment at a time.
 */
export function addCanaries(
  stack: Construct,
  { settings, functions, way }: { settings: Settings; functions: readonly PharmacyFunction[]; way: ReleaseWay },
): void {
  const scope = new Construct(stack, 'Canary');
  const application = new LambdaApplication(scope, 'Application');
  const role = addRole(scope, functions);
  for (const released of functions) {
    new LambdaDeploymentGroup(scope, released.node.id, {
      application,
      role,
      alias: released.alias,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: [addAlarm(scope, released, settings)],
      // A deployment that is stopped by hand and not rolled back leaves the alias between two versions, and the next one
      // fails (CodeDeploy's guide, "Troubleshoot Lambda deployment issues").
      autoRollback: { stoppedDeployment: true },
    });
    if (way === 'at-once') (released.alias.node.defaultChild as CfnAlias).addDeletionOverride('UpdatePolicy');
  }
}

/**
 * Less than the managed policy AWSCodeDeployRoleForLambdaLimited, which moves any alias of the account. CDK would add
 * that policy to a role that can be changed.
 */
function addRole(scope: Construct, functions: readonly PharmacyFunction[]): IRole {
  const moving = new PolicyStatement({
    actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
    // The first two are checked on the function, the third on the alias.
    resources: functions.flatMap(({ lambda, alias }) => [
      lambda.functionArn,
      `${lambda.functionArn}:${alias.aliasName}`,
    ]),
  });
  const reading = new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] });
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    inlinePolicies: { Releases: new PolicyDocument({ statements: [moving, reading] }) },
  });
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'It only reads the states of alarms, as in the managed policy for CodeDeploy.',
  });
  return role.withoutPolicyUpdates();
}

/**
 * Returns how the deployment was asked to move the aliases: at once for a rollback or an urgent correction. Throws
 * SettingsError if it was asked for something else.
 */
export function readReleaseWay({ node }: Construct): ReleaseWay {
  const release: unknown = node.tryGetContext('release');
  if (release === undefined) return 'canary';
  if (release === 'at-once') return release;
  throw new SettingsError(`Leave -c release out, or say -c release=at-once, not ${JSON.stringify(release)}.`);
}

// CloudWatch gets the metrics of Lambda once a minute.
const PERIOD = Duration.minutes(1);
// The alarm `latency` of the API has the same limit.
const SLOW_MS = 3_000;
// These wait for the provider of invoices, the mail or the payment provider until shortly before the 7 s of a request are over.
// A provider that is slow ends no release.
const SLOW_WITH_PROVIDER_MS = 7_000;
const WITH_PROVIDER = ['orders-create', 'orders-pay', 'orders-request-invoice', 'orders-update', 'payments-stripe'];

/**
 * Makes the alarm that ends a release: at the first crash, time-out or answer 5xx of the new version, and when it is slow on
 * the average of a minute. It sees the new version only, so that failures of the former one do not stop its correction. Each
 * version has an alarm of its own, because an alarm that is updated keeps its state (PutMetricAlarm's text), and one that is on
 * stops a deployment within a second. Without data it is not on, so that a quiet function is released too.
 *
 * Metrics come late: FILL makes the newest minute 0 until its data arrive, so that the alarm looks back over five minutes, which
 * AWS advises ("Using math expressions with CloudWatch metrics"; "Setting alarms on metrics created with the embedded metric
 * format"). A metric without any data counts as 0 too (measured in compiler-explorer/infra#1661), as answers 5xx mostly have
 * none. The average is that of few requests: of two in a minute the 99th percentile would be the slower one.
 */
function addAlarm(scope: Construct, released: PharmacyFunction, settings: Settings): Alarm {
  const { node, lambda } = released;
  const slowMs = WITH_PROVIDER.includes(node.id) ? SLOW_WITH_PROVIDER_MS : SLOW_MS;
  return new Alarm(scope, `${node.id}-alarm`, {
    alarmName: `pharmacy-${settings.stage}-release-${node.id}-${lambda.currentVersion.version}`,
    alarmDescription: 'While this version is being released, the alarm ends the release, and the former version stays.',
    metric: new MathExpression({
      expression: `FILL(crashes, 0) + FILL(answers5xx, 0) + IF(FILL(duration, 0) > ${slowMs}, 1, 0)`,
      usingMetrics: {
        // Lambda counts time-outs among them, but not the answers 5xx, which to Lambda are successes.
        crashes: versionMetric(released, 'Errors', Stats.SUM),
        answers5xx: new Metric({
          namespace: getNamespace(settings),
          metricName: 'answers5xx' satisfies RequestMetricName,
          dimensionsMap: { function: lambda.functionName, version: lambda.currentVersion.version },
          statistic: Stats.SUM,
        }),
        duration: versionMetric(released, 'Duration', Stats.AVERAGE),
      },
      period: PERIOD,
    }),
    threshold: 0,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 5,
    datapointsToAlarm: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}

/** Returns a metric of the requests to the alias that the new version served. */
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
