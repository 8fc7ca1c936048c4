import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { MailRules } from '../../infra/cloud/mail/mail-rules.ts';
import { parseSettings } from '../../infra/cloud/settings.ts';
import { openApp, PRODUCTION, type StageChanges, stageJson } from '../support/rights/stack-template.ts';

const settings = (changes: StageChanges) => parseSettings('sol', stageJson(changes));
const sender = (changes: object) => ({
  sender: { name: 'Farmacia Sol', address: 'facturas@sol.example', identity: 'domain', ...changes },
});

/** Returns the template of the mail of a stage, without the rest of its stack. */
function mailTemplate(changes: StageChanges = {}): Template {
  const stack = new Stack(openApp(), 'Test');
  new MailRules(stack, 'Sender', settings(changes));
  return Template.fromStack(stack);
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

  it.each(['luna.example', 'l.example', 'pagos@sol.example', 'facturas.sol.example', ''])(
    'cannot be %j, which does not cover the address',
    (existing) => {
      const words = 'must be the address of the sender, or a domain that it belongs to';
      expect(() => settings(sender({ identity: { existing } }))).toThrow(
        `Stage sol: the setting sender.identity.existing ${words}, not "${existing}".`,
      );
    },
  );

  it.each([
    ['existing', ' must be address, domain or {"existing":"sol.example"}, not "existing".'],
    [{ existing: 1 }, ' must be address, domain or {"existing":"sol.example"}, not {"existing":1}.'],
    [{ existing: 'sol.example', region: 'us-east-1' }, '.region.'],
  ])('cannot be %j', (identity, rest) => {
    expect(() => settings(sender({ identity }))).toThrow(`setting sender.identity${rest}`);
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
