import { BoticaError } from './error.ts';
import type { Exchange, Transport } from './transport.ts';

export type Credentials = { readonly email: string; readonly password: string };

export type Session = {
  /** Fetches a token, or waits for a fetch that is under way. */
  renew(): Promise<Token>;
  /** Sends a call with a token, which is renewed before it expires, and once more if the service refuses it. */
  readonly send: Transport;
};

type Token = { readonly access: string; readonly renewAt: number };

// A token must not expire while a request is under way.
const RENEW_BEFORE_EXPIRY_MS = 60_000;
const RENEWABLE = ['token_expired', 'token_invalid'];

/**
 * Creates a session, which keeps the credentials of one user in memory and fetches tokens with them. It forgets credentials
 * that the service calls wrong: every later call rejects with that refusal, without being sent, until the next login.
 */
export function createSession(transport: Transport, credentials: Credentials): Session {
  let token: Token | undefined;
  let renewing: Promise<Token> | undefined;
  let known: Credentials | undefined = credentials;
  let refusal: { readonly error: BoticaError; readonly endsAt: number } | undefined;

  // The service locks an account after a few wrong passwords, so a client must not send the same one again by itself.
  function respectRefusal(error: unknown): void {
    if (!(error instanceof BoticaError)) return;
    if (error.code === 'wrong_credentials') {
      token = undefined;
      known = undefined;
      refusal = { error, endsAt: Number.POSITIVE_INFINITY };
    }
    if (error.code === 'too_many_attempts') {
      refusal = { error, endsAt: Date.now() + (error.retryAfterSeconds ?? 0) * 1_000 };
    }
  }

  async function authenticate(): Promise<Token> {
    if (!known || (refusal && Date.now() < refusal.endsAt)) throw refusal?.error;
    try {
      return await requestToken(transport, known);
    } catch (error) {
      respectRefusal(error);
      throw error;
    }
  }

  async function fetchToken(): Promise<Token> {
    try {
      token = await authenticate();
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
        if (!(error instanceof BoticaError) || !RENEWABLE.includes(error.code)) throw error;
        // Another call may have renewed the token already.
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

async function requestToken(transport: Transport, { email, password }: Credentials): Promise<Token> {
  // The life counts from before the request by the local clock, which may differ from the service's.
  const askedAt = Date.now();
  const body = { email, password };
  const answer = await transport({ method: 'POST', path: '/api/token/', body, kind: 'repeatable' });
  const { access } = answer as { access: string };
  const lifetimeMs = readLifetimeSeconds(access) * 1_000;
  return { access, renewAt: askedAt + lifetimeMs - Math.min(RENEW_BEFORE_EXPIRY_MS, lifetimeMs / 10) };
}

/** Returns the claim `access_lifetime` of a token without verifying the token. */
function readLifetimeSeconds(access: string): number {
  const payload = access.split('.')[1] ?? '';
  const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
  return Number(claims.access_lifetime);
}
