import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import type { Disk } from './free-space.ts';
import type { HttpAnswer } from './gateway/answers.ts';
import type { ApiKey, ApiKeys } from './gateway/api-keys.ts';
import type { InvokeLocally } from './local-functions.ts';

/** The path of the control API beside the stage; no stage can have this name. */
export const CONTROL_PATH = '/_control/';

type ControlRequest = {
  readonly message: { readonly method?: string | undefined; readonly headers: IncomingHttpHeaders };
  readonly pathname: string;
  readonly query: string;
  readonly body: Buffer;
};
type ControlAnswer = { readonly statusCode: number; readonly body: object };

class ControlError extends Error {
  readonly statusCode: number;
  readonly errorType: string;
  constructor(statusCode: number, errorType: string, message: string) {
    super(message);
    this.statusCode = statusCode;
    this.errorType = errorType;
  }
}

type Controlled = {
  readonly disk: () => Disk;
  readonly keys: ApiKeys;
  readonly usagePlanId: string;
  readonly invokeFunction: InvokeLocally;
};
type Call = Controlled & { readonly id: string; readonly query: URLSearchParams; readonly body: string };
type Operation = {
  readonly method: string;
  readonly path: RegExp;
  run(call: Call): ControlAnswer;
};

// CreateApiKey, GetApiKeys, UpdateApiKey, DeleteApiKey, GetUsagePlan, GetUsagePlanKeys and CreateUsagePlanKey, as far as
// operators' commands need them; of Lambda: Invoke.
const OPERATIONS: readonly Operation[] = [
  { method: 'POST', path: /^\/apikeys$/, run: createApiKey },
  { method: 'GET', path: /^\/apikeys$/, run: listApiKeys },
  { method: 'PATCH', path: /^\/apikeys\/(?<id>[^/]+)$/, run: updateApiKey },
  { method: 'DELETE', path: /^\/apikeys\/(?<id>[^/]+)$/, run: deleteApiKey },
  { method: 'GET', path: /^\/usageplans\/(?<id>[^/]+)$/, run: getUsagePlan },
  { method: 'GET', path: /^\/usageplans\/(?<id>[^/]+)\/keys$/, run: listUsagePlanKeys },
  { method: 'POST', path: /^\/usageplans\/(?<id>[^/]+)\/keys$/, run: createUsagePlanKey },
  { method: 'POST', path: /^\/2015-03-31\/functions\/(?<id>[^/]+)\/invocations$/, run: invokeFunction },
];

/**
 * The operations of API Gateway's control API that operators need for keys, in the protocol of its SDK client, and the one of
 * Lambda by which a function starts another. While the disk is short, everything but reading is answered 503.
 */
export function createControl(controlled: Controlled) {
  return function control({ message, pathname, query, body }: ControlRequest): HttpAnswer {
    try {
      // A page in a browser can send a plain POST here, but an Authorization header only after a preflight.
      if (!message.headers.authorization?.startsWith('AWS4-HMAC-SHA256 ')) throw unsigned();
      const path = pathname.slice(CONTROL_PATH.length - 1);
      const { run, id } = findOperation(message.method ?? '', path);
      const { shortage } = controlled.disk();
      if (shortage !== null && message.method !== 'GET') throw new ControlError(503, 'ServiceUnavailable', shortage.en);
      return json(run({ ...controlled, id, query: new URLSearchParams(query), body: String(body) }));
    } catch (error) {
      if (!(error instanceof ControlError)) throw error;
      const { statusCode, errorType } = error;
      return json({ statusCode, body: { message: error.message } }, { 'x-amzn-ErrorType': errorType });
    }
  };
}

function findOperation(method: string, path: string): Pick<Operation, 'run'> & Pick<Call, 'id'> {
  for (const operation of OPERATIONS) {
    const found = method === operation.method ? operation.path.exec(path) : null;
    if (found) return { run: operation.run, id: found.groups?.id ?? '' };
  }
  throw notFound('Unable to find operation for path');
}

const json = ({ statusCode, body }: ControlAnswer, headers = {}): HttpAnswer => ({
  statusCode,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

const unsigned = () => new ControlError(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
const notFound = (message: string) => new ControlError(404, 'NotFoundException', message);
const badRequest = (message: string) => new ControlError(400, 'BadRequestException', message);

function parsed<Shape extends z.ZodType>(shape: Shape, body: string): z.infer<Shape> {
  try {
    return shape.parse(JSON.parse(body === '' ? '{}' : body));
  } catch {
    throw badRequest('Invalid request input');
  }
}

function knownKey({ keys, id }: Pick<Call, 'keys' | 'id'>): ApiKey {
  const key = keys.get(id);
  if (!key) throw notFound('Invalid API Key identifier specified');
  return key;
}

const seconds = (time: string) => Math.floor(Date.parse(time) / 1_000);

const described = (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  enabled: key.enabled,
  createdDate: seconds(key.createdAt),
  lastUpdatedDate: seconds(key.updatedAt),
  stageKeys: [],
});

const newKey = z.object({ name: z.string().default(''), enabled: z.boolean().default(false) });

function createApiKey({ keys, body }: Call): ControlAnswer {
  const key = keys.create(parsed(newKey, body));
  return { statusCode: 201, body: { ...described(key), value: key.value } };
}

const DEFAULT_LIMIT = 25;

function listApiKeys({ keys, query }: Call): ControlAnswer {
  return page(keys.list(), query, described);
}

function page(keys: readonly ApiKey[], query: URLSearchParams, describe: (key: ApiKey) => object): ControlAnswer {
  const from = Number(query.get('position') ?? 0);
  const end = from + Number(query.get('limit') ?? DEFAULT_LIMIT);
  const item = keys.slice(from, end).map(describe);
  return { statusCode: 200, body: { item, ...(end < keys.length && { position: String(end) }) } };
}

const enabling = z.object({ op: z.literal('replace'), path: z.literal('/enabled'), value: z.enum(['true', 'false']) });
const patch = z.object({ patchOperations: z.array(enabling) });

function updateApiKey(call: Call): ControlAnswer {
  const { id } = knownKey(call);
  for (const { value } of parsed(patch, call.body).patchOperations) call.keys.change(id, { enabled: value === 'true' });
  return { statusCode: 200, body: described(knownKey(call)) };
}

function deleteApiKey(call: Call): ControlAnswer {
  call.keys.remove(knownKey(call).id);
  return { statusCode: 202, body: {} };
}

const newPlanKey = z.object({ keyId: z.string(), keyType: z.literal('API_KEY') });

function expectUsagePlan({ usagePlanId, id }: Pick<Call, 'usagePlanId' | 'id'>): void {
  if (id !== usagePlanId) throw notFound('Invalid Usage Plan ID specified');
}

// The local server has one API with one stage.
function getUsagePlan(call: Call): ControlAnswer {
  expectUsagePlan(call);
  return { statusCode: 200, body: { id: call.id, name: call.id, apiStages: [{ apiId: 'local', stage: 'v2' }] } };
}

function listUsagePlanKeys(call: Call): ControlAnswer {
  expectUsagePlan(call);
  const inPlan = call.keys.list().filter(({ inUsagePlan }) => inUsagePlan);
  return page(inPlan, call.query, ({ id, name }) => ({ id, name, type: 'API_KEY' }));
}

function createUsagePlanKey({ keys, usagePlanId, id, body }: Call): ControlAnswer {
  expectUsagePlan({ usagePlanId, id });
  const { keyId, keyType } = parsed(newPlanKey, body);
  const key = knownKey({ keys, id: keyId });
  if (key.inUsagePlan) throw new ControlError(409, 'ConflictException', 'Usage Plan already has the key');
  keys.change(key.id, { inUsagePlan: true });
  return { statusCode: 201, body: { id: key.id, type: keyType, value: key.value, name: key.name } };
}

/** Only an asynchronous invocation exists here: the event is taken, and the function runs by itself. */
function invokeFunction({ id, body, invokeFunction: invoke }: Call): ControlAnswer {
  if (!invoke(id, parsed(z.unknown(), body))) throw notFound(`Function not found: ${id}`);
  return { statusCode: 202, body: {} };
}
