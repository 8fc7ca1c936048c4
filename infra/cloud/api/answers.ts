import { ResponseType, type RestApi, type Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { EXPOSED_HEADERS, HARDENING_HEADERS } from '../../../shared/http/headers.ts';
import { GATEWAY_HEADERS, type GatewayAnswer, gatewayAnswers } from '../../gateway-answers.ts';
import type { Settings } from '../settings.ts';

/** Gives the gateway's own answers the format of our errors, readable on other origins. */
export function addGatewayResponses(api: RestApi, settings: Settings): void {
  for (const [code, answer] of Object.entries<GatewayAnswer>(gatewayAnswers)) {
    for (const type of answer.responseTypes) {
      api.addGatewayResponse(`${code}-${type}`, {
        type: ResponseType.of(type),
        // This default response covers several cases, each with its own status.
        ...(type === 'DEFAULT_4XX' ? {} : { statusCode: String(answer.statusCode) }),
        responseHeaders: buildResponseHeaders(answer, settings),
        templates: { 'application/json': JSON.stringify({ detail: answer.detail, code }) },
      });
    }
  }
}

const buildResponseHeaders = (
  { retryAfterSeconds }: GatewayAnswer,
  { corsOrigins }: Settings,
): Record<string, string> => ({
  'X-Request-Id': 'context.requestId',
  ...literals({
    ...GATEWAY_HEADERS,
    ...HARDENING_HEADERS,
    ...WITHOUT_QUOTES,
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
  }),
  ...(corsOrigins.length > 0 && CORS),
});

// How to escape a quote in such a literal is undocumented, and a mistake would fail the deployment. `sandbox` is as strict.
const WITHOUT_QUOTES = { 'Content-Security-Policy': 'sandbox' };

// A gateway response's header is an expression; literals are quoted.
const literals = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));

// Gateway responses have no conditions, so every origin may read them: without credentials and personal data.
const CORS = {
  'Access-Control-Allow-Origin': 'method.request.header.Origin',
  ...literals({ 'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(','), Vary: 'Origin' }),
};

const WINDOW_SECONDS = 300;
const BODY_KEY = 'throttled';

type Limited = Pick<Settings, 'corsOrigins'> & { readonly webAcl: NonNullable<Settings['webAcl']> };

/** An AWS WAF web ACL answers 429 to an address that has sent too many requests within five minutes. */
export function addWebAcl(api: Construct, stage: Stage, { webAcl, corsOrigins }: Limited): void {
  const scope = new Construct(api, 'WebAcl');
  const responseHeaders = listResponseHeaders(corsOrigins);
  const acl = new CfnWebACL(scope, 'Acl', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    visibilityConfig: visibleAs('requests'),
    customResponseBodies: { [BODY_KEY]: { contentType: 'APPLICATION_JSON', content: BLOCKED_BODY } },
    rules: [
      {
        name: 'rate-of-an-address',
        priority: 0,
        visibilityConfig: visibleAs('blocked'),
        statement: {
          rateBasedStatement: {
            aggregateKeyType: 'IP',
            limit: webAcl.requestsPerFiveMinutes,
            evaluationWindowSec: WINDOW_SECONDS,
          },
        },
        action: {
          block: { customResponse: { responseCode: 429, customResponseBodyKey: BODY_KEY, responseHeaders } },
        },
      },
    ],
  });
  new CfnWebACLAssociation(scope, 'Association', { resourceArn: stage.stageArn, webAclArn: acl.attrArn });
}

const BLOCKED_BODY = JSON.stringify({
  detail:
    'Demasiadas solicitudes de esta dirección; intente de nuevo en cinco minutos. / Too many requests from this address; try again in five minutes.',
  code: 'throttled',
});

// A custom response cannot echo `Origin`, so every origin may read it: without credentials and personal data.
const CORS_OF_BLOCKED = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After' };

// WAF allows ten headers, none with a request's id. The content policy's `frame-ancestors` replaces X-Frame-Options.
function listResponseHeaders(corsOrigins: Settings['corsOrigins']): CfnWebACL.CustomHTTPHeaderProperty[] {
  const { 'X-Frame-Options': _, ...hardening } = HARDENING_HEADERS;
  const headers = {
    ...GATEWAY_HEADERS,
    ...hardening,
    'Retry-After': String(WINDOW_SECONDS),
    ...(corsOrigins.length > 0 && CORS_OF_BLOCKED),
  };
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

const visibleAs = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  // Samples are whole requests, including keys and tokens.
  sampledRequestsEnabled: false,
});
