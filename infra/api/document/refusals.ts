import type { Contract, Method } from '../../../shared/api/contract.ts';
import { REFUSALS, type RefusalCode } from '../../../shared/messages/refusals.ts';
import { gatewayAnswers } from '../../gateway-answers.ts';
import { requireMeta } from './components.ts';

/** A refusal with the name of its example; the gateway and the handlers share some codes. */
export type CodedRefusal = {
  readonly name: string;
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  /** The schema of its body, by name. */
  readonly schema: string;
};

/** The schema of a refusal that says no more than its reason. */
export const ERROR = 'Error';

// The answers of the gateway itself to a call of a known route, which has no authorizer.
const BY_GATEWAY = ['api_key_invalid', 'throttled', 'quota_exceeded', 'unavailable', 'timeout'] as const;

/** Lists the refusals of an operation: first the handler's, then the gateway's. */
export const listRefusals = (method: Method, contract: Contract): CodedRefusal[] => [
  ...listCodes(method, contract).map((code) => {
    const { status, es: detail } = REFUSALS[code];
    const own = contract.refusalBodies?.[code];
    return { name: code, code, status, detail, schema: own ? requireMeta(own).id : ERROR };
  }),
  ...BY_GATEWAY.map((code) => {
    const { statusCode: status, detail } = gatewayAnswers[code];
    return { name: `gateway_${code}`, code, status, detail, schema: ERROR };
  }),
];

const SAFE_METHODS: readonly Method[] = ['GET'];

function listCodes(method: Method, contract: Contract): RefusalCode[] {
  const { authentication, path, headers, body, refusals = [] } = contract;
  // Strict handling refuses unknown parameters where a contract has none at all.
  const codes: RefusalCode[] = [...refusals, 'internal_error', 'unavailable', 'invalid_input'];
  if (body) codes.push('malformed_json', 'body_too_large', 'not_json');
  if (authentication !== 'key') codes.push('client_unknown');
  if (authentication === 'user') codes.push('not_authenticated', 'token_invalid', 'token_expired');
  if (authentication === 'user' && !SAFE_METHODS.includes(method)) codes.push('cross_site');
  if (path || isList(contract)) codes.push('not_found');
  if (headers?.shape['Idempotency-Key']) codes.push('idempotency_key_reused');
  return codes;
}

/** True for a list; a page past its end is not found. */
const isList = ({ query }: Contract): boolean => query?.shape.page !== undefined;
