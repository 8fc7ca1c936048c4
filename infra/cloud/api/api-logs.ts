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
import { removalPolicy } from '../removal-policy.ts';
import type { Settings } from '../settings.ts';

/** The base address carries the version of the interface. */
export const STAGE = 'v2';

const keeping = (settings: Settings) => ({
  retention: settings.logRetentionDays,
  removalPolicy: removalPolicy(settings),
});

// Ids, codes and durations: no address of a person, no path or query with what they look for, no key, no body.
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
  tlsVersion: '$context.tlsVersion',
};

/** One line of JSON for each request, and the gateway's own failures. */
export function stageLogs(scope: Construct, settings: Settings): StageOptions {
  return {
    accessLogDestination: new LogGroupLogDestination(new LogGroup(scope, 'AccessLog', keeping(settings))),
    accessLogFormat: AccessLogFormat.custom(JSON.stringify(FIELDS)),
    loggingLevel: MethodLoggingLevel.ERROR,
    dataTraceEnabled: false,
    // Those of the whole API are free; of each method they would cost 20 dollars a month.
    metricsEnabled: false,
  };
}

/** The gateway makes this log by itself and for ever, unless it is there before its stage. */
export function keepExecutionLog(scope: Construct, api: RestApi, settings: Settings): void {
  const logGroupName = `API-Gateway-Execution-Logs_${api.restApiId}/${STAGE}`;
  const log = new LogGroup(scope, 'ExecutionLog', { logGroupName, ...keeping(settings) });
  api.deploymentStage.node.addDependency(log);
}
