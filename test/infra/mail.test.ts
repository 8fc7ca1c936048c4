import { type App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it, vi } from 'vitest';
import { addMail } from '../../infra/cloud/mail/mail-stack.ts';
import { parseSettings } from '../../infra/cloud/read-settings.ts';
import { openApp, PRODUCTION, type StageChanges, stackTemplate, stageJson } from '../support/rights/stack-template.ts';

const settings = (changes: StageChanges) => parseSettings('sol', stageJson(changes));
const sender = (changes: object) => ({
  sender: { name: 'Farmacia Sol', address: 'facturas@sol.example', identity: 'domain', ...changes },
});

/** Returns the stack of a stage with its mail and nothing else, and the stack beside it, if it has one. */
function openStacks(changes: StageChanges = {}): { main: Stack; beside: Stack | undefined } {
  const app = openApp();
  const given = settings(changes);
  const main = new Stack(app, 'Test', { env: { region: given.region ?? 'us-east-1' } });
  addMail(main, given);
  return { main, beside: app.node.tryFindChild('PharmacyMail-sol') as Stack | undefined };
}

/** Returns the template that has the mail of a stage. */
function mailTemplate(changes: StageChanges = {}): Template {
  const { main, beside } = openStacks(changes);
  return Template.fromStack(beside ?? main);
}

describe('the identity of the sender', () => {
  it.each([
    ['address', 'facturas@sol.example'],
    ['domain', 'sol.example'],
  ])('is made for its %s, without a configuration set that could go before it does', (identity, EmailIdentity) => {
    const template = mailTemplate(sender({ identity }));
    template.resourceCountIs('AWS::SES::EmailIdentity', 1);
    template.hasResourceProperties('AWS::SES::EmailIdentity', {
      EmailIdentity,
      ConfigurationSetAttributes: Match.absent(),
    });
  });

  it('outlives a stage of production, and goes with a demonstration whose data is deleted', () => {
    mailTemplate(PRODUCTION).hasResource('AWS::SES::EmailIdentity', {
      DeletionPolicy: Match.stringLikeRegexp('^Retain'),
      UpdateReplacePolicy: 'Retain',
    });
    mailTemplate().hasResource('AWS::SES::EmailIdentity', { DeletionPolicy: 'Delete', UpdateReplacePolicy: 'Delete' });
  });

  it.each(['facturas@sol.example', 'sol.example', 'example'])('is not made if %s exists', (existing) => {
    const template = mailTemplate(sender({ identity: { existing } }));
    template.resourceCountIs('AWS::SES::EmailIdentity', 0);
    template.resourceCountIs('AWS::SES::ConfigurationSet', 1);
  });
});

describe('the configuration set', () => {
  it('has a name that the functions know, requires TLS, and suppresses bounces and complaints', () => {
    const template = mailTemplate();
    template.hasResourceProperties('AWS::SES::ConfigurationSet', {
      Name: 'pharmacy-sol',
      DeliveryOptions: { TlsPolicy: 'REQUIRE' },
      SuppressionOptions: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
    });
    template.hasResourceProperties('AWS::SES::ConfigurationSetEventDestination', {
      EventDestination: Match.objectLike({ MatchingEventTypes: ['bounce', 'complaint', 'reject'], Enabled: true }),
    });
    template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'alarmas@demo.example' });
  });
});

describe('a stage in a region without SES', () => {
  const mexico = { region: 'mx-central-1', ...sender({ region: 'us-east-1' }) };

  it('has the mail in a stack of its own, in the region of the sender, which is deployed before it', () => {
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
  });

  it('shares no reference with that stack, so that neither needs a custom resource of the other', () => {
    const { main, beside } = openStacks(mexico);
    const texts = [main, beside].map((stack) => JSON.stringify(Template.fromStack(stack as Stack).toJSON()));
    for (const text of texts) expect(text).not.toMatch(/Custom::|Fn::ImportValue|Fn::GetStackOutput|resolve:ssm:\/cdk/);
  });

  it('has the alarms on its reputation beside the metrics, and mails the operator from there', () => {
    const template = mailTemplate(mexico);
    const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
    expect(alarms.map(({ Properties }) => [Properties.AlarmName, Properties.MetricName])).toEqual([
      ['pharmacy-sol-bounces', 'Reputation.BounceRate'],
      ['pharmacy-sol-complaints', 'Reputation.ComplaintRate'],
    ]);
    template.resourceCountIs('AWS::SNS::Topic', 1);
    for (const { Properties } of alarms) {
      expect(Properties.AlarmActions).toEqual([{ Ref: expect.stringMatching(/^SenderReturned/) }]);
      template.hasResourceProperties('AWS::SNS::Subscription', {
        Endpoint: 'alarmas@demo.example',
        TopicArn: Properties.AlarmActions[0],
      });
    }
    template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      Topics: [{ Ref: Match.stringLikeRegexp('^SenderReturned') }],
      PolicyDocument: {
        Statement: Match.arrayWith([Match.objectLike({ Principal: { Service: 'cloudwatch.amazonaws.com' } })]),
      },
    });
  });

  it('makes no identity there if it exists, and a configuration set all the same', () => {
    const template = mailTemplate({
      ...mexico,
      ...sender({ identity: { existing: 'sol.example' }, region: 'us-east-1' }),
    });
    template.resourceCountIs('AWS::SES::EmailIdentity', 0);
    template.hasResourceProperties('AWS::SES::ConfigurationSet', { Name: 'pharmacy-sol' });
  });

  it('has no such alarms in its own region, nor anything of SES', () => {
    const template = stackTemplate(PRODUCTION);
    const types = Object.values(template.toJSON().Resources as Record<string, { Type: string }>).map(
      ({ Type }) => Type,
    );
    expect(types.filter((type) => type.startsWith('AWS::SES::'))).toEqual([]);
    template.resourcePropertiesCountIs('AWS::CloudWatch::Alarm', { Namespace: 'AWS/SES' }, 0);
    template.hasOutput('MailRegion', { Value: 'us-east-1' });
  });

  it('is refused if only the credentials name it', () => {
    vi.stubEnv('CDK_DEFAULT_REGION', 'mx-central-1');
    expect(() => settings({})).toThrow(
      'the setting sender.region is missing: SES does not send mail from mx-central-1.',
    );
    expect(settings(sender({ region: 'us-east-1' })).sender?.region).toBe('us-east-1');
  });
});

describe('a stage in a region with SES', () => {
  it.each([{ region: 'us-east-1' }, { region: 'us-east-1', ...sender({ region: 'us-east-1' }) }, {}])(
    'has the mail in its own stack: %j',
    (changes) => {
      const { main, beside } = openStacks(changes);
      expect(beside).toBeUndefined();
      Template.fromStack(main).resourceCountIs('AWS::SES::ConfigurationSet', 1);
    },
  );
});
