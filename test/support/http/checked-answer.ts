import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type ApiDescription, type Response, readJsonMedia, resolveReference } from '../../../infra/api/description.ts';
import { createRouter } from '../../../infra/local/gateway/event.ts';
import { routes } from '../../../shared/api/routes.ts';
import { EXPOSED_HEADERS } from '../../../shared/http/headers.ts';
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

/** Throws when the OpenAPI document does not have the answer of a route. */
type AnswerCheck = (route: { readonly method: string; readonly path: string }, answer: HttpAnswer) => void;
/** Returns the mismatch of an answer of one status, or undefined. */
type Check = (answer: HttpAnswer) => string | undefined;

/** Returns a check of answers against an OpenAPI document with closed schemas, which are compiled when first needed. */
function createAnswerCheck(description: ApiDescription): AnswerCheck {
  const createBodyCheck = bodyChecks(description);
  const createHeaderCheck = headerChecks(description);
  const compiled = new Map<Response, readonly Check[]>();

  function getChecks(response: Response): readonly Check[] {
    const checks = compiled.get(response) ?? [
      createHeaderCheck(response),
      createBodyCheck(response),
      createRefusalCheck(response, description),
    ];
    compiled.set(response, checks);
    return checks;
  }

  return ({ method, path }, answer) => {
    const place = `${method} ${path} ${answer.status}`;
    const operation = description.paths[path]?.[method.toLowerCase()];
    if (!operation) throw createMismatchError(place, 'the route');
    const response = operation.responses[answer.status];
    if (!response) throw createMismatchError(place, 'the status');
    for (const check of getChecks(resolveReference(response, description))) {
      const mismatch = check(answer);
      if (mismatch !== undefined) throw createMismatchError(place, mismatch);
    }
  };
}

const createMismatchError = (place: string, what: string) =>
  new Error(`${place} is not in infra/api/openapi.json (if it is correct: npm run openapi): ${what}`);

// The contract tests validate the document itself: here that would take longer than the answers.
const QUICKLY = {
  strict: false,
  allErrors: true,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
} as const;
const ajv = (options: object) => addFormats.default(new Ajv2020({ ...QUICKLY, ...options }));

const findMismatch = (validate: ValidateFunction, value: unknown): string | undefined =>
  validate(value)
    ? undefined
    : (validate.errors ?? [])
        .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
        .join('; ');

// An answer has a header that callers may read only if the document describes it.
const READABLE_HEADERS = [...EXPOSED_HEADERS, 'Set-Cookie'];

function headerChecks(description: ApiDescription): (response: Response) => Check {
  const coercing = ajv({ coerceTypes: 'array' });
  return ({ headers = {} }) => {
    const described = Object.entries(headers).map(
      ([name, header]) => [name.toLowerCase(), resolveReference(header, description)] as const,
    );
    const validate = coercing.compile({
      type: 'object',
      required: described.filter(([, { required }]) => required).map(([name]) => name),
      properties: {
        ...Object.fromEntries(READABLE_HEADERS.map((name) => [name.toLowerCase(), false])),
        ...Object.fromEntries(described.map(([name, { schema }]) => [name, schema])),
      },
    });
    return (answer) => findMismatch(validate, { ...answer.headers });
  };
}

function bodyChecks({ components: { schemas } }: ApiDescription): (response: Response) => Check {
  const closed = Object.entries(schemas).map(([name, schema]) => [
    name,
    'properties' in schema ? { additionalProperties: false, ...schema } : schema,
  ]);
  const known = ajv({}).addSchema({ $id: 'api', components: { schemas: Object.fromEntries(closed) } });
  return (response) => {
    const schema = JSON.stringify(readJsonMedia(response).schema ?? { const: '' });
    const validate = known.compile(JSON.parse(schema.replaceAll('"#/', '"api#/')));
    return ({ body }) => findMismatch(validate, body);
  };
}

type RefusalBody = { readonly code?: string; readonly detail?: string };

/** A refusal must be one of the examples of its status, word for word in their language. */
function createRefusalCheck(response: Response, description: ApiDescription): Check {
  const examples = Object.values(readJsonMedia(response).examples ?? {});
  const refusals = examples.map((example) => resolveReference(example, description).value as RefusalBody);
  return ({ status, headers, body }) => {
    // Validation errors are arrays and objects, also those of a field with the name `code`.
    if (status < 400 || typeof body.code !== 'string') return undefined;
    const known = refusals.filter(({ code }) => code === body.code);
    const isDescribed = headers['content-language'] !== 'es' || known.some(({ detail }) => detail === body.detail);
    return isDescribed ? undefined : `the message "${body.detail}"`;
  };
}
