import { Refusal } from '../domain/refusal.ts';
import { isFault } from '../messages/refusals.ts';
import { logError, noteRequest } from '../runtime/log.ts';
import { jsonResult } from './answer.ts';
import { toErrorAnswer } from './errors.ts';
import { chooseLanguage } from './headers.ts';
import type { Exchange } from './request-log.ts';

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
