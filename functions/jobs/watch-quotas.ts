import { keyUsage } from '../../shared/deps.ts';
import { now } from '../../shared/runtime/clock.ts';
import { usagePlanConfig } from '../../shared/runtime/config.ts';
import { logInfo } from '../../shared/runtime/log.ts';
import { reportMetrics } from '../../shared/runtime/metrics.ts';

// A job that is late, or usage that API Gateway counts late, must not hide what happened just before midnight.
const LOOK_BACK_MS = 2 * 3_600_000;

/**
 * Counts the keys that used up half of their monthly quota today, or yesterday in the first hours of a day, and logs each.
 * Runs every hour, since an alarm sees at most a day, and a quota is that of a month.
 */
export async function handler(): Promise<void> {
  const { REQUESTS_PER_MONTH: quota } = usagePlanConfig();
  const days = await keyUsage()(new Date(now().getTime() - LOOK_BACK_MS), now());
  const crossed = days.filter(({ requests, left }) => left <= quota / 2 && left + requests > quota / 2);
  for (const { gatewayKeyId, left } of crossed) {
    logInfo('half of a quota used', { gatewayKeyId, usedPercent: Math.round((100 * (quota - left)) / quota) });
  }
  reportMetrics({ quotasHalfUsed: crossed.length });
}
