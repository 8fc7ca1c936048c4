import { keyUsage } from '../../shared/deps.ts';
import { now } from '../../shared/runtime/clock.ts';
import { usagePlanConfig } from '../../shared/runtime/config.ts';
import { reportMetrics } from '../../shared/runtime/metrics.ts';
import { watchQuotas } from '../../shared/usecases/access/watch-quotas.ts';

/** Runs every hour, since an alarm sees at most a day, and a quota is that of a month. */
export async function handler(): Promise<void> {
  const { REQUESTS_PER_MONTH: requestsPerMonth } = usagePlanConfig();
  const plan = { readKeyUsage: keyUsage(), requestsPerMonth };
  reportMetrics({ quotasHalfUsed: await watchQuotas(now(), plan) });
}
