import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Contract } from '../api/contract.ts';
import { logRequest } from '../runtime/metrics.ts';
import { toRefusal } from './errors.ts';
import { chooseLanguage, HARDENING_HEADERS } from './headers.ts';

export type Exchange = {
  event: APIGatewayProxyEvent;
  context: Context;
  response?: APIGatewayProxyResult;
  error?: unknown;
};

export function requestLog(contract: Contract) {
  const startTimes = new WeakMap<APIGatewayProxyEvent, number>();
  const finish = ({ event, context, response, error }: Exchange): void => {
    if (!response) return;
    const { requestId, identity, resourcePath, httpMethod } = event.requestContext;
    response.headers = {
      ...response.headers,
      ...HARDENING_HEADERS,
      'X-Request-Id': requestId,
      'Content-Language': chooseLanguage(event),
    };
    logRequest({
      requestId,
      route: `${httpMethod} ${resourcePath}`,
      status: response.statusCode,
      code: error === undefined ? undefined : toRefusal(error).code,
      durationMs: Math.round((performance.now() - (startTimes.get(event) ?? 0)) * 10) / 10,
      gatewayKeyId: identity.apiKeyId ?? undefined,
      version: context.functionVersion,
      authentication: contract.authentication,
    });
  };
  return {
    before: ({ event }: Exchange) => {
      startTimes.set(event, performance.now());
    },
    after: finish,
    onError: finish,
  };
}
