import { parseSigningKeys } from '../../../shared/access/token.ts';
import { setting } from '../command.ts';
import type { Check, Finding } from './check.ts';
import { readSecret } from './secrets.ts';

export const signingKeyChecks = (): Check[] => [
  checkOf('token keys', process.env.TOKEN_KEYS, 'TOKEN_SECRET_ID'),
  checkOf('seal keys', process.env.SEAL_KEYS, 'SEAL_SECRET_ID'),
];

/** Returns the check of the keys that are given, or that the secret holds which the variable names. */
const checkOf = (name: string, given: string | undefined, secretId: string): Check => ({
  name,
  needs: given ? [] : [secretId],
  remedy:
    'Store {"current":{"kid","secret"},"previous":{"kid","secret"}} in the secret, each secret 32 random bytes or more in ' +
    'base64url; previous may be left out.',
  look: async () => checkKeys(given ?? (await readSecret(setting(secretId)))),
});

function checkKeys(json: string): Finding {
  try {
    const { current, previous } = parseSigningKeys(json);
    return { ok: `current ${current.kid}, ${previous ? `previous ${previous.kid}` : 'no previous one'}` };
  } catch (error) {
    // The message of a JSON parser quotes the secret.
    if (error instanceof SyntaxError) return { failed: 'They are not JSON.' };
    throw error;
  }
}
