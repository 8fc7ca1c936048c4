import { text } from 'node:stream/consumers';
import { APIGatewayClient, GetUsagePlanCommand, GetUsagePlanKeysCommand } from '@aws-sdk/client-api-gateway';
import * as z from 'zod';
import { once } from '../../../shared/runtime/async.ts';
import { tryParseJson } from '../aws.ts';
import type { CommandIo } from '../context.ts';
import { CommandRefusal, setting } from '../errors.ts';
import { ask } from '../prompt.ts';
import { type Check, CLIENT_LIMITS, type Finding } from './check.ts';

/** The API key and the user with which requests are tried, as far as they were given. */
export type Access = {
  readonly key?: string | undefined;
  readonly email?: string | undefined;
  readonly password?: string | undefined;
};

type Asked = { readonly key: boolean; readonly email?: string | undefined };

/**
 * Returns the API key and the user of the keyed checks, from the environment, or as they are typed or piped. As arguments
 * they would stand in the list of processes and in the shell's history.
 */
export async function readAccess({ key: isKeyAsked, email }: Asked, io: CommandIo): Promise<Access> {
  const { DOCTOR_API_KEY: key, DOCTOR_PASSWORD: password } = process.env;
  const questions = [
    ...(isKeyAsked && !key ? ['API key'] : []),
    ...(email !== undefined && !password ? [`Password of ${email}`] : []),
  ];
  const answers = questions.length > 0 ? await readLines(questions, io) : [];
  const typedKey = isKeyAsked && !key ? answers.shift() : undefined;
  return { key: key || typedKey, email, password: password || answers.shift() };
}

async function readLines(questions: readonly string[], io: CommandIo): Promise<string[]> {
  const prompts = questions.map((question) => `${question}: `);
  // Only stdin decides: a terminal would show what is typed, wherever stderr goes.
  if (io.stdin.isTTY) return ask(prompts, io, 'hidden');
  const lines = (await text(io.stdin)).split(/\r?\n/).slice(0, questions.length);
  if (lines.length < questions.length || lines.includes(''))
    throw new CommandRefusal(`A line is missing on stdin: ${questions.join(', ')}.`);
  return lines;
}

const LIMIT_MS = 60_000;

const NO_KEY: Finding = { skipped: '--key asks for an API key, or set DOCTOR_API_KEY.' };
const NO_USER: Finding = { skipped: '--email asks for a password, or set DOCTOR_PASSWORD; it needs a key.' };

const page = z.object({ results: z.array(z.object({ id: z.number() })) });

/** The checks that the API answers, and that a client is served: a page of products, a quote and a login. */
export function apiChecks({ key, email, password }: Access): Check[] {
  const headers = { 'X-API-Key': key ?? '' };
  const read = once(() => callApi('api/products/?has_shortage=false&is_active=true', { headers }));
  const post = (path: string, body: object) =>
    callApi(path, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const call = { needs: ['API_URL'], limitMs: LIMIT_MS };
  return [
    {
      name: 'usage plan',
      needs: ['USAGE_PLAN_ID'],
      remedy:
        'Without a stage, deploy the stack again; without a key, register a client, which prints it: clients create.',
      look: checkUsagePlan,
    },
    {
      ...call,
      name: 'API',
      remedy: 'Deploy the stack again; with a domain of your own, check its DNS record and certificate.',
      look: async () => checkRefusal(await callApi('api/products/')),
    },
    {
      ...call,
      name: 'keyed read',
      remedy:
        'Take the key of an enabled client: a new one works after two minutes. For 5xx, read the log of the function.',
      look: async () => (key ? expectStatus(await read(), 200) : NO_KEY),
    },
    {
      ...call,
      name: 'quote',
      remedy: 'The log of orders-calculate says why.',
      look: async () => {
        if (!key) return NO_KEY;
        const product = page.safeParse((await read()).body).data?.results[0]?.id;
        if (product === undefined) return { skipped: 'No product is listed.' };
        return expectStatus(await post('api/orders/calculate/', { details: [{ product, quantity: 1 }] }), 201);
      },
    },
    {
      ...call,
      name: 'login',
      remedy: "A user has the key's client: users create, users password. For 5xx, read the log of token-issue.",
      look: async () =>
        key && email && password ? expectStatus(await post('api/token/', { email, password }), 200) : NO_USER,
    },
  ];
}

async function checkUsagePlan(): Promise<Finding> {
  const gateway = new APIGatewayClient(CLIENT_LIMITS);
  const usagePlanId = setting('USAGE_PLAN_ID');
  const { apiStages = [] } = await gateway.send(new GetUsagePlanCommand({ usagePlanId }));
  if (apiStages.length === 0) return { failed: 'It has no stage, so that no key works.' };
  const { items = [] } = await gateway.send(new GetUsagePlanKeysCommand({ usagePlanId, limit: 1 }));
  if (items.length === 0) return { warning: 'No key is in the plan, so that nobody is served.' };
  return { ok: apiStages.map(({ apiId, stage }) => `${apiId}/${stage}`).join(', ') };
}

function checkRefusal({ url, status, code }: ApiAnswer): Finding {
  // A domain without a base path, and other services, refuse with 403 too, in a shape of their own.
  if (status === 403 && code === 'api_key_invalid') return { ok: `${url} asks for a key` };
  return { failed: `${url} answers ${`${status} ${code}`.trim()} without a key.` };
}

const expectStatus = ({ status, code }: ApiAnswer, expected: number): Finding =>
  status === expected ? { ok: `answered ${status}` } : { failed: `It is answered ${status} ${code}.` };

// The gateway itself waits no longer for a function.
const TIMEOUT_MS = 29_000;

type ApiAnswer = Awaited<ReturnType<typeof callApi>>;
const refusal = z.object({ code: z.string() });

/** Calls the deployed API, or the local one. Throws an Error that names the host and the reason if it does not answer. */
async function callApi(path: string, init: RequestInit = {}) {
  const url = new URL(path, setting('API_URL').replace(/\/?$/, '/'));
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const body = tryParseJson(await answer.text());
    // The code of an answer in the shape of our errors; empty for any other.
    return { url: url.href, status: answer.status, body, code: refusal.safeParse(body).data?.code ?? '' };
  } catch (error) {
    throw new Error(`${url.host} cannot be reached (${reasonOf(error)}).`, { cause: error });
  }
}

// `fetch` says only that it failed; its cause has the code of the system, such as ENOTFOUND or CERT_HAS_EXPIRED.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error.name === 'TimeoutError' ? 'no answer in time' : error.message;
}
