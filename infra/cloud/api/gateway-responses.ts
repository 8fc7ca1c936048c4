import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { EXPOSED_HEADERS, HARDENING_HEADERS } from '../../../shared/http/headers.ts';
import { type GatewayAnswer, gatewayAnswers } from '../../gateway-answers.ts';
import type { Settings } from '../settings.ts';

/** What the gateway answers by itself gets our shape, in Spanish, and can be read by pages of other origins. */
export function addGatewayResponses(api: RestApi, settings: Settings): void {
  for (const [code, answer] of Object.entries<GatewayAnswer>(gatewayAnswers)) {
    api.addGatewayResponse(code, {
      type: ResponseType.of(answer.responseType),
      // A default covers every case of its family, each of which must keep a status of its own.
      ...(answer.responseType.startsWith('DEFAULT') ? {} : { statusCode: String(answer.statusCode) }),
      responseHeaders: headersOf(answer, settings),
      templates: { 'application/json': JSON.stringify({ detail: answer.detail, code }) },
    });
  }
}

function headersOf({ retryAfterSeconds }: GatewayAnswer, { corsOrigins }: Settings): Record<string, string> {
  return {
    'X-Request-Id': 'context.requestId',
    ...literals({
      'Content-Language': 'es',
      'Cache-Control': 'no-store',
      ...HARDENING_HEADERS,
      ...WITHOUT_QUOTES,
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    }),
    ...(corsOrigins.length > 0 && CORS),
  };
}

// How a quote would be written inside of such a literal is documented nowhere, and one that is not understood would keep
// the whole stack from being deployed. For an answer that is no page, this policy says as much.
const WITHOUT_QUOTES = { 'Content-Security-Policy': 'sandbox' };

// A header of a gateway response is an expression; between quotes it is what it says.
const literals = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));

// No condition can be put here, so that any origin may read them; without credentials, and they hold nothing of anybody.
const CORS = {
  'Access-Control-Allow-Origin': 'method.request.header.Origin',
  ...literals({ 'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(','), Vary: 'Origin' }),
};
