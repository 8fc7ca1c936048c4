import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { EXPOSED_HEADERS } from '../../../shared/http/headers.ts';
import type { HttpAnswer } from './http.ts';

type Schema = Record<string, unknown>;
type Reference = { readonly $ref: string };
type Content = { readonly schema: Schema; readonly examples?: Readonly<Record<string, Partial<Reference>>> };
type Response = {
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: { readonly 'application/json': Content };
};
type Header = { readonly required?: boolean; readonly schema: Schema };
type Refusal = { readonly value: { readonly code: string; readonly detail: string } };
export type ApiDescription = {
  readonly paths: Readonly<Record<string, Record<string, { readonly responses: Record<string, Response> }>>>;
  readonly components: {
    readonly schemas: Record<string, Schema>;
    readonly headers: Record<string, Header>;
    readonly examples: Record<string, Refusal>;
  };
};

/** Throws when the answer of a route is not one that the description has. */
export type AnswerCheck = (route: { readonly method: string; readonly path: string }, answer: HttpAnswer) => void;
/** What is wrong with an answer of one status, if anything. */
type Check = (answer: HttpAnswer) => string | undefined;

/** Checks answers against a description, with its schemas taken as closed; each is compiled when it is first needed. */
export function createAnswerCheck({ paths, components }: ApiDescription): AnswerCheck {
  const bodyCheck = bodyChecks(components);
  const compiled = new Map<Response, readonly Check[]>();

  function checksOf(response: Response): readonly Check[] {
    const checks = compiled.get(response) ?? [
      headerCheck(response, components),
      bodyCheck(response),
      refusalCheck(response, components),
    ];
    compiled.set(response, checks);
    return checks;
  }

  return ({ method, path }, answer) => {
    const place = `${method} ${path} ${answer.status}`;
    const operation = paths[path]?.[method.toLowerCase()];
    if (!operation) throw undescribed(place, 'the route');
    const response = operation.responses[answer.status];
    if (!response) throw undescribed(place, 'the status');
    for (const check of checksOf(response)) {
      const fault = check(answer);
      if (fault !== undefined) throw undescribed(place, fault);
    }
  };
}

const undescribed = (place: string, what: string) =>
  new Error(`${place} is not in infra/api/openapi.json (if it is as meant: npm run openapi): ${what}`);

const ajv = (options: object) => addFormats.default(new Ajv2020({ strict: false, allErrors: true, ...options }));

const faultOf = (validate: ValidateFunction, value: unknown): string | undefined =>
  validate(value)
    ? undefined
    : (validate.errors ?? [])
        .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
        .join('; ');

// What a caller may read of an answer is described, or is not there.
const TOLD_HEADERS = [...EXPOSED_HEADERS, 'Set-Cookie'];

function headerCheck({ headers = {} }: Response, components: ApiDescription['components']): Check {
  const described = Object.entries(headers).map(
    ([name, { $ref }]) => [name.toLowerCase(), components.headers[nameIn($ref)]] as const,
  );
  const validate = ajv({ coerceTypes: 'array' }).compile({
    type: 'object',
    required: described.filter(([, header]) => header?.required).map(([name]) => name),
    properties: {
      ...Object.fromEntries(TOLD_HEADERS.map((name) => [name.toLowerCase(), false])),
      ...Object.fromEntries(described.map(([name, header]) => [name, header?.schema ?? false])),
    },
  });
  return (answer) => faultOf(validate, { ...answer.headers });
}

const nameIn = (address: string): string => address.split('/').at(-1) ?? '';

function bodyChecks({ schemas }: ApiDescription['components']): (response: Response) => Check {
  const closed = Object.entries(schemas).map(([name, schema]) => [
    name,
    'properties' in schema ? { additionalProperties: false, ...schema } : schema,
  ]);
  const known = ajv({}).addSchema({ $id: 'api', components: { schemas: Object.fromEntries(closed) } });
  return ({ content }) => {
    const schema = JSON.stringify(content?.['application/json'].schema ?? { const: '' });
    const validate = known.compile(JSON.parse(schema.replaceAll('"#/', '"api#/')));
    return ({ body }) => faultOf(validate, body);
  };
}

/** A refusal is one of the examples of its status, word for word when it is in their language. */
function refusalCheck({ content }: Response, { examples }: ApiDescription['components']): Check {
  const shown = Object.values(content?.['application/json'].examples ?? {});
  const refusals = shown.map(({ $ref }) => examples[nameIn($ref ?? '')]?.value);
  return ({ status, headers, body }) => {
    // The fields of a faulty request are arrays and objects, also one that is called `code`.
    if (status < 400 || typeof body.code !== 'string') return undefined;
    const known = refusals.filter((refusal) => refusal?.code === body.code);
    if (known.length === 0) return `the code ${body.code}`;
    const isSaid = headers['content-language'] !== 'es' || known.some((refusal) => refusal?.detail === body.detail);
    return isSaid ? undefined : `the message "${body.detail}"`;
  };
}
