import type { StageOptions } from 'aws-cdk-lib/aws-apigateway';
import type { Settings } from '../settings.ts';

/*
 * Throttled requests are not billed (AWS, "API Gateway pricing"), so these limits bound what requests without a key can cost.
 * They apply to each method of the stage, after those of the usage plan (AWS, "Throttle requests to your REST APIs"). The
 * catch-all has the limit of the stage: method settings refuse ANY (serverless-heaven/serverless-aws-alias#80).
 */

// Ten keys may send all that they may to one method; with the defaults of the plan that is 500 a second, a fifth of the quota of
// an account in Mexico. Preflights are limited to what one key may send, since each precedes a request.
const KEYS_AT_ONCE = 10;

/** Throttles each method of a stage, and more tightly the preflights of these resources, which take no key. */
export function stageThrottle(settings: Settings, paths: readonly string[]): StageOptions {
  const { corsOrigins, limits, methodLimits } = settings;
  const preflight = {
    throttlingRateLimit: methodLimits.preflightsPerSecond ?? limits.requestsPerSecond,
    throttlingBurstLimit: methodLimits.preflightBurst ?? limits.burst,
  };
  const asked = corsOrigins.length > 0 ? paths : [];
  return {
    throttlingRateLimit: methodLimits.requestsPerSecond ?? KEYS_AT_ONCE * limits.requestsPerSecond,
    throttlingBurstLimit: methodLimits.burst ?? KEYS_AT_ONCE * limits.burst,
    methodOptions: Object.fromEntries(asked.map((path) => [`${path}/OPTIONS`, preflight])),
  };
}
