import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { getNamespace } from '../monitoring/metrics.ts';
import type { Settings } from '../settings.ts';
import type { PharmacyFunction } from './function.ts';

// CloudWatch gets the metrics of Lambda once a minute.
const PERIOD = Duration.minutes(1);
// The alarm `latency` of the API has the same limit.
const SLOW_MS = 3_000;
// These wait for the provider of invoices and the mail until shortly before the 7 s of a request are over, and where the new
// version gets a request or two in a minute, their 99th percentile is the slowest. A provider that is slow ends no release.
const SLOW_WITH_INVOICE_MS = 7_000;
const WITH_INVOICE = ['orders-create', 'orders-request-invoice'];

/*
 * Metrics come late: Lambda sends them once a minute, and those of the log wait for its lines, for which AWS advises "M out
 * of N" ("Setting alarms on metrics created with the embedded metric format"). Crashes and answers 5xx have an alarm each:
 * a sum that fills in missing values would always be 0 in the newest minute (AWS, "Using math expressions with CloudWatch
 * metrics"). The price goes by metrics, not by alarms.
 */
const ANY_OF_FIVE_MINUTES = { threshold: 0, evaluationPeriods: 5, datapointsToAlarm: 1 };

/**
 * Makes the alarms that end a release: at the first crash, time-out or answer 5xx of the new version, and when it is slow
 * in two of the five minutes. They see the new version only, so that failures of the former one do not stop its
 * correction. Each version has alarms of its own, because an alarm that is updated keeps its state (PutMetricAlarm's text),
 * and one that is on stops a deployment within a second. Without data they are not on, so that a quiet function is
 * released too.
 */
export const canaryAlarms = (scope: Construct, released: PharmacyFunction, settings: Settings): Alarm[] => [
  addAlarm(scope, 'crashes', released, settings, {
    // Lambda counts time-outs among them, but not the answers 5xx, which to Lambda are successes.
    metric: versionMetric(released, 'Errors', Stats.SUM),
    ...ANY_OF_FIVE_MINUTES,
  }),
  addAlarm(scope, 'answers5xx', released, settings, {
    metric: countAnswers5xx(released, settings),
    ...ANY_OF_FIVE_MINUTES,
  }),
  addAlarm(scope, 'latency', released, settings, {
    metric: versionMetric(released, 'Duration', 'p99'),
    threshold: WITH_INVOICE.includes(released.node.id) ? SLOW_WITH_INVOICE_MS : SLOW_MS,
    evaluationPeriods: 5,
    datapointsToAlarm: 2,
  }),
];

function addAlarm(
  scope: Construct,
  kind: string,
  { node, lambda }: PharmacyFunction,
  { stage }: Settings,
  watched: Pick<AlarmProps, 'metric' | 'threshold' | 'evaluationPeriods' | 'datapointsToAlarm'>,
): Alarm {
  return new Alarm(scope, `${node.id}-${kind}`, {
    alarmName: `pharmacy-${stage}-release-${node.id}-${kind}-${lambda.currentVersion.version}`,
    alarmDescription: 'While this version is being released, the alarm ends the release, and the former version stays.',
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    ...watched,
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
    period: PERIOD,
  });

/** Counts the answers 5xx by version in the function's log. The metric has a price only in hours that have such answers. */
function countAnswers5xx({ node, log, lambda }: PharmacyFunction, settings: Settings): Metric {
  const metricNamespace = getNamespace(settings);
  const metricName = `answers5xx-${node.id}`;
  log.addMetricFilter('answers5xx', {
    filterPattern: FilterPattern.numberValue('$.status', '>=', 500),
    metricNamespace,
    metricName,
    metricValue: '1',
    dimensions: { version: '$.version' },
  });
  const dimensionsMap = { version: lambda.currentVersion.version };
  return new Metric({ namespace: metricNamespace, metricName, dimensionsMap, statistic: Stats.SUM, period: PERIOD });
}
