import { describe, expect, it } from 'vitest';
import { PRODUCTION, stackTemplate } from '../support/rights/stack-template.ts';

// The doctor relies on these resources of the stack, and no local engine lists them.
describe('the stack that the doctor looks at', () => {
  const template = stackTemplate({
    ...PRODUCTION,
    webAcl: {},
    domain: { name: 'api.sol.example', certificateArn: 'arn:aws:acm:mx-central-1:111122223333:certificate/a' },
    provisionedConcurrency: { 'products-list': 2 },
  });
  const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) => Properties);
  const ofOperator = alarms.filter(({ AlarmName }) => !JSON.stringify(AlarmName).includes('-release-'));

  it.each([
    'AWS::Lambda::Function',
    'AWS::Lambda::Alias',
    'AWS::Events::Rule',
    'AWS::SQS::Queue',
    'AWS::ApiGateway::RestApi',
    'AWS::ApiGateway::Stage',
    'AWS::ApiGateway::DomainName',
    'AWS::WAFv2::WebACLAssociation',
  ])('has resources of type %s', (type) => {
    expect(Object.keys(template.findResources(type))).not.toEqual([]);
  });

  it('has one API, stage and dead-letter queue', () => {
    for (const type of ['AWS::ApiGateway::RestApi', 'AWS::ApiGateway::Stage', 'AWS::SQS::Queue'])
      template.resourceCountIs(type, 1);
  });

  it('has actions on every alarm but those of releases', () => {
    expect(ofOperator.length).toBeLessThan(alarms.length);
    expect(ofOperator.filter(({ AlarmActions = [] }) => AlarmActions.length === 0)).toEqual([]);
  });

  it('has the number of warm environments in the description of their function', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Description: 'functions/products/list.ts, provisioned concurrency 2',
    });
  });

  it('has the alarm that --ring sets off', () => {
    expect(ofOperator.map(({ AlarmName }) => AlarmName)).toContain('pharmacy-test-dead-letters');
  });

  it('expects reports of these metrics alone', () => {
    const expected = alarms.filter(({ TreatMissingData }) => TreatMissingData === 'breaching');
    expect(expected.map(({ MetricName }) => MetricName).toSorted()).toEqual([
      'catalogAgeHours',
      'globalInvoicesLate',
      'unsentMail',
      'unsettledInvoices',
      'webhookBacklogMinutes',
    ]);
  });
});
