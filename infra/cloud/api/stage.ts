import {
  AccessLogField,
  AccessLogFormat,
  LogGroupLogDestination,
  MethodLoggingLevel,
  type RestApi,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { KEYLESS_LIMIT } from '../../gateway-answers.ts';
import type { Settings } from '../settings.ts';
import { addLog, logGroupPrefix } from '../stage.ts';

export const STAGE = 'v2';

// Ids, codes, durations and the sender's address, which reveals who guesses keys; no query, key or body.
const FIELDS = {
  requestId: AccessLogField.contextRequestId(),
  requestTime: AccessLogField.contextRequestTime(),
  route: `${AccessLogField.contextHttpMethod()} ${AccessLogField.contextResourcePath()}`,
  status: AccessLogField.contextStatus(),
  responseType: AccessLogField.contextErrorResponseType(),
  latencyMs: AccessLogField.contextResponseLatency(),
  functionLatencyMs: AccessLogField.contextIntegrationLatency(),
  responseBytes: AccessLogField.contextResponseLength(),
  gatewayKeyId: '$context.identity.apiKeyId',
  sourceAddress: AccessLogField.contextIdentitySourceIp(),
  tlsVersion: '$context.tlsVersion',
};

export const addAccessLog = (scope: Construct, settings: Settings): LogGroup =>
  addLog(scope, 'AccessLog', settings, `${logGroupPrefix(scope, settings)}access`);

export const stageLogs = (accessLog: LogGroup): StageOptions => ({
  accessLogDestination: new LogGroupLogDestination(accessLog),
  accessLogFormat: AccessLogFormat.custom(JSON.stringify(FIELDS)),
  loggingLevel: MethodLoggingLevel.ERROR,
  dataTraceEnabled: false,
  // The API's own metrics are free; metrics per method would cost 20 dollars a month.
  metricsEnabled: false,
});

/** Creates the execution log with a retention; otherwise the gateway creates it without one. */
export function keepExecutionLog(scope: Construct, api: RestApi, settings: Settings): LogGroup {
  const logGroupName = `API-Gateway-Execution-Logs_${api.restApiId}/${STAGE}`;
  const log = addLog(scope, 'ExecutionLog', settings, logGroupName);
  api.deploymentStage.node.addDependency(log);
  return log;
}

/*
 * Throttled requests are not billed (AWS, "API Gateway pricing"), so these limits bound the cost of requests without a key.
 * They apply to each method, after those of the usage plan (AWS, "Throttle requests to your REST APIs"). The catch-all has the
 * stage's limit: method settings refuse ANY (serverless-heaven/serverless-aws-alias#80).
 */

// Ten keys may use their full limit on one method; with the plan's defaults that is 500 requests a second, a fifth of an
// account's quota in Mexico. Preflights are limited to one key's requests, since each precedes one.
const KEYS_AT_ONCE = 10;

type Throttled = {
  readonly paths: readonly string[];
  /** `/api/payments/stripe/POST`: paths and methods of routes without a key. */
  readonly keyless: readonly string[];
};

export function stageThrottle(settings: Settings, { paths, keyless }: Throttled): StageOptions {
  const { corsOrigins, limits, methodLimits } = settings;
  const preflight = {
    throttlingRateLimit: methodLimits.preflightsPerSecond ?? limits.requestsPerSecond,
    throttlingBurstLimit: methodLimits.preflightBurst ?? limits.burst,
  };
  const keylessLimit = {
    throttlingRateLimit: KEYLESS_LIMIT.requestsPerSecond,
    throttlingBurstLimit: KEYLESS_LIMIT.burst,
  };
  const preflightPaths = corsOrigins.length > 0 ? paths : [];
  return {
    throttlingRateLimit: methodLimits.requestsPerSecond ?? KEYS_AT_ONCE * limits.requestsPerSecond,
    throttlingBurstLimit: methodLimits.burst ?? KEYS_AT_ONCE * limits.burst,
    methodOptions: Object.fromEntries([
      ...preflightPaths.map((path) => [`${path}/OPTIONS`, preflight]),
      ...keyless.map((method) => [method, keylessLimit]),
    ]),
  };
}
