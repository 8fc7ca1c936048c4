import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRouter } from '../../../infra/local/gateway/event.ts';
import { routes } from '../../../shared/api/routes.ts';
import { type AnswerCheck, createAnswerCheck } from './answer-check.ts';
import type { HttpAnswer } from './http.ts';

const DESCRIPTION = join(import.meta.dirname, '../../../infra/api/openapi.json');
const router = createRouter(routes);
let check: AnswerCheck | undefined;

/** Returns the answer after a check against the OpenAPI document. Answers without a route or a body are not checked. */
export function checkedAnswer(method: string, path: string, answer: HttpAnswer): HttpAnswer {
  const match = method === 'HEAD' ? undefined : router.find(method, path.split('?')[0] ?? '');
  if (!match) return answer;
  check ??= createAnswerCheck(JSON.parse(readFileSync(DESCRIPTION, 'utf8')));
  check(match.route, answer);
  return answer;
}
