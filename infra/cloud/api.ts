import { CfnOutput } from 'aws-cdk-lib';
import {
  EndpointType,
  LambdaIntegration,
  Period,
  ResponseType,
  RestApi,
  type UsagePlan,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Route } from '../../shared/api/routes.ts';
import { HARDENING_HEADERS } from '../../shared/http/headers.ts';
import { type GatewayAnswer, gatewayAnswers } from '../gateway-answers.ts';

// The base address carries the version of the interface.
const STAGE = 'v2';
const LIMITS = { rateLimit: 50, burstLimit: 100, monthlyRequests: 1_000_000 };

/** The REST API: a key on every method, a usage plan for the keys, and the gateway's own answers in our shape. */
export class PharmacyApi extends Construct {
  readonly #api: RestApi;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.#api = new RestApi(this, 'Rest', {
      endpointTypes: [EndpointType.REGIONAL],
      deployOptions: { stageName: STAGE, dataTraceEnabled: false },
      defaultMethodOptions: { apiKeyRequired: true },
    });
    this.#addGatewayAnswers();
    new CfnOutput(this, 'UsagePlanId', { value: this.#addUsagePlan().usagePlanId });
  }

  /** The resource has no trailing slash: the gateway serves both forms from it, and one with a slash from none. */
  addRoute({ method, path }: Route, handler: IFunction): void {
    const resource = this.#api.root.resourceForPath(path.replace(/\/$/, ''));
    resource.addMethod(method, new LambdaIntegration(handler));
  }

  #addUsagePlan(): UsagePlan {
    const { rateLimit, burstLimit, monthlyRequests } = LIMITS;
    const plan = this.#api.addUsagePlan('Clients', {
      throttle: { rateLimit, burstLimit },
      quota: { limit: monthlyRequests, period: Period.MONTH },
    });
    plan.addApiStage({ stage: this.#api.deploymentStage });
    return plan;
  }

  #addGatewayAnswers(): void {
    for (const [code, answer] of Object.entries<GatewayAnswer>(gatewayAnswers)) {
      const { retryAfterSeconds } = answer;
      this.#api.addGatewayResponse(code, {
        type: ResponseType.of(answer.responseType),
        // A default covers every case of its family, each of which must keep a status of its own.
        ...(answer.responseType.startsWith('DEFAULT') ? {} : { statusCode: String(answer.statusCode) }),
        responseHeaders: {
          'X-Request-Id': 'context.requestId',
          'Content-Language': "'es'",
          ...literals({ 'Cache-Control': 'no-store', ...HARDENING_HEADERS }),
          ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': `'${retryAfterSeconds}'` }),
        },
        templates: { 'application/json': JSON.stringify({ detail: answer.detail, code }) },
      });
    }
  }
}

// A header of a gateway response is an expression; between quotes it is what it says.
const literals = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value.replaceAll("'", "\\'")}'`]));
