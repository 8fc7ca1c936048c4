import { Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';
import { removalPolicy } from './stage.ts';

/** Secrets Manager generates the first secret; a rotation replaces or adds one (`shared/access/signing-keys.ts`). */
export class SigningKeys extends Secret {
  constructor(scope: Construct, id: string, { settings, signed }: { settings: Settings; signed: string }) {
    super(scope, id, {
      description: `Keys of ${signed}: {"kid","secret"}, or {"current":{…},"previous":{…}} after a rotation`,
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
      reason: 'Rotated by the operator, as functions keep the keys for five minutes (infra/cloud/README.md).',
    });
  }
}
