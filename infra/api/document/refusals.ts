import type { Contract, Method } from '../../../shared/api/contract.ts';
import { REFUSALS, type RefusalCode } from '../../../shared/messages/refusals.ts';
import { gatewayAnswers } from '../../gateway-answers.ts';

/** `name` is that of its example: the gateway and the handlers share some codes. */
export type CodedRefusal = {
  readonly name: string;
  readonly code: string;
  readonly status: number;
  readonly detail: string;
};

// The gateway's answers to a call of a route of the table; no authorizer of the gateway stands before them.
const BY_GATEWAY = [
  'api_key_invalid',
  'body_too_large',
  'throttled',
  'quota_exceeded',
  'internal_error',
  'timeout',
] as const;

/** The refusals of one operation, by its contract: those of the handler, then those of the gateway. */
export const refusalsOf = (method: Method, contract: Contract): CodedRefusal[] => [
  ...codesOf(method, contract).map((code) => {
    const { status, es: detail } = REFUSALS[code];
    return { name: code, code, status, detail };
  }),
  ...gatewayCodes(contract).map((code) => {
    const { statusCode: status, detail } = gatewayAnswers[code];
    return { name: `gateway_${code}`, code, status, detail };
  }),
];

const SAFE_METHODS: readonly Method[] = ['GET'];

function codesOf(method: Method, contract: Contract): RefusalCode[] {
  const { authentication, path, query, headers, body, refusals = [] } = contract;
  const codes: RefusalCode[] = [...refusals, 'internal_error', 'unavailable'];
  if (query || headers || body) codes.push('invalid_input');
  if (body) codes.push('malformed_json', 'body_too_large', 'not_json');
  if (authentication !== 'key') codes.push('client_unknown');
  if (authentication === 'user') codes.push('not_authenticated', 'token_invalid', 'token_expired');
  if (authentication === 'user' && !SAFE_METHODS.includes(method)) codes.push('cross_site');
  if (path || isList(contract)) codes.push('not_found');
  if (headers?.shape['Idempotency-Key']) codes.push('idempotency_key_reused');
  return codes;
}

/** True for operations that answer pages, of which one past the end does not exist. */
const isList = ({ query }: Contract): boolean => query?.shape.page !== undefined;

const gatewayCodes = ({ body }: Contract) => BY_GATEWAY.filter((code) => body || code !== 'body_too_large');
