import type { ReadKeyUsage } from '../../runtime/job-clients.ts';
import { logInfo } from '../../runtime/log.ts';

type Plan = { readonly readKeyUsage: ReadKeyUsage; readonly requestsPerMonth: number };

// A job that is late, or usage that API Gateway counts late, must not hide what happened just before midnight.
const LOOK_BACK_MS = 2 * 3_600_000;

/** Counts the keys that used up half of their monthly quota today, or yesterday in the first hours of a day, and logs each. */
export async function watchQuotas(now: Date, { readKeyUsage, requestsPerMonth }: Plan): Promise<number> {
  const half = requestsPerMonth / 2;
  const days = await readKeyUsage(new Date(now.getTime() - LOOK_BACK_MS), now);
  const crossed = days.filter(({ requests, left }) => left <= half && left + requests > half);
  for (const { gatewayKeyId, left } of crossed) {
    const usedPercent = Math.round((100 * (requestsPerMonth - left)) / requestsPerMonth);
    logInfo('half of a quota used', { gatewayKeyId, usedPercent });
  }
  return crossed.length;
}
