import { parseSecretAnswer, secretRequest } from '../../../shared/runtime/aws.ts';
import { askAws } from '../target/signed-request.ts';

/** Returns the text of a secret in Secrets Manager. */
export const readSecret = async (secretId: string): Promise<string> =>
  parseSecretAnswer(
    await askAws({
      host: 'secretsmanager',
      service: 'secretsmanager',
      endpointVariable: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
      path: '/',
      init: secretRequest(secretId),
    }),
  );
