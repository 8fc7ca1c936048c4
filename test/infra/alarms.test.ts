import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { SENDING_ALARMS, STAGE_ALARMS } from '../../infra/cloud/monitoring/alarms.ts';
import { METRIC_NAMES } from '../../shared/runtime/metrics.ts';
import { type Json, propertiesIn } from '../support/rights/function-rights.ts';
import { PRODUCTION, stackTemplate } from '../support/rights/stack-template.ts';

const template = stackTemplate();
const properties = (type: string) => propertiesIn(template, type);

describe('the alarms of a stage', () => {
  it('are these, each with a sentence, and mail the operator when they begin and end', () => {
    const all = properties('AWS::CloudWatch::Alarm');
    const ofRequests = ['401', '403', '429'].map((status) => `answered${status}`);
    const others = METRIC_NAMES.filter((name) => name !== 'paymentExceptions');
    expect(all.map(({ AlarmName }) => AlarmName.replace('pharmacy-test-', '')).toSorted()).toEqual(
      [
        ...['failures', 'latency', 'throttled-functions', 'throttled-table', 'conflicts', 'dead-letters'],
        ...['bounces', 'complaints', 'takenContacts', 'invalidCoupons', 'unreadSecrets', 'late-jobs-publish-events'],
        ...ofRequests,
        ...others,
      ].toSorted(),
    );
    for (const { AlarmActions, AlarmDescription, OKActions } of all) {
      expect(AlarmActions).toEqual([{ Ref: expect.stringMatching(/^MonitoringAlarms/) }]);
      expect(OKActions).toEqual(AlarmActions);
      expect(AlarmDescription).toMatch(/\.$/);
    }
  });

  // The doctor relies on it, and no local engine lists alarms.
  it('of production all mail but those of releases', () => {
    const all = propertiesIn(stackTemplate(PRODUCTION), 'AWS::CloudWatch::Alarm');
    const ofOperator = all.filter(({ AlarmName }) => !JSON.stringify(AlarmName).includes('-release-'));
    expect(ofOperator.length).toBeLessThan(all.length);
    expect(ofOperator.filter(({ AlarmActions = [] }) => AlarmActions.length === 0)).toEqual([]);
  });

  it.each([
    ['latency', 3_000, 300, 3],
    ['answered401', 250, 300, undefined],
    ['answered403', 150, 300, undefined],
    ['answered429', 300, 300, undefined],
    ['takenContacts', 60, 3_600, undefined],
    ['invalidCoupons', 300, 3_600, undefined],
    ['unreadSecrets', 2, 900, undefined],
    ['dead-letters', 0, 300, undefined],
    ['unsentMail', 0, 600, 3],
    ['webhookBacklogMinutes', 15, 300, 3],
    ['catalogAgeHours', 8_760, 1_800, 2],
    ['late-jobs-publish-events', 300_000, 300, 2],
  ])('rings at %s above %i in %i seconds, %s times', (name, Threshold, Period, periods = 1) => {
    const [found] = properties('AWS::CloudWatch::Alarm').filter(({ AlarmName }) => AlarmName.endsWith(`test-${name}`));
    expect(found).toMatchObject({
      Threshold,
      EvaluationPeriods: periods,
      ComparisonOperator: 'GreaterThanThreshold',
    });
    expect(found.Period ?? found.Metrics?.[0].MetricStat.Period).toBe(Period);
  });
});

/** Returns the alarm of a name with its metrics by their ids; an expression stands under its text. */
const alarm = (name: string) => {
  const [found] = properties('AWS::CloudWatch::Alarm').filter(({ AlarmName }) => AlarmName === `pharmacy-test-${name}`);
  const metrics: Json[] = found.Metrics;
  const parts = metrics.filter(({ Expression }) => Expression === undefined);
  return {
    ...found,
    expression: metrics.find(({ Expression }) => Expression !== undefined).Expression,
    metrics: Object.fromEntries(
      parts.map(({ Id, MetricStat: { Metric, Period, Stat } }) => [
        Id,
        `${Metric.Namespace} ${Metric.MetricName} ${Stat} ${Period}`,
      ]),
    ),
  };
};

describe('alarms on the table', () => {
  // An alarm on a metric of AWS/DynamoDB itself keeps its state while data is missing, whatever it is told to do. FILL makes a value
  // of what has only not arrived yet, so that fewer datapoints ring than are looked at.
  it('are on expressions, which count missing data as none, so that they end, and ring for writes alone', () => {
    const ofTable = properties('AWS::CloudWatch::Alarm').filter(({ Namespace }) => Namespace === 'AWS/DynamoDB');
    expect(ofTable).toEqual([]);
    expect(alarm('throttled-table')).toMatchObject({
      expression: 'FILL(reads, 0) + FILL(writes, 0)',
      metrics: {
        reads: 'AWS/DynamoDB ReadThrottleEvents Sum 300',
        writes: 'AWS/DynamoDB WriteThrottleEvents Sum 300',
      },
      Threshold: 0,
      EvaluationPeriods: 3,
      DatapointsToAlarm: 2,
    });
    expect(alarm('conflicts')).toMatchObject({
      expression: 'FILL(conflicts, 0)',
      metrics: { conflicts: 'AWS/DynamoDB TransactionConflict Sum 300' },
      Threshold: 300,
      EvaluationPeriods: 3,
      DatapointsToAlarm: 2,
    });
  });
});

describe('the alarm on failures', () => {
  /** Returns the value of the expression for requests within a quarter of an hour. */
  const shareFor = (failed: number, requests: number): number => {
    const { expression } = alarm('failures');
    const IF = (condition: boolean, then: number, otherwise: number) => (condition ? then : otherwise);
    return new Function('IF', 'failed', 'requests', `return ${expression}`)(IF, failed, requests);
  };

  it('is on the share of requests in 15 minutes, and rings at once', () => {
    expect(alarm('failures')).toMatchObject({
      metrics: {
        answered: 'AWS/ApiGateway 5XXError Sum 900',
        expected: 'Pharmacy/test expected5xx Sum 900',
        requests: 'AWS/ApiGateway Count Sum 900',
      },
      EvaluationPeriods: 1,
      Threshold: 0.01,
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
    });
  });

  it('counts no answer 5xx that is no fault, such as those while orders are rebuilt', () => {
    const { Expression } = alarm('failures').Metrics.find(({ Id }: Json) => Id === 'failed');
    const FILL = (value: number | undefined, missing: number) => value ?? missing;
    const failed = new Function('FILL', 'answered', 'expected', `return ${Expression}`);
    expect([failed(FILL, 30, 30), failed(FILL, 30, 28), failed(FILL, 30, undefined)]).toEqual([0, 2, 30]);
  });

  it.each([
    ['rings', 3, 3],
    ['rings', 1, 1],
    ['rings', 2, 4],
    ['rings', 5, 400],
    ['rings', 30, 2_000],
    ['is silent', 0, 3],
    ['is silent', 1, 20],
    ['is silent', 4, 100],
    ['is silent', 5, 1_000],
  ])('%s for %i of %i', (what, failed, requests) => {
    expect(shareFor(failed, requests) > 0.01).toBe(what === 'rings');
  });
});

it('the dashboard has a name for each stage and region, since an account has one list of them', () => {
  const nameIn = (of: Template) => propertiesIn(of, 'AWS::CloudWatch::Dashboard').map((one) => one.DashboardName);
  expect(nameIn(template)).toEqual([{ 'Fn::Join': ['', ['pharmacy-test-', { Ref: 'AWS::Region' }]] }]);
  expect(nameIn(stackTemplate(PRODUCTION))).toEqual(['pharmacy-test-mx-central-1']);
});

describe('the guide to the alarms', () => {
  const alarms = propertiesIn(
    stackTemplate({ payments: { provider: 'stripe', secretName: 'pharmacy/stripe' } }),
    'AWS::CloudWatch::Alarm',
  );
  const namesOf = (some: Json[]): string[] => some.map(({ AlarmName }) => AlarmName.replace('pharmacy-test-', ''));

  // The doctor refers to it. `npx vitest run -u test/infra/alarms.test.ts` writes it.
  it('has a row for each one of the fullest stage, and for no other', async () => {
    const rows = [...STAGE_ALARMS, ...SENDING_ALARMS];
    expect(rows.map(({ name }) => name).toSorted()).toEqual(namesOf(alarms).toSorted());
    const table = ['| Alarm | Meaning | What to do |', '|---|---|---|'];
    for (const { name, why, todo } of rows) table.push(`| \`${name}\` | ${why} | ${todo} |`);
    await expect(
      `# Alarms\n\nWritten from the rows of \`monitoring/alarms.ts\`. The commands are those of \`npm run ops\` ([guide](../ops/README.md)).\n\n${table.join('\n')}\n`,
    ).toMatchFileSnapshot('../../infra/cloud/alarms.md');
  });

  it('names those that tell of silence, which wait for their first data in a new stage', () => {
    const silent = alarms.filter(({ InsufficientDataActions }) => InsufficientDataActions);
    for (const { TreatMissingData, AlarmActions, InsufficientDataActions } of silent)
      expect([TreatMissingData, InsufficientDataActions]).toEqual(['missing', AlarmActions]);
    expect(alarms.filter(({ TreatMissingData }) => TreatMissingData !== 'notBreaching')).toEqual(silent);
    expect(namesOf(silent).toSorted()).toEqual([
      'catalogAgeHours',
      'globalInvoicesLate',
      'unsentMail',
      'unsettledInvoices',
      'webhookBacklogMinutes',
    ]);
  });
});
