import { parseTokenKeys } from '../../../shared/access/token-keys.ts';
import { setting } from '../command.ts';
import type { Check, Finding } from './check.ts';
import { readSecret } from './secrets.ts';

export const tokenKeyChecks = (): Check[] => [
  {
    name: 'token keys',
    needs: process.env.TOKEN_KEYS ? [] : ['TOKEN_SECRET_ID'],
    remedy:
      'Store {"current":{"kid","secret"},"previous":{"kid","secret"}} in the secret, each secret 32 random bytes or more in ' +
      'base64url; previous may be left out.',
    look: async () => checkKeys(process.env.TOKEN_KEYS ?? (await readSecret(setting('TOKEN_SECRET_ID')))),
  },
];

function checkKeys(json: string): Finding {
  try {
    const { current, previous } = parseTokenKeys(json);
    return { ok: `current ${current.kid}, ${previous ? `previous ${previous.kid}` : 'no previous one'}` };
  } catch (error) {
    // The message of a JSON parser quotes the secret.
    if (error instanceof SyntaxError) return { failed: 'They are not JSON.' };
    throw error;
  }
}
