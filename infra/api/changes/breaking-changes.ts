import {
  type ApiDescription,
  type Call,
  type Content,
  listCalls,
  type Operation,
  type Parameter,
  type Response,
  resolveReference,
} from '../description.ts';
import { createComparison } from './schema-changes.ts';

type Comparison = ReturnType<typeof createComparison>;
type Side = readonly [api: ApiDescription, call: Call];

/** Lists the differences between two OpenAPI documents that break a client of the first, one line each. */
export function findBreakingChanges(before: ApiDescription, after: ApiDescription): string[] {
  const requests = createComparison(before, after, 'request');
  const answers = createComparison(before, after, 'answer');
  const calls = new Map(listCalls(after).map((call) => [nameCall(call), call]));
  const found = listCalls(before).flatMap((old) => {
    const name = nameCall(old);
    const current = calls.get(name);
    if (!current) return [`${name}: removed`];
    return [
      ...findSecurityChanges(name, [before, old], [after, current]),
      ...findParameterChanges(name, old.parameters, current.parameters, requests),
      ...findBodyChanges(name, old.operation, current.operation, requests),
      ...findAnswerChanges(name, [before, old], [after, current], answers),
    ];
  });
  return [...new Set(found)];
}

const nameCall = ({ method, path }: Call): string => `${method} ${path}`;

function findSecurityChanges(name: string, [before, { operation: old }]: Side, [after, { operation: current }]: Side) {
  const asked = (current.security ?? [{}]).map((schemes) => listCredentials(after, schemes));
  const isServed = (held: readonly string[]) => asked.some((needed) => needed.every((one) => held.includes(one)));
  const refused = (old.security ?? [{}]).filter((schemes) => !isServed(listCredentials(before, schemes)));
  return refused.map(
    (schemes) => `${name}: ${Object.keys(schemes).join(' and ') || 'no credential'} no longer suffices`,
  );
}

type SecurityScheme = {
  readonly type?: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
};

const listCredentials = (api: ApiDescription, schemes: object): string[] =>
  Object.keys(schemes).map((name) => {
    const scheme = resolveReference<SecurityScheme>({ $ref: `#/components/securitySchemes/${name}` }, api);
    return [scheme.type, scheme.scheme, scheme.in, scheme.name].filter(Boolean).join(' ');
  });

type Parameters = readonly Parameter[];

function findParameterChanges(name: string, old: Parameters, current: Parameters, compare: Comparison): string[] {
  const from = mapParameters(old);
  const to = mapParameters(current);
  const added = [...to].filter(([key, { required }]) => required === true && from.get(key)?.required !== true);
  return [
    ...added.map(([key]) => `${name} ${key}: now required`),
    ...[...from].flatMap(([key, was]) => {
      const is = to.get(key);
      if (!is) return [`${name} ${key}: removed`];
      const isWrittenOtherwise = was.style !== is.style || was.explode !== is.explode;
      return [
        ...(isWrittenOtherwise ? [`${name} ${key}: written in another way`] : []),
        ...compare(`${name} ${key}`, was.schema, is.schema),
      ];
    }),
  ];
}

const mapParameters = (parameters: Parameters): Map<string, Parameter> =>
  new Map(parameters.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]));

function findBodyChanges(name: string, { requestBody: old = {} }: Operation, current: Operation, compare: Comparison) {
  const { requestBody: body = {} } = current;
  const isNowRequired = body.required === true && old.required !== true;
  return [
    ...(isNowRequired ? [`${name} body: now required`] : []),
    ...findContentChanges(`${name} body`, old, body, compare),
  ];
}

function findContentChanges(where: string, old: Content, current: Content, compare: Comparison): string[] {
  const kept = new Map(Object.entries(current.content ?? {}));
  return Object.entries(old.content ?? {}).flatMap(([type, { schema }]) => {
    const media = kept.get(type);
    return media ? compare(where, schema, media.schema) : [`${where}: ${type} removed`];
  });
}

function findAnswerChanges(name: string, [before, old]: Side, [after, current]: Side, compare: Comparison): string[] {
  const known = new Map(old.responses);
  const answered = new Map(current.responses);
  const successes = [...answered.keys()].filter((status) => status.startsWith('2') && !known.has(status));
  return [
    ...successes.map((status) => `${name} ${status}: a success that is not known`),
    ...old.responses.flatMap(([status, was]) => {
      const is = answered.get(status);
      if (!is) return [`${name} ${status}: removed`];
      return [
        ...findHeaderChanges(`${name} ${status}`, [before, was], [after, is]),
        ...findContentChanges(`${name} ${status}`, was, is, compare),
      ];
    }),
  ];
}

type Answered = readonly [api: ApiDescription, response: Response];

function findHeaderChanges(where: string, [before, old]: Answered, [after, current]: Answered): string[] {
  return Object.entries(old.headers ?? {}).flatMap(([name, was]) => {
    const is = current.headers?.[name];
    if (!is) return [`${where} ${name}: removed`];
    const isLoose = resolveReference(was, before).required === true && resolveReference(is, after).required !== true;
    return isLoose ? [`${where} ${name}: no longer always there`] : [];
  });
}
