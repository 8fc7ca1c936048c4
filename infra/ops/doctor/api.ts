import { APIGatewayClient, GetUsagePlanKeysCommand } from '@aws-sdk/client-api-gateway';
import * as z from 'zod';
import { listClients } from '../../../shared/access/clients.ts';
import { once } from '../../../shared/runtime/async.ts';
import { lastId } from '../../../shared/store/ids.ts';
import { openTable } from '../../../shared/store/table.ts';
import { withPublishedCatalog } from '../catalog/published-catalog.ts';
import type { CommandIo } from '../context.ts';
import { CommandRefusal } from '../errors.ts';
import { countText, tryParseJson } from '../output.ts';
import { ask } from '../prompt.ts';
import { apiUrl, type Check, type Finding } from './check.ts';

export type Access = Partial<Awaited<ReturnType<typeof readAccess>>>;

/** Returns the key and the user from the environment, a terminal or a pipe; arguments stand in the list of processes. */
export async function readAccess(asked: { key: boolean; email?: string | undefined }, io: CommandIo) {
  const { email } = asked;
  const { DOCTOR_API_KEY: key, DOCTOR_PASSWORD: password } = process.env;
  const isAsked = { key: asked.key && !key, password: email !== undefined && !password };
  const questions = [...(isAsked.key ? ['API key: '] : []), ...(isAsked.password ? [`Password of ${email}: `] : [])];
  const answers = questions.length > 0 ? await ask(questions, io, 'hidden') : [];
  if (answers.includes('')) throw new CommandRefusal('Nothing was typed.');
  return { key: isAsked.key ? answers.shift() : key, email, password: isAsked.password ? answers.shift() : password };
}

const NO_KEY: Finding = ['skipped', '--key asks for an API key, or set DOCTOR_API_KEY.'];
const NO_USER: Finding = ['skipped', '--email asks for a password, or set DOCTOR_PASSWORD; it needs a key.'];

const page = z.object({ results: z.array(z.object({ id: z.number() })) });

export const clientChecks = (): Check[] => [
  {
    name: 'clients',
    step: 'Register a client that may pay in some way',
    needs: ['CATALOG_BUCKET', 'TABLE_NAME'],
    remedy: 'Register one: clients create. For its ways to pay: clients update <client> --payment-methods <id,id>.',
    look: checkClients,
  },
  {
    name: 'usage plan',
    step: 'Give it a key',
    needs: ['USAGE_PLAN_ID'],
    remedy: 'Give a client a key: clients create, or clients rotate-key <client>.',
    isOfStage: true,
    look: checkUsagePlan,
  },
  {
    name: 'users',
    step: 'Register its users',
    needs: ['TABLE_NAME'],
    remedy: 'Register those who order: users create.',
    look: async () =>
      (await lastId(openTable(), 'record')) > 0 ? ['ok', 'registered'] : ['warning', 'Nobody can log in.'],
  },
];

async function checkClients(): Promise<Finding> {
  const clients = (await listClients(openTable())).filter(({ disabledAt }) => disabledAt === null);
  const ids = clients.flatMap(({ paymentMethods }) => paymentMethods);
  const isPublished = await withPublishedCatalog((catalog) => ids.some((id) => catalog.paymentMethod(id)));
  if (isPublished) return ['ok', countText(clients.length, 'client')];
  return ['warning', `${countText(clients.length, 'client')}, and none with a payment method of the catalog.`];
}

export function apiChecks({ key, email, password }: Access): Check[] {
  const read = once(() => callApi('api/products/?has_shortage=false&is_active=true', { key }));
  return [
    {
      name: 'API',
      needs: ['API_URL'],
      remedy: 'Deploy the stack again; with a domain of your own, check its DNS record and certificate.',
      look: async () => checkRefusal(await callApi('api/products/')),
    },
    {
      name: 'keyed read',
      needs: ['API_URL'],
      remedy:
        'Take the key of an enabled client: a new one works after two minutes. For 5xx, read the log of the function.',
      look: async () => (key ? expectStatus(await read(), 200) : NO_KEY),
    },
    {
      name: 'quote',
      needs: ['API_URL'],
      remedy: 'The log of orders-calculate says why.',
      look: async () => {
        if (!key) return NO_KEY;
        const product = page.safeParse((await read()).body).data?.results[0]?.id;
        if (product === undefined) return ['skipped', 'No product is listed.'];
        return expectStatus(
          await callApi('api/orders/calculate/', { key, body: { details: [{ product, quantity: 1 }] } }),
          201,
        );
      },
    },
    {
      name: 'login',
      needs: ['API_URL'],
      remedy: "A user has the key's client: users create, users update. For 5xx, read the log of token-issue.",
      look: async () =>
        key && email && password
          ? expectStatus(await callApi('api/token/', { key, body: { email, password } }), 200)
          : NO_USER,
    },
  ];
}

async function checkUsagePlan(usagePlanId: string): Promise<Finding> {
  const { items = [] } = await new APIGatewayClient({}).send(new GetUsagePlanKeysCommand({ usagePlanId, limit: 1 }));
  return items.length > 0 ? ['ok', 'has a key'] : ['warning', 'No key is in the plan, so that nobody is served.'];
}

function checkRefusal({ url, status, code }: ApiAnswer): Finding {
  // A domain without a base path, and other services, refuse with 403 too, in a shape of their own.
  if (status === 403 && code === 'api_key_invalid') return ['ok', `${url} asks for a key`];
  return ['failed', `${url} answers ${`${status} ${code}`.trim()} without a key.`];
}

const expectStatus = ({ status, code }: ApiAnswer, expected: number): Finding =>
  status === expected ? ['ok', `answered ${status}`] : ['failed', `It is answered ${status} ${code}.`];

// The gateway itself waits no longer for a function.
const TIMEOUT_MS = 29_000;

type ApiAnswer = Awaited<ReturnType<typeof callApi>>;
const refusal = z.object({ code: z.string() });

async function callApi(
  path: string,
  { key, body }: { readonly key?: string | undefined; readonly body?: object } = {},
) {
  const url = apiUrl(path);
  const answer = await fetch(url, {
    headers: { ...(key && { 'X-API-Key': key }), 'Content-Type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const found = tryParseJson(await answer.text());
  // The code of an answer in the shape of our errors; empty for any other.
  return { url, status: answer.status, body: found, code: refusal.safeParse(found).data?.code ?? '' };
}
