import * as z from 'zod';
import { parseTokenKeys } from '../../../shared/access/token-keys.ts';
import { setting } from '../command.ts';
import type { Check, Finding } from './check.ts';
import { askAws } from './signed-request.ts';

export const tokenKeyChecks = (): Check[] => [
  {
    name: 'token keys',
    needs: process.env.TOKEN_KEYS ? [] : ['TOKEN_SECRET_ID'],
    remedy:
      'Store {"current":{"kid","secret"},"previous":{"kid","secret"}} in the secret, each secret 32 random bytes or more in ' +
      'base64url; previous may be left out.',
    look: async () => generations(process.env.TOKEN_KEYS ?? (await storedKeys())),
  },
];

const secretAnswer = z.object({ SecretString: z.string() });

async function storedKeys(): Promise<string> {
  const answer = await askAws({
    host: 'secretsmanager',
    service: 'secretsmanager',
    endpointVariable: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
    path: '/',
    init: {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-amz-json-1.1', 'X-Amz-Target': 'secretsmanager.GetSecretValue' },
      body: JSON.stringify({ SecretId: setting('TOKEN_SECRET_ID') }),
    },
  });
  return secretAnswer.parse(answer).SecretString;
}

function generations(json: string): Finding {
  try {
    const { current, previous } = parseTokenKeys(json);
    return { ok: `current ${current.kid}, ${previous ? `previous ${previous.kid}` : 'no previous one'}` };
  } catch (error) {
    // What a JSON parser says quotes the secret.
    if (error instanceof SyntaxError) return { failed: 'They are not JSON.' };
    throw error;
  }
}
