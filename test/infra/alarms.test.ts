import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { SENDING_ALARMS, STAGE_ALARMS } from '../../infra/cloud/monitoring/alarms.ts';
import { type Json, PRODUCTION, propertiesIn, stackTemplate } from '../support/rights/stack-template.ts';

const template = stackTemplate();
const properties = (type: string) => propertiesIn(template, type);

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
    const [topic] = topics;
    expect(topics).toEqual(topics.map(() => topic));
    expect(topicStatements(topic)).toContainEqual(
      allowing(topic, 'cloudwatch.amazonaws.com', {
        StringEquals: { 'aws:SourceAccount': ACCOUNT },
        ArnLike: { 'aws:SourceArn': { 'Fn::Join': ['', arn('cloudwatch', ':alarm:*')] } },
      }),
    );
  });

  // The doctor relies on it, and no local engine lists alarms.
  it('are told by every alarm of production but those of releases', () => {
    const alarms = propertiesIn(stackTemplate(PRODUCTION), 'AWS::CloudWatch::Alarm');
    const ofOperator = alarms.filter(({ AlarmName }) => !JSON.stringify(AlarmName).includes('-release-'));
    expect(ofOperator.length).toBeLessThan(alarms.length);
    expect(ofOperator.filter(({ AlarmActions = [] }) => AlarmActions.length === 0)).toEqual([]);
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
    expect(filled).toHaveLength(3);
    // `failures` fills the metric that it subtracts, so that late data never hide a failure.
    const late = filled.filter(({ AlarmName }) => AlarmName !== 'pharmacy-test-failures');
    for (const { EvaluationPeriods, DatapointsToAlarm } of late) {
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

/** Returns what the widgets of a stage's dashboard show, with the id of a resource for its ARN. */
const dashboard = (stage: Template): Json[] => {
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
    expect(alarms).toHaveLength(28);
  });

  it('leave out those on mail of another region, and say where these are', () => {
    const production = stackTemplate(PRODUCTION);
    const [{ title, alarms }] = dashboard(production);
    expect(title).toBe('Alarms; bounces and complaints are in us-east-1');
    expect(alarms.toSorted()).toEqual(mailing(production).toSorted());
    expect(alarms).toHaveLength(26);
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

describe('the guide to the alarms', () => {
  const GUIDE = readFileSync(join(import.meta.dirname, '../../infra/cloud/README.md'), 'utf8');
  const fullest = stackTemplate({
    eventBus: 'pharmacy',
    webAcl: {},
    payments: { provider: 'stripe', secretName: 'pharmacy/stripe' },
  });
  const alarms = propertiesIn(fullest, 'AWS::CloudWatch::Alarm');
  const namesOf = (some: Json[]): string[] => some.map(({ AlarmName }) => AlarmName.replace('pharmacy-test-', ''));
  const namesIn = (text = ''): string[] => [...text.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name);

  // The doctor refers to it. `npx vitest run -u test/infra/alarms.test.ts` writes it.
  it('has a row for each one of the fullest stage, and for no other', async () => {
    const rows = [...STAGE_ALARMS, ...SENDING_ALARMS];
    expect(rows.map(({ name }) => name).toSorted()).toEqual(namesOf(alarms).toSorted());
    const table = ['| Alarm | Meaning | What to do |', '|---|---|---|'];
    for (const { name, why, todo } of rows) table.push(`| \`${name}\` | ${why} | ${todo} |`);
    await expect(
      `# Alarms\n\nWritten from the rows of \`monitoring/alarms.ts\`.\n\n${table.join('\n')}\n`,
    ).toMatchFileSnapshot('../../infra/cloud/alarms.md');
  });

  it('names those that tell of silence, which wait for their first data in a new stage', () => {
    const silent = alarms.filter(({ InsufficientDataActions }) => InsufficientDataActions);
    for (const { TreatMissingData, AlarmActions, InsufficientDataActions } of silent)
      expect([TreatMissingData, InsufficientDataActions]).toEqual(['missing', AlarmActions]);
    expect(alarms.filter(({ TreatMissingData }) => TreatMissingData !== 'notBreaching')).toEqual(silent);
    const names = ['catalogAgeHours', 'globalInvoicesLate', 'unsentMail', 'unsettledInvoices', 'webhookBacklogMinutes'];
    expect(namesOf(silent).toSorted()).toEqual(names);
    const paragraph = GUIDE.split('\n\n').find((each) => each.startsWith('**No alarm rings in a new stage.**'));
    expect(namesIn(paragraph).toSorted()).toEqual(names);
  });
});
