import * as z from 'zod';
import { awsConfig, usagePlanConfig } from '../runtime/config.ts';
import { configuredAccess, signedFetch } from '../runtime/signed-fetch.ts';

/** Returns how many requests each API key may still send in the month of a time, by the gateway's id of the key. */
export type RemainingRequests = (at: Date) => Promise<ReadonlyMap<string, number>>;

const TIMEOUT_MS = 5_000;
// The most that GetUsage returns at once.
const PAGE_SIZE = '500';

// A pair for each day: the requests of the day, and what was left of the month after it (captured in floci-io/floci#3561).
const usagePage = z.object({
  values: z.record(z.string(), z.array(z.tuple([z.number(), z.number()]))).default({}),
  position: z.string().optional(),
});

/** Opens the usage plan of the configuration. Its quota begins anew with each month in UTC. */
export function openKeyUsage(): RemainingRequests {
  const access = configuredAccess();
  const { AWS_ENDPOINT_URL_API_GATEWAY: endpoint } = awsConfig();
  const { USAGE_PLAN_ID } = usagePlanConfig();
  const send = signedFetch('apigateway', access);
  const url = `${endpoint ?? `https://apigateway.${access.region}.amazonaws.com`}/usageplans/${USAGE_PLAN_ID}/usage`;

  const readPage = async (query: Record<string, string>) => {
    const answer = await send(`${url}?${new URLSearchParams(query)}`, TIMEOUT_MS);
    if (!answer.ok) throw new Error(`API Gateway answered ${answer.status}`);
    return usagePage.parse(await answer.json());
  };

  return async (at) => {
    const endDate = at.toISOString().slice(0, 10);
    const startDate = `${endDate.slice(0, 7)}-01`;
    const remaining = new Map<string, number>();
    let position: string | undefined;
    do {
      const page = await readPage({ startDate, endDate, limit: PAGE_SIZE, ...(position && { position }) });
      for (const [key, days] of Object.entries(page.values)) {
        const [, left] = days.at(-1) ?? [];
        if (left !== undefined) remaining.set(key, left);
      }
      position = page.position;
    } while (position);
    return remaining;
  };
}
