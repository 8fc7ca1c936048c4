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
import { logGroupPrefix } from '../log-groups.ts';
import { removalPolicy } from '../removal-policy.ts';
import type { Settings } from '../settings.ts';

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

export class AccessLog extends LogGroup {
  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id, { logGroupName: `${logGroupPrefix(scope, settings)}access`, ...keeping(settings) });
  }
}

/** Logs one line of JSON for each request, and the gateway's own errors. */
export function stageLogs(accessLog: AccessLog): StageOptions {
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
