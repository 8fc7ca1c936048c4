import { Validations } from 'aws-cdk-lib';
import {
  type CfnRestApi,
  EndpointType,
  LambdaIntegration,
  Period,
  RestApi,
  type UsagePlan,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Route } from '../../../shared/api/routes.ts';
import { REQUEST_HEADERS } from '../../../shared/http/headers.ts';
import type { Settings } from '../settings.ts';
import { ApiDomain, TLS } from './api-domain.ts';
import { keepExecutionLog, STAGE, stageLogs } from './api-logs.ts';
import { addGatewayResponses } from './gateway-responses.ts';

const LOGGING_POLICY = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';

/** The REST API: a key on every method, a usage plan for the keys, and the gateway's own answers in our shape. */
export class PharmacyApi extends Construct {
  readonly rest: RestApi;
  readonly usagePlan: UsagePlan;
  /** What stands before the path of every route, without a slash at its end. */
  readonly url: string;
  readonly #settings: Settings;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.#settings = settings;
    this.rest = new RestApi(this, 'Rest', {
      restApiName: `pharmacy-${settings.stage}`,
      endpointTypes: [EndpointType.REGIONAL],
      // With two addresses, cookies and origins would have to be right for both.
      disableExecuteApiEndpoint: settings.domain !== undefined,
      // A stage that logs cannot be made in an account where no stack has set a role for it.
      cloudWatchRole: true,
      deployOptions: { stageName: STAGE, ...stageLogs(this, settings) },
      defaultMethodOptions: { apiKeyRequired: true },
    });
    Object.assign(this.rest.node.defaultChild as CfnRestApi, TLS);
    keepExecutionLog(this, this.rest, settings);
    addGatewayResponses(this.rest, settings);
    this.usagePlan = this.#addUsagePlan();
    this.url = this.#address();
    this.#acknowledge();
  }

  /** The resource has no trailing slash: the gateway serves both forms from it, and one with a slash from none. */
  addRoute({ method, path }: Pick<Route, 'method' | 'path'>, handler: IFunction): void {
    const integration = new LambdaIntegration(handler, { allowTestInvoke: false });
    this.rest.root.resourceForPath(path.replace(/\/$/, '')).addMethod(method, integration);
  }

  /** Lets pages of the configured origins call the methods of a path; browsers ask for that without a key. */
  addPreflight(path: string, allowMethods: string[]): void {
    const { corsOrigins } = this.#settings;
    if (corsOrigins.length === 0) return;
    this.rest.root.resourceForPath(path.replace(/\/$/, '')).addCorsPreflight({
      allowOrigins: corsOrigins,
      allowMethods,
      allowHeaders: REQUEST_HEADERS,
      allowCredentials: true,
    });
  }

  #addUsagePlan(): UsagePlan {
    const { requestsPerSecond, burst, requestsPerMonth } = this.#settings.limits;
    const plan = this.rest.addUsagePlan('Clients', {
      throttle: { rateLimit: requestsPerSecond, burstLimit: burst },
      quota: { limit: requestsPerMonth, period: Period.MONTH },
    });
    plan.addApiStage({ stage: this.rest.deploymentStage });
    return plan;
  }

  #address(): string {
    const { domain } = this.#settings;
    const stage = this.rest.deploymentStage;
    return domain ? new ApiDomain(this, 'Domain', { domain, stage }).url : stage.urlForPath().replace(/\/$/, '');
  }

  #acknowledge(): void {
    const reasons = {
      'AwsSolutions-APIG2': 'Functions validate: they say every fault at once, where it is, in two languages.',
      'AwsSolutions-APIG3': 'A web ACL costs a fixed sum a month and is the decision of the operator.',
      'AwsSolutions-APIG4': 'Every method needs a key; users are known by tokens, which the functions verify.',
      'AwsSolutions-COG4': 'Users are known by tokens of our own, which the functions verify.',
      [`AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${LOGGING_POLICY}]`]:
        'API Gateway takes no role of an account that has less than this policy of its own.',
    };
    for (const [id, reason] of Object.entries(reasons)) Validations.of(this.rest).acknowledge({ id, reason });
  }
}
