import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Contract } from '../api/contract.ts';
import { Refusal } from '../domain/refusal.ts';
import { isFault } from '../messages/refusals.ts';
import { logError, noteRequest } from '../runtime/log.ts';
import { logRequest } from '../runtime/metrics.ts';
import { toErrorAnswer, toRefusal } from './errors.ts';
import { chooseLanguage, HARDENING_HEADERS, jsonResult } from './headers.ts';

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

export const errorMapping = () => ({
  onError: (exchange: Exchange) => {
    const { event, error } = exchange;
    if (error instanceof Refusal) noteCodes(error);
    const input = event.body ?? event.queryStringParameters;
    const answer = toErrorAnswer(error, chooseLanguage(event), input);
    const fields = { requestId: event.requestContext.requestId, code: answer.code };
    if (isFault(answer.code)) logError('request failed', error, fields);
    exchange.response = jsonResult(answer.status, answer);
  },
});

function noteCodes({ errors }: Refusal): void {
  if (errors.length > 0) noteRequest({ codes: [...new Set(errors.map(({ code }) => code))] });
}
