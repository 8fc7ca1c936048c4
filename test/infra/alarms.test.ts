import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { stackTemplate } from '../support/rights/stack-template.ts';

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
