import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { listStages, parseSettings, readSettings, readStages } from '../../infra/cloud/settings.ts';
import { addBudget, addMail } from '../../infra/cloud/side-stacks.ts';
import { type Json, propertiesIn, resourcesIn } from '../support/rights/function-rights.ts';
import {
  openApp,
  PRODUCTION,
  type StageChanges,
  stackTemplate,
  stageJson,
  stageTemplates,
} from '../support/rights/stack-template.ts';

// The templates of the next file would be of the region that the last test names.
afterAll(() => vi.unstubAllEnvs());

const settings = (changes: StageChanges) => parseSettings('sol', stageJson(changes));
const sender = (changes: object) => ({
  sender: { name: 'Farmacia Sol', address: 'facturas@sol.example', identity: 'domain', ...changes },
});

describe('a stage', () => {
  it('is deployed to the account and region of its settings, and a demonstration to those of the credentials', () => {
    const template = stackTemplate(PRODUCTION);
    template.hasOutput('AwsRegion', { Value: 'mx-central-1' });
    const anyArn = Match.stringLikeRegexp('^arn:aws:logs:mx-central-1:111122223333:');
    const DestinationArn = { 'Fn::Join': ['', Match.arrayWith([anyArn])] };
    template.hasResourceProperties('AWS::ApiGateway::Stage', { AccessLogSetting: { DestinationArn } });
    stackTemplate().hasOutput('AwsRegion', { Value: { Ref: 'AWS::Region' } });
  });

  it('has an example for each purpose, and the app makes the demonstration if no stage is named', () => {
    const purposes = listStages().map((stage) => readSettings(stage).purpose);
    expect(new Set(purposes)).toEqual(new Set(['demonstration', 'production']));
    const { context } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8'));
    expect(readStages(context.stage).map(({ stage }) => stage)).toEqual(['demo']);
  });

  it.each(['', '../demo', 'Demo', 'a'.repeat(21)])('cannot be called "%s"', (stage) => {
    expect(() => readSettings(stage)).toThrow('Name the stage with -c stage=<name>: ');
    expect(() => readSettings('nowhere')).toThrow('The settings of stage nowhere ');
  });
});

describe('the stage that a deployment without arguments makes', () => {
  const [template, ...others] = stageTemplates('demo') as [Template, ...Template[]];
  const idOf = (type: string, name = '') =>
    Object.keys(resourcesIn(template, type)).find((id) => id.startsWith(name)) ?? '';
  /** Returns an output as one line, with the ids of what it refers to in angle brackets. */
  const outputOf = (name: string): string => {
    const { Value } = template.findOutputs(name)[name] as Json;
    return Value['Fn::Join'][1].map((part: Json) => (typeof part === 'string' ? part : `<${part.Ref}>`)).join('');
  };

  it('is one stack, which also works where SES sends no mail', () => {
    expect(others).toEqual([]);
    vi.stubEnv('CDK_DEFAULT_REGION', 'mx-central-1');
    const { account, region, budget, sender, invoicing, payments } = readSettings('demo');
    expect({ account, region, budget, sender }).toEqual({});
    expect([invoicing.provider, payments.provider]).toEqual(['sandbox', 'none']);
    expect(JSON.stringify(template.toJSON())).not.toContain('"AWS::SES::');
  });

  it('has a key and a password, generated, and outputs that print them', () => {
    expect(propertiesIn(template, 'AWS::ApiGateway::UsagePlanKey')).toMatchObject([
      { KeyId: { Ref: idOf('AWS::ApiGateway::ApiKey') }, UsagePlanId: { Ref: idOf('AWS::ApiGateway::UsagePlan') } },
    ]);
    expect(propertiesIn(template, 'AWS::ApiGateway::ApiKey')[0]).not.toHaveProperty('Value');
    expect(outputOf('KeyCommand')).toContain(
      `get-api-key --api-key <${idOf('AWS::ApiGateway::ApiKey')}> --include-value --query value --region <AWS::Region>`,
    );
    template.hasResourceProperties('AWS::SecretsManager::Secret', {
      GenerateSecretString: { GenerateStringKey: 'password', PasswordLength: 24, ExcludePunctuation: true },
    });
    const secret = idOf('AWS::SecretsManager::Secret', 'Demonstration');
    expect(outputOf('PasswordCommand')).toContain(`get-secret-value --secret-id <${secret}> --query SecretString`);
  });

  it('is filled once the API is there', () => {
    const [seed] = Object.values(resourcesIn(template, 'Custom::Demonstration'));
    expect(seed.DependsOn).toContain(idOf('AWS::ApiGateway::UsagePlan'));
  });
});

describe('the budget', () => {
  it('is none, unless the settings have one; it mails at 80 % and before 100 %, from a region that has budgets', () => {
    const app = openApp();
    addBudget(app, settings({}));
    expect(app.node.children).toEqual([]);
    addBudget(app, settings({ ...PRODUCTION, budget: { usdPerMonth: 150 } }));
    const [stack] = app.node.children.filter((child) => Stack.isStack(child)) as [Stack];
    expect([stack.stackName, stack.region, stack.account]).toEqual(['PharmacyBudget-sol', 'us-east-1', '111122223333']);
    const made = app.synth().getStackByName(stack.stackName);
    // Roles would be those of a region that CDK is bootstrapped in.
    expect([made.assumeRoleArn, made.cloudFormationExecutionRoleArn]).toEqual([undefined, undefined]);
    const notice = (NotificationType: string, Threshold: number) => ({
      Notification: { NotificationType, Threshold, ComparisonOperator: 'GREATER_THAN', ThresholdType: 'PERCENTAGE' },
      Subscribers: [{ SubscriptionType: 'EMAIL', Address: 'alarmas@demo.example' }],
    });
    expect(made.template.Resources.Budget.Properties).toMatchObject({
      Budget: { BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 150, Unit: 'USD' } },
      NotificationsWithSubscribers: [notice('ACTUAL', 80), notice('FORECASTED', 100)],
    });
  });
});

describe('the mail of a stage', () => {
  /** Returns the stack of a stage with its mail and nothing else, and the stack beside it, if it has one. */
  function openStacks(changes: StageChanges = {}): { main: Stack; beside: Stack | undefined } {
    const app = openApp();
    const given = settings(changes);
    const main = new Stack(app, 'Test', { env: { region: given.region ?? 'us-east-1' } });
    addMail(main, given);
    return { main, beside: app.node.tryFindChild('PharmacyMail-sol') as Stack | undefined };
  }
  function mailTemplate(changes: StageChanges = {}): Template {
    const { main, beside } = openStacks(changes);
    return Template.fromStack(beside ?? main);
  }
  const mexico = { region: 'mx-central-1', ...sender({ region: 'us-east-1' }) };

  it.each([
    ['address', 'facturas@sol.example'],
    ['domain', 'sol.example'],
  ])(
    'has an identity for its %s, without a configuration set that could go before it does',
    (identity, EmailIdentity) => {
      const identities = propertiesIn(mailTemplate(sender({ identity })), 'AWS::SES::EmailIdentity');
      expect(identities).toEqual([expect.objectContaining({ EmailIdentity })]);
      expect(identities[0]).not.toHaveProperty('ConfigurationSetAttributes');
    },
  );

  it.each([{}, mexico])('has no identity if it exists, and a configuration set all the same: %j', (changes) => {
    const template = mailTemplate({
      ...changes,
      ...sender({ identity: { existing: 'sol.example' }, region: 'us-east-1' }),
    });
    template.resourceCountIs('AWS::SES::EmailIdentity', 0);
    template.hasResourceProperties('AWS::SES::ConfigurationSet', { Name: 'pharmacy-sol' });
  });

  it('is in its own stack in a region with SES, and beside it in the region of the sender otherwise', () => {
    for (const changes of [{ region: 'us-east-1' }, { region: 'us-east-1', ...sender({ region: 'us-east-1' }) }, {}]) {
      const { main, beside } = openStacks(changes);
      expect(beside).toBeUndefined();
      Template.fromStack(main).resourceCountIs('AWS::SES::ConfigurationSet', 1);
    }
    const { main, beside } = openStacks({ ...PRODUCTION, ...mexico });
    expect(beside).toMatchObject({
      stackName: 'PharmacyMail-sol',
      account: '111122223333',
      region: 'us-east-1',
      terminationProtection: true,
    });
    expect(main.dependencies).toEqual([beside]);
    // The role of a deployment would be that of a region that CDK is bootstrapped in.
    expect((main.node.root as App).synth().getStackByName('PharmacyMail-sol').assumeRoleArn).toBeUndefined();
    expect(Template.fromStack(main).toJSON()).not.toHaveProperty('Resources');
    // Neither stack needs a custom resource of the other.
    const text = JSON.stringify(Template.fromStack(beside as Stack).toJSON());
    expect(text).not.toMatch(/Custom::|Fn::ImportValue|Fn::GetStackOutput|resolve:ssm:\/cdk/);
    expect(JSON.stringify(stackTemplate(PRODUCTION).toJSON())).not.toMatch(/"AWS::SES::|"Namespace":"AWS\/SES"/);
  });

  it('has the alarms on its reputation where it is sent, which mail the operator from there', () => {
    const template = mailTemplate(mexico);
    const alarms = propertiesIn(template, 'AWS::CloudWatch::Alarm');
    expect(alarms.map(({ AlarmName, MetricName }) => [AlarmName, MetricName])).toEqual([
      ['pharmacy-sol-bounces', 'Reputation.BounceRate'],
      ['pharmacy-sol-complaints', 'Reputation.ComplaintRate'],
    ]);
    for (const { AlarmActions } of alarms)
      template.hasResourceProperties('AWS::SNS::Subscription', {
        Endpoint: 'alarmas@demo.example',
        TopicArn: AlarmActions[0],
      });
    const publishing = Match.objectLike({ Principal: { Service: 'cloudwatch.amazonaws.com' } });
    template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: { Statement: Match.arrayWith([publishing]) },
    });
  });

  it('is refused if only the credentials name a region without SES', () => {
    vi.stubEnv('CDK_DEFAULT_REGION', 'mx-central-1');
    expect(() => settings({})).toThrow(
      'the setting sender.region is missing: SES does not send mail from mx-central-1.',
    );
    expect(settings(sender({ region: 'us-east-1' })).sender?.region).toBe('us-east-1');
  });
});
