import { APIGatewayClient, GetUsagePlanCommand } from '@aws-sdk/client-api-gateway';
import { once } from '../../../shared/runtime/once.ts';
import { setting } from '../command.ts';
import { type Check, CLIENT_LIMITS } from './check.ts';

const TIMEOUT_MS = 5_000;
// AWS refuses signatures that are 5 minutes off; a token is accepted for 5 seconds after it expires.
const MOST_SKEW_MS = 60_000;

export function gatewayChecks(): Check[] {
  const refusal = once(askWithoutKey);
  return [
    {
      name: 'usage plan',
      needs: ['USAGE_PLAN_ID'],
      remedy: 'Deploy the stack again: a key works only in a usage plan with the stage of the API.',
      look: async () => {
        const usagePlanId = setting('USAGE_PLAN_ID');
        const plan = await new APIGatewayClient(CLIENT_LIMITS).send(new GetUsagePlanCommand({ usagePlanId }));
        const stages = (plan.apiStages ?? []).map(({ apiId, stage }) => `${apiId}/${stage}`);
        return stages.length > 0 ? { ok: stages.join(', ') } : { failed: 'It has no stage.' };
      },
    },
    {
      name: 'API',
      needs: ['API_URL'],
      remedy: 'Deploy the stack again; with a domain of your own, check its DNS record and certificate.',
      look: async () => {
        const { status, url } = await refusal();
        return status === 403 ? { ok: `${url} asks for a key` } : { failed: `${url} answers ${status} without a key.` };
      },
    },
    {
      name: 'clock',
      needs: ['API_URL'],
      remedy: 'Set the clock of this machine: requests with a wrong time are refused.',
      look: async () => {
        const { skewMs } = await refusal();
        const seconds = Math.round(skewMs / 1_000);
        const isRight = Math.abs(skewMs) <= MOST_SKEW_MS;
        return isRight ? { ok: `off by ${seconds} s` } : { failed: `It is off by ${seconds} s.` };
      },
    },
  ];
}

/** Calls the API without a key. The gateway itself refuses such a call, with its own time in the `Date` header. */
async function askWithoutKey(): Promise<{ url: string; status: number; skewMs: number }> {
  const url = new URL('api/products/', setting('API_URL').replace(/\/?$/, '/')).href;
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  await answer.body?.cancel();
  return { url, status: answer.status, skewMs: Date.now() - Date.parse(answer.headers.get('date') ?? '') };
}
