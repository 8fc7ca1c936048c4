import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { HARDENING_HEADERS } from '../../../shared/http/headers.ts';
import { GATEWAY_HEADERS } from '../../gateway-answers.ts';
import type { Settings } from '../settings.ts';

const WINDOW_SECONDS = 300;
const BODY_KEY = 'throttled';

type WebAclProps = {
  readonly webAcl: NonNullable<Settings['webAcl']>;
  readonly corsOrigins: Settings['corsOrigins'];
  readonly stage: Stage;
};

/** An AWS WAF web ACL before a stage. It answers 429 to an address that has sent too much within five minutes. */
export class WebAcl extends Construct {
  constructor(scope: Construct, id: string, { webAcl, corsOrigins, stage }: WebAclProps) {
    super(scope, id);
    const responseHeaders = listResponseHeaders(corsOrigins);
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibleAs('requests'),
      customResponseBodies: { [BODY_KEY]: { contentType: 'APPLICATION_JSON', content: body } },
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
    new CfnWebACLAssociation(this, 'Association', { resourceArn: stage.stageArn, webAclArn: acl.attrArn });
  }
}

const body = JSON.stringify({
  detail:
    'Demasiadas solicitudes de esta dirección; intente de nuevo en cinco minutos. / Too many requests from this address; try again in five minutes.',
  code: 'throttled',
});

// A custom response cannot echo `Origin`, so every origin may read it: without credentials, and without personal data.
const CORS = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After' };

// WAF allows ten headers, none of which can hold the id of a request. `frame-ancestors` of the content policy does what
// X-Frame-Options does.
function listResponseHeaders(corsOrigins: Settings['corsOrigins']): CfnWebACL.CustomHTTPHeaderProperty[] {
  const { 'X-Frame-Options': _, ...hardening } = HARDENING_HEADERS;
  const headers = {
    ...GATEWAY_HEADERS,
    ...hardening,
    'Retry-After': String(WINDOW_SECONDS),
    ...(corsOrigins.length > 0 && CORS),
  };
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

const visibleAs = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  // Samples are whole requests, with their keys and tokens.
  sampledRequestsEnabled: false,
});
