import { CfnOutput, Duration, Size, Validations } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type Route, routes, type ServedRoute, servedMethods, servedRoutes } from '../../../shared/api/routes.ts';
import { REQUEST_HEADERS } from '../../../shared/http/headers.ts';
import { COMPRESSED_FROM_BYTES, KEYLESS_LIMIT, PREFLIGHT_SECONDS, STAGE } from '../../gateway-answers.ts';
import type { Settings } from '../settings.ts';
import { addLog, logGroupPrefix } from '../stage.ts';
import { addGatewayResponses, addWebAcl } from './answers.ts';

/** Without a payment provider, only clients call a stage. */
const servedBy = ({ payments }: Settings): readonly ServedRoute[] =>
  payments.provider === 'none' ? routes : servedRoutes;

// Without a trailing slash, the gateway serves both forms of the path.
const resourcePath = ({ path }: Pick<Route, 'path'>): string => path.replace(/\/$/, '');

export class PharmacyApi extends Construct {
  readonly rest: apigateway.RestApi;
  readonly usagePlan: apigateway.UsagePlan;
  readonly accessLog: LogGroup;
  readonly logs: readonly LogGroup[];
  /** The parent of all routes, without a trailing slash. */
  readonly url: string;
  readonly #settings: Settings;
  readonly #calling = new PolicyStatement({ actions: ['lambda:InvokeFunction'] });
  readonly #caller: Role;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.#settings = settings;
    this.accessLog = addLog(this, 'AccessLog', settings, `${logGroupPrefix(this, settings)}access`);
    this.rest = new apigateway.RestApi(this, 'Rest', {
      restApiName: `pharmacy-${settings.stage}`,
      endpointTypes: [apigateway.EndpointType.REGIONAL],
      // A second address would need its own cookies and allowed origins.
      disableExecuteApiEndpoint: settings.domain !== undefined,
      // A stage with logging cannot be created in an account that has no role for it yet.
      cloudWatchRole: true,
      deployOptions: {
        stageName: STAGE,
        accessLogDestination: new apigateway.LogGroupLogDestination(this.accessLog),
        accessLogFormat: apigateway.AccessLogFormat.custom(JSON.stringify(LOGGED_FIELDS)),
        loggingLevel: apigateway.MethodLoggingLevel.ERROR,
        dataTraceEnabled: false,
        // The API's own metrics are free; metrics per method would cost 20 dollars a month.
        metricsEnabled: false,
        ...throttle(settings),
      },
      minCompressionSize: Size.bytes(COMPRESSED_FROM_BYTES),
      defaultMethodOptions: { apiKeyRequired: true },
    });
    Object.assign(this.rest.node.defaultChild as apigateway.CfnRestApi, TLS);
    const stage = this.rest.deploymentStage;
    // The gateway would create this log without a retention.
    const executionLogName = `API-Gateway-Execution-Logs_${this.rest.restApiId}/${STAGE}`;
    const executionLog = addLog(this, 'ExecutionLog', settings, executionLogName);
    stage.node.addDependency(executionLog);
    this.logs = [this.accessLog, executionLog];
    addGatewayResponses(this.rest, settings);
    // One role calls all functions, instead of a permission on each: a stack may have 500 resources.
    this.#caller = new Role(this, 'Caller', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: { Calls: new PolicyDocument({ statements: [this.#calling] }) },
    });
    const { domain, webAcl, corsOrigins, limits } = settings;
    this.usagePlan = this.rest.addUsagePlan('Clients', {
      throttle: { rateLimit: limits.requestsPerSecond, burstLimit: limits.burst },
    });
    this.usagePlan.addApiStage({ stage });
    this.url = domain ? addDomain(this, domain, stage) : stage.urlForPath().replace(/\/$/, '');
    if (webAcl) addWebAcl(this, stage, { webAcl, corsOrigins });
    for (const [id, reason] of Object.entries(ACKNOWLEDGED)) Validations.of(this.rest).acknowledge({ id, reason });
  }

  serve(functionOf: (route: ServedRoute) => IFunction): void {
    const served = servedBy(this.#settings);
    for (const route of served) this.#addRoute(route, functionOf(route));
    if (this.#settings.corsOrigins.length > 0) this.#addPreflights();
    this.#addCatchAll(served.map(resourcePath));
  }

  /** The function answers a HEAD like a GET; the gateway omits the body (DataBiosphere/azul#6514). */
  #addRoute(route: ServedRoute, handler: IFunction): void {
    // API Gateway refuses a log role that IAM has not yet distributed (aws-cloudformation/rain#163): it waits for the functions.
    this.rest.node.findChild('Account').node.addDependency(handler);
    this.#calling.addResources(handler.functionArn);
    const integration = new apigateway.AwsIntegration({
      service: 'lambda',
      proxy: true,
      path: `2015-03-31/functions/${handler.functionArn}/invocations`,
      options: { credentialsRole: this.#caller },
    });
    const resource = this.rest.root.resourceForPath(resourcePath(route));
    const apiKeyRequired = route.authentication !== 'none';
    for (const method of servedMethods(route)) resource.addMethod(method, integration, { apiKeyRequired });
  }

  #addPreflights(): void {
    for (const [path, rows] of Map.groupBy(routes, resourcePath)) {
      this.rest.root.resourceForPath(path).addCorsPreflight({
        allowOrigins: this.#settings.corsOrigins,
        allowMethods: rows.map(({ method }) => method),
        allowHeaders: REQUEST_HEADERS,
        allowCredentials: true,
        maxAge: Duration.seconds(PREFLIGHT_SECONDS),
      });
    }
  }

  /*
   * API Gateway answers unknown paths and methods with 403, and an `Authorization` header as a broken AWS signature; a method
   * without authorization ignores it. What a resource lacks goes to the greedy path, but first to a parameter beside a literal
   * (measured in ministackorg/ministack#1423 and floci-io/floci#3399).
   */
  #addCatchAll(paths: readonly string[]): void {
    const { root } = this.rest;
    const hiding = new Set(paths.filter((path) => hidesParameter(path, paths)));
    const resources = [...hiding].map((path) => root.resourceForPath(path));
    for (const resource of [root, root.addResource('{rest+}'), ...resources])
      resource.addMethod('ANY', REFUSAL, { apiKeyRequired: false });
  }
}

// Ids, codes, durations and the sender's address, which reveals who guesses keys; no query, key or body.
const LOGGED_FIELDS = {
  requestId: '$context.requestId',
  requestTime: '$context.requestTime',
  route: '$context.httpMethod $context.resourcePath',
  status: '$context.status',
  responseType: '$context.error.responseType',
  latencyMs: '$context.responseLatency',
  functionLatencyMs: '$context.integrationLatency',
  responseBytes: '$context.responseLength',
  gatewayKeyId: '$context.identity.apiKeyId',
  sourceAddress: '$context.identity.sourceIp',
  tlsVersion: '$context.tlsVersion',
};

// With the plan's defaults this is 500 requests a second, a fifth of an account's quota in Mexico.
const KEYS_AT_ONCE = 10;

/**
 * The limits of each method, after those of the usage plan (AWS, "Throttle requests to your REST APIs"). Throttled requests are
 * not billed (AWS, "API Gateway pricing"), so these bound the cost of requests without a key. The catch-all has the stage's
 * limit: method settings refuse ANY (serverless-heaven/serverless-aws-alias#80).
 */
function throttle(settings: Settings): apigateway.StageOptions {
  const { corsOrigins, limits } = settings;
  const preflightRoutes = corsOrigins.length > 0 ? routes : [];
  const keylessRoutes = servedBy(settings).filter(({ authentication }) => authentication === 'none');
  return {
    ...throttleTo(limits, KEYS_AT_ONCE),
    methodOptions: Object.fromEntries([
      ...preflightRoutes.map((route) => [`${resourcePath(route)}/OPTIONS`, throttleTo(limits)]),
      ...keylessRoutes.map((route) => [`${resourcePath(route)}/${route.method}`, throttleTo(KEYLESS_LIMIT)]),
    ]),
  };
}

const throttleTo = ({ requestsPerSecond, burst }: Settings['limits'], keys = 1) => ({
  throttlingRateLimit: keys * requestsPerSecond,
  throttlingBurstLimit: keys * burst,
});

const LOGGING_POLICY = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';
const ACKNOWLEDGED = {
  'AwsSolutions-APIG2': 'Functions validate: they report all validation errors at once, in two languages.',
  'AwsSolutions-APIG3': 'A web ACL has a monthly price: a setting adds one.',
  'AwsSolutions-APIG4': 'Every route needs a key; functions verify the tokens of users. The rest is answered 404.',
  'AwsSolutions-COG4': 'Functions verify the access tokens, which the service issues itself.',
  [`AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${LOGGING_POLICY}]`]:
    'API Gateway accepts no logging role with less than this managed policy.',
};

/** TLS 1.3, or 1.2 with forward secrecy, and only for the requested host name. */
const TLS = {
  securityPolicy: apigateway.SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: apigateway.EndpointAccessMode.STRICT,
} as const;

/** Puts the operator's domain in front of a stage, which stays in the path, and returns the address. */
function addDomain(scope: Construct, domain: NonNullable<Settings['domain']>, stage: apigateway.Stage): string {
  const domainScope = new Construct(scope, 'Domain');
  const name = new apigateway.DomainName(domainScope, 'Name', {
    ...TLS,
    domainName: domain.name,
    certificate: Certificate.fromCertificateArn(domainScope, 'Certificate', domain.certificateArn),
  });
  name.addBasePathMapping(stage.restApi, { basePath: STAGE, stage });
  // The operator's DNS must point here.
  new CfnOutput(domainScope, 'Target', { value: name.domainNameAliasDomainName });
  return `https://${domain.name}/${STAGE}`;
}

// It refuses every content type, even a missing one, as UNSUPPORTED_MEDIA_TYPE, which is our 404 (API_Integration,
// passthroughBehavior; measured in ministackorg/ministack#1746).
const REFUSAL = new apigateway.MockIntegration({ passthroughBehavior: apigateway.PassthroughBehavior.NEVER });

/** True for `/orders/calculate` beside `/orders/{id}`, which would get a `GET` of it. */
const hidesParameter = (path: string, paths: readonly string[]): boolean =>
  paths.some((other) => other !== path && parameterized(other).test(path));

const parameterized = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{[^{}]+\}/g, '[^/{]+')}$`);
