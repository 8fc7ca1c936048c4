import type { Contract, Method } from '../../../shared/api/contract.ts';
import type { RefusalCode } from '../../../shared/messages/refusals.ts';

/** One answer that is no success: its status, and the text of its `detail`. */
export type Refused = { readonly status: number; readonly detail: string };
/** `name` is that of its example: the gateway and the handlers share some codes. */
export type CodedRefusal = Refused & { readonly code: string; readonly name: string };

// What the gateway can say to whoever calls a route of the table; there is none of its authorizers before them.
const BY_GATEWAY = [
  'api_key_invalid',
  'body_too_large',
  'throttled',
  'quota_exceeded',
  'internal_error',
  'timeout',
] as const;

/** What the edge says: the handlers' refusals by their code, and what the gateway answers before or instead of them. */
export type Edge = {
  readonly refusals: Readonly<Record<RefusalCode, Refused>>;
  readonly gateway: Readonly<Record<(typeof BY_GATEWAY)[number], Refused>>;
};

/** What one operation can be refused for, by what its contract says of it. */
export const refusalsOf = (method: Method, contract: Contract, edge: Edge): CodedRefusal[] => [
  ...codesOf(method, contract).map((code) => ({ name: code, code, ...edge.refusals[code] })),
  ...gatewayCodes(contract).map((code) => ({ name: `gateway_${code}`, code, ...edge.gateway[code] })),
];

const SAFE_METHODS: readonly Method[] = ['GET'];

function codesOf(method: Method, contract: Contract): (keyof Edge['refusals'])[] {
  const { authentication, path, query, headers, body, refusals = [] } = contract;
  const codes: (keyof Edge['refusals'])[] = [...refusals, 'internal_error', 'unavailable'];
  if (query || headers || body) codes.push('invalid_input');
  if (body) codes.push('malformed_json', 'body_too_large', 'not_json');
  if (authentication !== 'key') codes.push('client_unknown');
  if (authentication === 'user') codes.push('not_authenticated', 'token_invalid', 'token_expired');
  if (authentication === 'user' && !SAFE_METHODS.includes(method)) codes.push('cross_site');
  if (path || isList(contract)) codes.push('not_found');
  if (headers?.shape['Idempotency-Key']) codes.push('idempotency_key_reused');
  return codes;
}

/** Whether an operation answers pages, of which one past the end does not exist. */
export const isList = ({ query }: Contract): boolean => query?.shape.page !== undefined;

const gatewayCodes = ({ body }: Contract) => BY_GATEWAY.filter((code) => body || code !== 'body_too_large');
