import { decodeJwt } from 'jose';
import { issueAccessToken } from '../../../shared/access/token.ts';
import { tokenKeys } from '../../../shared/deps.ts';
import { ROLES } from '../../../shared/domain/role.ts';
import { now } from '../../../shared/runtime/clock.ts';

// A proof may take longer than a token lives, which is 15 minutes.
const RENEW_AFTER_MS = 10 * 60_000;

/** The tokens that users were given, which are renewed as a client does, so that a caller may go on with the first one. */
export class RenewedTokens {
  readonly #given = new Map<string, { since: number; token: string }>();

  /** Takes a token that was just issued. Returns it. */
  add(token: string): string {
    this.#given.set(token, { since: performance.now(), token });
    return token;
  }

  /** Returns the token to send in place of one that was added, another one after ten minutes; others as they are. */
  async find(token: string): Promise<string> {
    const given = this.#given.get(token);
    if (!given) return token;
    if (performance.now() - given.since < RENEW_AFTER_MS) return given.token;
    const renewed = await renew(token);
    this.#given.set(token, { since: performance.now(), token: renewed });
    return renewed;
  }
}

/** Issues a token for the same user, without a call that a proof might count. */
async function renew(token: string): Promise<string> {
  const { sub, client, role } = decodeJwt(token);
  const knownRole = ROLES.find((one) => one === role);
  if (!knownRole) throw new Error('this is no access token');
  const subject = { client: Number(client), user: { id: Number(sub), role: knownRole } };
  return issueAccessToken(subject, { keys: await tokenKeys(), lifetimeSeconds: 900, now: now() });
}
