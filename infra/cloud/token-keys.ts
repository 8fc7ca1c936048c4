import { Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { removalPolicy } from './removal-policy.ts';
import type { Settings } from './settings.ts';

/**
 * The keys that sign access tokens. The first one is made in the account and seen by nobody; a rotation puts the next one
 * beside it, as `shared/access/token-keys.ts` reads it.
 */
export class TokenKeys extends Secret {
  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id, {
      description: 'Keys of access tokens: {"kid","secret"}, or {"current":{…},"previous":{…}} after a rotation',
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ kid: 'first' }),
        generateStringKey: 'secret',
        // Letters and digits alone are base64url: 48 bytes, of which 381 bits were chosen by chance.
        passwordLength: 64,
        excludePunctuation: true,
      },
      removalPolicy: removalPolicy(settings),
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'Rotated by the operator in two steps, as functions keep the keys for five minutes (README, Operate).',
    });
  }
}
