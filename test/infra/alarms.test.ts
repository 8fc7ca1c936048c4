import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { PRODUCTION, stackTemplate } from '../support/rights/stack-template.ts';

let template: Template;

beforeAll(() => {
  template = stackTemplate();
});

// biome-ignore lint/suspicious/noExplicitAny: a template has no types
const properties = (type: string): any[] =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);

/** Returns the statements of the policy of a topic, named by its reference. */
const topicStatements = (topic: unknown) =>
  properties('AWS::SNS::TopicPolicy')
    .filter(({ Topics }) => JSON.stringify(Topics).includes(JSON.stringify(topic)))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement);

const ACCOUNT = { Ref: 'AWS::AccountId' };
/** An ARN of this account and region, such as `arn:aws:cloudwatch:<region>:<account>:alarm:*`. */
const arn = (service: string, ...rest: unknown[]) => [
  'arn:',
  { Ref: 'AWS::Partition' },
  `:${service}:`,
  { Ref: 'AWS::Region' },
  ':',
  ACCOUNT,
  ...rest,
];

const allowing = (Resource: unknown, Service: string, Condition: unknown) =>
  expect.objectContaining({ Effect: 'Allow', Principal: { Service }, Action: 'sns:Publish', Resource, Condition });

describe('the topics that mail the operator', () => {
  it('let the alarms of this account publish, each topic that an alarm names', () => {
    const alarms = properties('AWS::CloudWatch::Alarm');
    const topics = alarms.flatMap(({ AlarmActions, OKActions }) => [...AlarmActions, ...OKActions]);
    const named = new Map(topics.map((topic) => [JSON.stringify(topic), topic]));
    expect(named.size).toBe(1);
    for (const topic of named.values()) {
      expect(topicStatements(topic)).toContainEqual(
        allowing(topic, 'cloudwatch.amazonaws.com', {
          StringEquals: { 'aws:SourceAccount': ACCOUNT },
          ArnLike: { 'aws:SourceArn': { 'Fn::Join': ['', arn('cloudwatch', ':alarm:*')] } },
        }),
      );
    }
  });

  it('let SES publish the events of the configuration set, before the events have it as their destination', () => {
    const destinations = Object.values(template.findResources('AWS::SES::ConfigurationSetEventDestination'));
    expect(destinations).toHaveLength(1);
    for (const { Properties, DependsOn } of destinations) {
      const { EventDestination, ConfigurationSetName } = Properties;
      const topic = EventDestination.SnsDestination.TopicARN;
      expect(topicStatements(topic)).toContainEqual(
        allowing(topic, 'ses.amazonaws.com', {
          StringEquals: {
            'AWS:SourceAccount': ACCOUNT,
            'AWS:SourceArn': { 'Fn::Join': ['', arn('ses', ':configuration-set/', ConfigurationSetName)] },
          },
        }),
      );
      expect(DependsOn.join()).toMatch(/SenderReturnedPolicy/);
    }
  });

  it('are published to over TLS only, and mail the alarm address', () => {
    const topics = Object.keys(template.findResources('AWS::SNS::Topic')).map((Ref) => ({ Ref }));
    expect(topics).toHaveLength(2);
    for (const topic of topics) {
      expect(topicStatements(topic)).toContainEqual(
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      );
      const TopicArn = topic;
      expect(properties('AWS::SNS::Subscription')).toContainEqual({
        Protocol: 'email',
        Endpoint: 'alarmas@demo.example',
        TopicArn,
      });
    }
  });
});

/** Returns the alarm of a name with its metrics by their ids; an expression stands under its text. */
const alarm = (name: string) => {
  const [found] = properties('AWS::CloudWatch::Alarm').filter(({ AlarmName }) => AlarmName === `pharmacy-test-${name}`);
  // biome-ignore lint/suspicious/noExplicitAny: a template has no types
  const metrics: any[] = found.Metrics;
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
  // An alarm on a metric of AWS/DynamoDB keeps its state while data is missing, whatever it is told to do.
  it('look at no metric of DynamoDB itself, only at expressions', () => {
    const ofTable = properties('AWS::CloudWatch::Alarm').filter(({ Namespace }) => Namespace === 'AWS/DynamoDB');
    expect(ofTable).toEqual([]);
  });

  it('count missing data as none, so that they end, and ring for writes alone', () => {
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

  // FILL makes a value of what has only not arrived yet (AWS, "Using math expressions with CloudWatch metrics").
  it('leave room for data that comes late, as every alarm on filled data', () => {
    const filled = properties('AWS::CloudWatch::Alarm').filter(({ Metrics }) => /FILL/.test(JSON.stringify(Metrics)));
    expect(filled).toHaveLength(2);
    for (const { EvaluationPeriods, DatapointsToAlarm } of filled) {
      expect(DatapointsToAlarm).toBeLessThan(EvaluationPeriods);
    }
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
      metrics: { failed: 'AWS/ApiGateway 5XXError Sum 900', requests: 'AWS/ApiGateway Count Sum 900' },
      EvaluationPeriods: 1,
      Threshold: 0.01,
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
    });
  });

  it.each([
    [3, 3],
    [1, 1],
    [2, 4],
    [5, 400],
    [30, 2_000],
  ])('rings for %i of %i', (failed, requests) => {
    expect(shareFor(failed, requests)).toBeGreaterThan(0.01);
  });

  it.each([
    [0, 3],
    [1, 20],
    [4, 100],
    [5, 1_000],
  ])('is silent for %i of %i', (failed, requests) => {
    expect(shareFor(failed, requests)).toBeLessThanOrEqual(0.01);
  });
});

/** Returns what the widgets of a stage's dashboard show, with the id of a resource for its ARN. */
// biome-ignore lint/suspicious/noExplicitAny: a template has no types
const dashboard = (stage: Template): any[] => {
  const [found] = Object.values(stage.findResources('AWS::CloudWatch::Dashboard'));
  const parts: (string | { 'Fn::GetAtt'?: [string]; Ref?: string })[] = found?.Properties.DashboardBody['Fn::Join'][1];
  const body = parts.map((part) => (typeof part === 'string' ? part : (part['Fn::GetAtt']?.[0] ?? part.Ref))).join('');
  return JSON.parse(body).widgets.map((widget: { properties: object }) => widget.properties);
};

describe('the alarms on the dashboard', () => {
  const mailing = (stage: Template) => {
    const alarms = Object.entries(stage.findResources('AWS::CloudWatch::Alarm'));
    return alarms.filter(([, { Properties }]) => Properties.AlarmActions).map(([id]) => id);
  };

  it('are all that mail', () => {
    const [{ title, alarms }] = dashboard(template);
    expect(title).toBe('Alarms');
    expect(alarms.toSorted()).toEqual(mailing(template).toSorted());
    expect(alarms).toHaveLength(29);
  });

  it('leave out those on mail of another region, and say where these are', () => {
    const production = stackTemplate(PRODUCTION);
    const [{ title, alarms }] = dashboard(production);
    expect(title).toBe('Alarms; bounces and complaints are in us-east-1');
    expect(alarms.toSorted()).toEqual(mailing(production).toSorted());
    expect(alarms).toHaveLength(27);
  });
});

describe('secrets that cannot be read', () => {
  it('have an alarm, and stand on the dashboard beside the errors of functions', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'unreadSecrets',
      Period: 900,
      Threshold: 2,
      Statistic: 'Sum',
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
    });
    const graphs = dashboard(template).filter(({ metrics }) => JSON.stringify(metrics)?.includes('unreadSecrets'));
    expect(graphs.map(({ title }) => title)).toEqual(['Errors of functions']);
  });
});
