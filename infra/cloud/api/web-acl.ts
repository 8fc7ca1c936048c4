import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { HARDENING_HEADERS } from '../../../shared/http/headers.ts';
import { GATEWAY_HEADERS, gatewayAnswers } from '../../gateway-answers.ts';
import type { Settings } from '../settings.ts';

const WINDOW_SECONDS = 300;
const BODY_KEY = 'throttled';

/** An AWS WAF web ACL before a stage. It answers 429 to an address that has sent too much within five minutes. */
export class WebAcl extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { webAcl, stage }: { webAcl: NonNullable<Settings['webAcl']>; stage: Stage },
  ) {
    super(scope, id);
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

const body = JSON.stringify({ detail: gatewayAnswers.throttled.detail, code: 'throttled' });

// WAF allows ten headers, none of which can hold the id of a request or an echo of `Origin`.
const responseHeaders = Object.entries({
  ...GATEWAY_HEADERS,
  ...HARDENING_HEADERS,
  'Retry-After': String(WINDOW_SECONDS),
}).map(([name, value]) => ({ name, value }));

const visibleAs = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  // Samples are whole requests, with their keys and tokens.
  sampledRequestsEnabled: false,
});
