import {
  AccessLogField,
  AccessLogFormat,
  LogGroupLogDestination,
  MethodLoggingLevel,
  type RestApi,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { KEYLESS_LIMIT } from '../../gateway-answers.ts';
import type { Settings } from '../settings.ts';
import { logGroupPrefix, removalPolicy } from '../stage.ts';

/** The version of the interface, which is part of the base address. */
export const STAGE = 'v2';

const keeping = (settings: Settings) => ({
  retention: settings.logRetentionDays,
  removalPolicy: removalPolicy(settings),
});

// Ids, codes, durations and the address of the sender, without which nobody finds who guesses keys: no query, key or body.
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
  new LogGroup(scope, 'AccessLog', { logGroupName: `${logGroupPrefix(scope, settings)}access`, ...keeping(settings) });

/** Logs one line of JSON for each request, and the gateway's own errors. */
export function stageLogs(accessLog: LogGroup): StageOptions {
  return {
    accessLogDestination: new LogGroupLogDestination(accessLog),
    accessLogFormat: AccessLogFormat.custom(JSON.stringify(FIELDS)),
    loggingLevel: MethodLoggingLevel.ERROR,
    dataTraceEnabled: false,
    // The metrics of the whole API are free; metrics per method would cost 20 dollars a month.
    metricsEnabled: false,
  };
}

/** Creates the execution log with a retention; otherwise the gateway creates it itself, without one. */
export function keepExecutionLog(scope: Construct, api: RestApi, settings: Settings): LogGroup {
  const logGroupName = `API-Gateway-Execution-Logs_${api.restApiId}/${STAGE}`;
  const log = new LogGroup(scope, 'ExecutionLog', { logGroupName, ...keeping(settings) });
  api.deploymentStage.node.addDependency(log);
  return log;
}

/*
 * Throttled requests are not billed (AWS, "API Gateway pricing"), so these limits bound what requests without a key can cost.
 * They apply to each method of the stage, after those of the usage plan (AWS, "Throttle requests to your REST APIs"). The
 * catch-all has the limit of the stage: method settings refuse ANY (serverless-heaven/serverless-aws-alias#80).
 */

// Ten keys may send all that they may to one method; with the defaults of the plan that is 500 a second, a fifth of the quota of
// an account in Mexico. Preflights are limited to what one key may send, since each precedes a request.
const KEYS_AT_ONCE = 10;

type Throttled = {
  /** The paths of the resources that answer preflights. */
  readonly paths: readonly string[];
  /** The methods of routes without a key, each as its path and method: `/api/payments/stripe/POST`. */
  readonly keyless: readonly string[];
};

/** Throttles each method of a stage, and more tightly what takes no key: these methods, and the preflights of these resources. */
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
  const asked = corsOrigins.length > 0 ? paths : [];
  return {
    throttlingRateLimit: methodLimits.requestsPerSecond ?? KEYS_AT_ONCE * limits.requestsPerSecond,
    throttlingBurstLimit: methodLimits.burst ?? KEYS_AT_ONCE * limits.burst,
    methodOptions: Object.fromEntries([
      ...asked.map((path) => [`${path}/OPTIONS`, preflight]),
      ...keyless.map((method) => [method, keylessLimit]),
    ]),
  };
}
