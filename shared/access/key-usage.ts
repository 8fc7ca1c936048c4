import * as z from 'zod';
import { configuredAccess, signedFetch } from '../runtime/aws/signed-fetch.ts';
import { awsConfig, usagePlanConfig } from '../runtime/config.ts';

/** One day of one API key: its requests, and how many were left of its month after them. */
type DayOfKey = { readonly gatewayKeyId: string; readonly requests: number; readonly left: number };

/** Returns the days (in UTC) of all API keys from the day of one time to that of another. */
export type ReadKeyUsage = (from: Date, to: Date) => Promise<readonly DayOfKey[]>;

const TIMEOUT_MS = 5_000;
// The most that GetUsage returns at once.
const PAGE_SIZE = '500';

// A pair for each day: the requests of the day, and what was left of the month after it (captured in floci-io/floci#3561).
const usagePage = z.object({
  values: z.record(z.string(), z.array(z.tuple([z.number(), z.number()]))).default({}),
  position: z.string().optional(),
});

/** Opens the usage plan of the configuration. Its quota begins anew with each month in UTC. */
export function openKeyUsage(): ReadKeyUsage {
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

  return async (from, to) => {
    const dates = { startDate: toDate(from), endDate: toDate(to) };
    const found: DayOfKey[] = [];
    let position: string | undefined;
    do {
      const page = await readPage({ ...dates, limit: PAGE_SIZE, ...(position && { position }) });
      for (const [gatewayKeyId, days] of Object.entries(page.values)) {
        found.push(...days.map(([requests, left]) => ({ gatewayKeyId, requests, left })));
      }
      position = page.position;
    } while (position);
    return found;
  };
}

const toDate = (time: Date): string => time.toISOString().slice(0, 10);
