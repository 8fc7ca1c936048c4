import { APIGatewayClient, GetUsagePlanCommand, GetUsagePlanKeysCommand } from '@aws-sdk/client-api-gateway';
import { once } from '../../../../shared/runtime/async.ts';
import { setting } from '../../command.ts';
import { type Check, CLIENT_LIMITS, type Finding } from '../check.ts';
import { type ApiAnswer, callApi, codeOf } from './call-api.ts';

// AWS refuses signatures that are 5 minutes off; a token is accepted for 5 seconds after it expires.
const MOST_SKEW_MS = 60_000;
const KEY_HEADER = 'x-api-key';

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
      name: 'clients',
      needs: ['USAGE_PLAN_ID'],
      notLocally: 'The local server has a client of its own.',
      remedy: 'Register one, which prints its key: clients create.',
      look: async () => {
        const plan = { usagePlanId: setting('USAGE_PLAN_ID'), limit: 1 };
        const { items = [] } = await new APIGatewayClient(CLIENT_LIMITS).send(new GetUsagePlanKeysCommand(plan));
        return items.length > 0
          ? { ok: 'the plan has keys' }
          : { warning: 'No key is in the plan, so that nobody is served.' };
      },
    },
    {
      name: 'API',
      needs: ['API_URL'],
      remedy: 'Deploy the stack again; with a domain of your own, check its DNS record and certificate.',
      look: async () => {
        const { status, url, code } = await refusal();
        // A domain without a base path, and other services, refuse with 403 too, in a shape of their own.
        const isOurs = status === 403 && code === 'api_key_invalid';
        if (isOurs) return { ok: `${url} asks for a key` };
        return { failed: `${url} answers ${`${status} ${code}`.trim()} without a key.` };
      },
    },
    {
      name: 'unknown paths',
      needs: ['API_URL'],
      remedy: 'Deploy the stack again: its catch-all answers them (infra/cloud/api/catch-all.ts).',
      look: async () => {
        const { status, code } = await askForNoRoute();
        const isOurs = status === 404 && code === 'not_found';
        if (isOurs) return { ok: 'are not found' };
        return { failed: `An unknown path is answered ${status} ${code || 'in another shape'}.` };
      },
    },
    {
      name: 'pages',
      needs: ['API_URL'],
      remedy: 'Deploy the stack again: `corsOrigins` names the pages that may call the API.',
      look: async () => checkPreflights((process.env.CORS_ORIGINS ?? '').split(',').filter((origin) => origin !== '')),
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

async function checkPreflights(origins: readonly string[]): Promise<Finding> {
  if (origins.length === 0) return { skipped: 'No page of another origin may call the API (`corsOrigins`).' };
  const asked = await Promise.all(origins.map(async (origin) => ({ origin, answer: await askAsPage(origin) })));
  const refused = asked.filter(({ origin, answer }) => !isAllowed(origin, answer)).map(({ origin }) => origin);
  if (refused.length > 0) return { failed: `Browsers may not call it from ${refused.join(', ')}.` };
  return { ok: origins.join(', ') };
}

/** Asks as a browser does before a page of another origin may send its key. */
const askAsPage = (origin: string): Promise<ApiAnswer> =>
  callApi('api/products/', {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': KEY_HEADER,
    },
  });

const isAllowed = (origin: string, { status, headers }: ApiAnswer): boolean =>
  status < 300 &&
  headers.get('access-control-allow-origin') === origin &&
  (headers.get('access-control-allow-headers') ?? '').toLowerCase().includes(KEY_HEADER);

/** Calls a path that is no route as API Gateway likes it least: with a token, and a body of no known type. */
async function askForNoRoute(): Promise<{ status: number; code: string }> {
  const headers = { Authorization: 'Bearer none', 'Content-Type': 'text/plain' };
  const answer = await callApi('api/nothing/', { method: 'POST', headers, body: 'x' });
  return { status: answer.status, code: codeOf(answer) };
}

/** Calls the API without a key. The gateway itself refuses such a call, with its own time in the `Date` header. */
async function askWithoutKey(): Promise<{ url: string; status: number; code: string; skewMs: number }> {
  const answer = await callApi('api/products/');
  const { url, status, headers } = answer;
  return { url, status, code: codeOf(answer), skewMs: Date.now() - Date.parse(headers.get('date') ?? '') };
}
