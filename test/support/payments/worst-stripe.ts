import type { ProviderCall } from '../../../shared/payments/provider.ts';
import { type StripeCall, type StripeFate, stripeError } from './stripe-server.ts';

type Random = () => number;

const FATES: readonly StripeFate[] = [
  'drop',
  'lose reply',
  'break off',
  'fail after',
  { status: 502, body: '<html>Bad Gateway</html>' },
  stripeError(429, { code: 'rate_limit' }),
  stripeError(409, { type: 'idempotency_error', code: 'idempotency_key_in_use' }),
  stripeError(500, { type: 'api_error' }),
];

/** Returns faults for this share of the calls, none of which takes longer than an ordinary answer. */
export const worstFates =
  (random: Random, share: number) =>
  (_: StripeCall): StripeFate | undefined =>
    random() < share ? FATES[Math.floor(random() * FATES.length)] : undefined;

/** Returns calls as they may arrive: some never, some twice, and in any order. */
export const misdeliver = (calls: readonly ProviderCall[], random: Random): ProviderCall[] =>
  calls
    .flatMap((call) => Array<ProviderCall>(Math.floor(random() * 3)).fill(call))
    .map((call) => ({ call, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ call }) => call);
