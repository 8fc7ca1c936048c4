import { createComparison, type Document, type Json } from './schema-changes.ts';

type Api = Document & {
  readonly paths: Readonly<Record<string, Json>>;
  readonly components?: Document['components'] & { readonly [section: string]: Readonly<Record<string, Json>> };
};
type Comparison = ReturnType<typeof createComparison>;

/** Lists the differences between two OpenAPI documents that break a client of the first, one line each. */
export function findBreakingChanges(before: Api, after: Api): string[] {
  const requests = createComparison(before, after, 'request');
  const answers = createComparison(before, after, 'answer');
  const found = listOperations(before).flatMap(([name, old]) => {
    const current = new Map(listOperations(after)).get(name);
    if (!current) return [`${name}: removed`];
    return [
      ...securityChanges(name, [before, old], [after, current]),
      ...parameterChanges(name, [before, old], [after, current], requests),
      ...bodyChanges(name, old, current, requests),
      ...answerChanges(name, [before, old], [after, current], answers),
    ];
  });
  return [...new Set(found)];
}

type Operation = {
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Json[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
};
type Content = Readonly<Record<string, { readonly schema: Json }>>;
type Response = { readonly headers?: Readonly<Record<string, Json>>; readonly content?: Content };
type Side = readonly [api: Api, operation: Operation];

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

function listOperations({ paths }: Api): [string, Operation][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      item[method] as Operation,
    ]),
  );
}

/** Returns the component behind a reference; anything else is returned as it is. */
function resolveReference(api: Api, part: Json): Json {
  if (typeof part.$ref !== 'string') return part;
  const [section = '', name = ''] = part.$ref.replace('#/components/', '').split('/');
  return api.components?.[section]?.[name] ?? {};
}

function securityChanges(name: string, [before, old]: Side, [after, current]: Side): string[] {
  const credentials = (api: Api, schemes: object) =>
    Object.keys(schemes).map((scheme) => {
      const {
        type,
        scheme: kind,
        in: place,
        name: field,
      } = resolveReference(api, { $ref: `#/components/securitySchemes/${scheme}` });
      return [type, kind, place, field].filter(Boolean).join(' ');
    });
  const asked = (current.security ?? [{}]).map((schemes) => credentials(after, schemes));
  const isServed = (held: readonly string[]) => asked.some((needed) => needed.every((one) => held.includes(one)));
  const refused = (old.security ?? [{}]).filter((schemes) => !isServed(credentials(before, schemes)));
  return refused.map(
    (schemes) => `${name}: ${Object.keys(schemes).join(' and ') || 'no credential'} no longer suffices`,
  );
}

function parameterChanges(name: string, [before, old]: Side, [after, current]: Side, compare: Comparison): string[] {
  const from = mapParameters(before, old);
  const to = mapParameters(after, current);
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

const mapParameters = (api: Api, { parameters = [] }: Operation): Map<string, Json> =>
  new Map(parameters.map((part) => resolveReference(api, part)).map((part) => [`${part.in} ${part.name}`, part]));

function bodyChanges(name: string, old: Operation, current: Operation, compare: Comparison): string[] {
  const isNowRequired = current.requestBody?.required === true && old.requestBody?.required !== true;
  return [
    ...(isNowRequired ? [`${name} body: now required`] : []),
    ...contentChanges(`${name} body`, old.requestBody?.content, current.requestBody?.content, compare),
  ];
}

function contentChanges(where: string, old: Content = {}, current: Content = {}, compare: Comparison): string[] {
  return Object.entries(old).flatMap(([type, { schema }]) => {
    const kept = current[type];
    return kept ? compare(where, schema, kept.schema) : [`${where}: ${type} removed`];
  });
}

function answerChanges(name: string, [before, old]: Side, [after, current]: Side, compare: Comparison): string[] {
  const successes = Object.keys(current.responses).filter(
    (status) => status.startsWith('2') && !(status in old.responses),
  );
  return [
    ...successes.map((status) => `${name} ${status}: a success that is not known`),
    ...Object.entries(old.responses).flatMap(([status, was]) => {
      const is = current.responses[status];
      if (!is) return [`${name} ${status}: removed`];
      return [
        ...headerChanges(`${name} ${status}`, [before, was], [after, is]),
        ...contentChanges(`${name} ${status}`, was.content, is.content, compare),
      ];
    }),
  ];
}

function headerChanges(where: string, [before, old]: [Api, Response], [after, current]: [Api, Response]): string[] {
  return Object.entries(old.headers ?? {}).flatMap(([name, was]) => {
    const is = current.headers?.[name];
    if (!is) return [`${where} ${name}: removed`];
    const isLoose = resolveReference(before, was).required === true && resolveReference(after, is).required !== true;
    return isLoose ? [`${where} ${name}: no longer always there`] : [];
  });
}
