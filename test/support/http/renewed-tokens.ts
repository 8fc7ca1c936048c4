import { decodeJwt } from 'jose';
import { issueAccessToken } from '../../../shared/access/token.ts';
import { tokenKeys } from '../../../shared/deps.ts';
import { ROLES } from '../../../shared/domain/role.ts';
import { now } from '../../../shared/runtime/clock.ts';

// A token expires after 15 minutes, and a proof may take longer.
const RENEW_AFTER_MS = 10 * 60_000;

/** Renews access tokens before they expire, so that a caller can keep using the first token of a user. */
export class RenewedTokens {
  readonly #given = new Map<string, { since: number; token: string }>();

  /** Adds a new token and returns it. */
  add(token: string): string {
    this.#given.set(token, { since: performance.now(), token });
    return token;
  }

  /** Returns the current token in place of an added one, renewed after ten minutes. Returns other tokens unchanged. */
  async find(token: string): Promise<string> {
    const given = this.#given.get(token);
    if (!given) return token;
    if (performance.now() - given.since < RENEW_AFTER_MS) return given.token;
    const renewed = await renew(token);
    this.#given.set(token, { since: performance.now(), token: renewed });
    return renewed;
  }
}

/** Issues a token for the same user without a request, which a proof might count. */
async function renew(token: string): Promise<string> {
  const { sub, client, role, credentials } = decodeJwt(token);
  const knownRole = ROLES.find((one) => one === role);
  if (!knownRole) throw new Error('this is no access token');
  const subject = {
    client: Number(client),
    user: { id: Number(sub), role: knownRole, credentialsVersion: Number(credentials) },
  };
  return issueAccessToken(subject, { keys: await tokenKeys(), lifetimeSeconds: 900, now: now() });
}
