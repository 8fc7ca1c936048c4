import { BoticaError } from './error.ts';
import type { Exchange, Transport } from './transport.ts';

export type Credentials = { readonly email: string; readonly password: string };

export type Session = {
  /** Fetches a token, or waits for the one that is being fetched. */
  renew(): Promise<Token>;
  /** Sends a call with the token: renewed before it ends, and once more if it is refused all the same. */
  readonly send: Transport;
};

type Token = { readonly access: string; readonly renewAt: number };

// Early enough that a token does not end under way.
const RENEW_BEFORE_END_MS = 60_000;
const WORN_OUT = ['token_expired', 'token_invalid'];

/** One user's tokens, made from credentials that are kept in memory for as long as the session is used. */
export function createSession(transport: Transport, credentials: Credentials): Session {
  let token: Token | undefined;
  let renewing: Promise<Token> | undefined;

  async function fetchToken(): Promise<Token> {
    try {
      token = await issue(transport, credentials);
      return token;
    } finally {
      renewing = undefined;
    }
  }

  function renew(): Promise<Token> {
    renewing ??= fetchToken();
    return renewing;
  }

  return {
    renew,
    async send(exchange) {
      const used = token && Date.now() < token.renewAt ? token : await renew();
      try {
        return await transport(withToken(exchange, used));
      } catch (error) {
        if (!(error instanceof BoticaError) || !WORN_OUT.includes(error.code)) throw error;
        // Another call may have found the same and renewed it.
        const renewed = token && token !== used ? token : await renew();
        return transport(withToken(exchange, renewed));
      }
    },
  };
}

const withToken = (exchange: Exchange, { access }: Token): Exchange => ({
  ...exchange,
  headers: { ...exchange.headers, Authorization: `Bearer ${access}` },
});

async function issue(transport: Transport, { email, password }: Credentials): Promise<Token> {
  // From before the request and by one clock, our own: it need not agree with the service's.
  const askedAt = Date.now();
  const body = { email, password };
  const answer = await transport({ method: 'POST', path: '/api/token/', body, kind: 'repeatable' });
  const { access } = answer as { access: string };
  const lifetimeMs = lifetimeSecondsOf(access) * 1_000;
  return { access, renewAt: askedAt + lifetimeMs - Math.min(RENEW_BEFORE_END_MS, lifetimeMs / 10) };
}

/** The claim `access_lifetime` of a token, read without a check: that is the service's business. */
function lifetimeSecondsOf(access: string): number {
  const payload = access.split('.')[1] ?? '';
  const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
  return Number(claims.access_lifetime);
}
