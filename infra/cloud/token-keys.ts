import { Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { removalPolicy } from './removal-policy.ts';
import type { Settings } from './settings.ts';

/**
 * The keys that sign access tokens. Secrets Manager generates the first one; a rotation puts the next one beside it, in
 * the form that `shared/access/token-keys.ts` reads.
 */
export class TokenKeys extends Secret {
  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id, {
      description: 'Keys of access tokens: {"kid","secret"}, or {"current":{…},"previous":{…}} after a rotation',
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ kid: 'first' }),
        generateStringKey: 'secret',
        // 64 letters and digits are valid base64url: 48 bytes with 381 random bits.
        passwordLength: 64,
        excludePunctuation: true,
      },
      removalPolicy: removalPolicy(settings),
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'Rotated by the operator in two steps, as functions keep the keys for five minutes (infra/cloud/README.md).',
    });
  }
}
