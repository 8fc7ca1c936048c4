import type { RemainingRequests } from '../../access/key-usage.ts';
import { logInfo } from '../../runtime/log.ts';

/** The share of a key's monthly quota above which its operator is told. */
export const NOTED_PERCENT = 50;

type Plan = { readonly remainingRequests: RemainingRequests; readonly requestsPerMonth: number };

/** Returns the largest share of its monthly quota that a key has used, in percent, and logs each key above the half. */
export async function watchQuotas(now: Date, { remainingRequests, requestsPerMonth }: Plan): Promise<number> {
  const shares = [...(await remainingRequests(now))].map(([gatewayKeyId, left]) => ({
    gatewayKeyId,
    usedPercent: Math.round((100 * (requestsPerMonth - left)) / requestsPerMonth),
  }));
  for (const share of shares) if (share.usedPercent > NOTED_PERCENT) logInfo('quota of a key', share);
  return Math.max(0, ...shares.map(({ usedPercent }) => usedPercent));
}
