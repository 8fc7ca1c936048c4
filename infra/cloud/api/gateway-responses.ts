import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { EXPOSED_HEADERS, HARDENING_HEADERS } from '../../../shared/http/headers.ts';
import { GATEWAY_HEADERS, type GatewayAnswer, gatewayAnswers } from '../../gateway-answers.ts';
import type { Settings } from '../settings.ts';

/** Gives the gateway's own answers the shape of our errors, readable by pages of other origins. */
export function addGatewayResponses(api: RestApi, settings: Settings): void {
  for (const [code, answer] of Object.entries<GatewayAnswer>(gatewayAnswers)) {
    for (const type of answer.responseTypes) {
      api.addGatewayResponse(`${code}-${type}`, {
        type: ResponseType.of(type),
        // This default response covers several cases, each of which keeps its own status.
        ...(type === 'DEFAULT_4XX' ? {} : { statusCode: String(answer.statusCode) }),
        responseHeaders: buildResponseHeaders(answer, settings),
        templates: { 'application/json': JSON.stringify({ detail: answer.detail, code }) },
      });
    }
  }
}

function buildResponseHeaders({ retryAfterSeconds }: GatewayAnswer, { corsOrigins }: Settings): Record<string, string> {
  return {
    'X-Request-Id': 'context.requestId',
    ...literals({
      ...GATEWAY_HEADERS,
      ...HARDENING_HEADERS,
      ...WITHOUT_QUOTES,
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    }),
    ...(corsOrigins.length > 0 && CORS),
  };
}

// How to escape a quote inside such a literal is not documented, and a mistake would fail the whole deployment. For an
// answer that is no page, this policy is as strict.
const WITHOUT_QUOTES = { 'Content-Security-Policy': 'sandbox' };

// A header of a gateway response is an expression; a literal stands between quotes.
const literals = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));

// Gateway responses have no conditions, so every origin may read them: without credentials, and without personal data.
const CORS = {
  'Access-Control-Allow-Origin': 'method.request.header.Origin',
  ...literals({ 'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(','), Vary: 'Origin' }),
};
