import { CfnOutput, Duration, Size, Validations } from 'aws-cdk-lib';
import {
  AwsIntegration,
  type CfnRestApi,
  DomainName,
  EndpointAccessMode,
  EndpointType,
  MockIntegration,
  PassthroughBehavior,
  RestApi,
  SecurityPolicy,
  type Stage,
  type UsagePlan,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type Route, routes, type ServedRoute, servedMethods } from '../../../shared/api/routes.ts';
import { REQUEST_HEADERS } from '../../../shared/http/headers.ts';
import { COMPRESSED_FROM_BYTES, PREFLIGHT_SECONDS } from '../../gateway-answers.ts';
import type { Settings } from '../settings.ts';
import { servedBy } from '../stage.ts';
import { addGatewayResponses, addWebAcl } from './answers.ts';
import { addAccessLog, keepExecutionLog, STAGE, stageLogs, stageThrottle } from './stage.ts';

// Without a trailing slash, the gateway serves both forms of the path.
const resourcePath = ({ path }: Pick<Route, 'path'>): string => path.replace(/\/$/, '');
const keylessMethods = (settings: Settings): string[] =>
  servedBy(settings)
    .filter(({ authentication }) => authentication === 'none')
    .map((route) => `${resourcePath(route)}/${route.method}`);

export class PharmacyApi extends Construct {
  readonly rest: RestApi;
  readonly usagePlan: UsagePlan;
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
    this.accessLog = addAccessLog(this, settings);
    this.rest = new RestApi(this, 'Rest', {
      restApiName: `pharmacy-${settings.stage}`,
      endpointTypes: [EndpointType.REGIONAL],
      // A second address would need its own cookies and allowed origins.
      disableExecuteApiEndpoint: settings.domain !== undefined,
      // A stage with logging cannot be created in an account that has no role for it yet.
      cloudWatchRole: true,
      deployOptions: {
        stageName: STAGE,
        ...stageLogs(this.accessLog),
        ...stageThrottle(settings, {
          paths: [...new Set(routes.map(resourcePath))],
          keyless: keylessMethods(settings),
        }),
      },
      minCompressionSize: Size.bytes(COMPRESSED_FROM_BYTES),
      defaultMethodOptions: { apiKeyRequired: true },
    });
    Object.assign(this.rest.node.defaultChild as CfnRestApi, TLS);
    this.logs = [this.accessLog, keepExecutionLog(this, this.rest, settings)];
    addGatewayResponses(this.rest, settings);
    // One role calls all functions, instead of a permission on each: a stack may have 500 resources.
    this.#caller = new Role(this, 'Caller', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: { Calls: new PolicyDocument({ statements: [this.#calling] }) },
    });
    this.usagePlan = this.#addUsagePlan();
    const { domain, webAcl, corsOrigins } = settings;
    const stage = this.rest.deploymentStage;
    this.url = domain ? addDomain(this, domain, stage) : stage.urlForPath().replace(/\/$/, '');
    if (webAcl) addWebAcl(this, stage, { webAcl, corsOrigins });
    for (const [id, reason] of Object.entries(ACKNOWLEDGED)) Validations.of(this.rest).acknowledge({ id, reason });
  }

  /** Serves the routes of the stage, and answers everything else. */
  serve(functionOf: (route: ServedRoute) => IFunction): void {
    const served = servedBy(this.#settings);
    for (const route of served) this.#addRoute(route, functionOf(route));
    if (this.#settings.corsOrigins.length > 0) this.#addPreflights();
    this.#addCatchAll(served.map(resourcePath));
  }

  /** The function answers a HEAD like a GET; the gateway omits the body (DataBiosphere/azul#6514). */
  #addRoute(route: ServedRoute, handler: IFunction): void {
    // API Gateway refuses a log role that IAM has not yet distributed (aws-cloudformation/rain#163). It is set after the
    // functions, for which the API's stage waits anyway.
    this.rest.node.findChild('Account').node.addDependency(handler);
    this.#calling.addResources(handler.functionArn);
    const integration = new AwsIntegration({
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
   * API Gateway answers unknown paths and methods with 403, and with an `Authorization` header in another format, as for a
   * broken AWS signature. So the root and the greedy path have a method that answers them. API Gateway looks for a pair of
   * resource and method: what a resource lacks goes to the greedy path, but first to a parameter beside a literal (measured in
   * ministackorg/ministack#1423 and floci-io/floci#3399). Methods without authorization ignore the `Authorization` header.
   */
  #addCatchAll(paths: readonly string[]): void {
    const { root } = this.rest;
    const hiding = new Set(paths.filter((path) => hidesParameter(path, paths)));
    const resources = [...hiding].map((path) => root.resourceForPath(path));
    for (const resource of [root, root.addResource('{rest+}'), ...resources])
      resource.addMethod('ANY', REFUSAL, { apiKeyRequired: false });
  }

  #addUsagePlan(): UsagePlan {
    const { requestsPerSecond, burst } = this.#settings.limits;
    const plan = this.rest.addUsagePlan('Clients', {
      throttle: { rateLimit: requestsPerSecond, burstLimit: burst },
    });
    plan.addApiStage({ stage: this.rest.deploymentStage });
    return plan;
  }
}

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
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
} as const;

/** Puts the operator's domain in front of a stage, which stays in the path, and returns the address. */
function addDomain(scope: Construct, domain: NonNullable<Settings['domain']>, stage: Stage): string {
  const domainScope = new Construct(scope, 'Domain');
  const name = new DomainName(domainScope, 'Name', {
    ...TLS,
    domainName: domain.name,
    certificate: Certificate.fromCertificateArn(domainScope, 'Certificate', domain.certificateArn),
  });
  name.addBasePathMapping(stage.restApi, { basePath: STAGE, stage });
  // The operator's DNS must point here.
  new CfnOutput(domainScope, 'Target', { value: name.domainNameAliasDomainName });
  return `https://${domain.name}/${STAGE}`;
}

// An integration without templates refuses every content type, even a missing one, as UNSUPPORTED_MEDIA_TYPE (API_Integration,
// passthroughBehavior; measured in ministackorg/ministack#1746). That response is our 404.
const REFUSAL = new MockIntegration({ passthroughBehavior: PassthroughBehavior.NEVER });

/** True for `/orders/calculate` beside `/orders/{id}`, which would get a `GET` of it. */
const hidesParameter = (path: string, paths: readonly string[]): boolean =>
  paths.some((other) => other !== path && parameterized(other).test(path));

const parameterized = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{[^{}]+\}/g, '[^/{]+')}$`);
