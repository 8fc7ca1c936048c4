import { type Document, type Json, schemaComparison } from './schema-changes.ts';

type Api = Document & {
  readonly paths: Readonly<Record<string, Json>>;
  readonly components?: Document['components'] & { readonly [section: string]: Readonly<Record<string, Json>> };
};
type Comparison = ReturnType<typeof schemaComparison>;

/** Everything that breaks a client of the first description when it meets the second, one line each. */
export function breakingChanges(before: Api, after: Api): string[] {
  const requests = schemaComparison(before, after, 'request');
  const answers = schemaComparison(before, after, 'answer');
  const found = operationsOf(before).flatMap(([name, old]) => {
    const young = new Map(operationsOf(after)).get(name);
    if (!young) return [`${name}: removed`];
    return [
      ...securityChanges(name, [before, old], [after, young]),
      ...parameterChanges(name, [before, old], [after, young], requests),
      ...bodyChanges(name, old, young, requests),
      ...answerChanges(name, [before, old], [after, young], answers),
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

function operationsOf({ paths }: Api): [string, Operation][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      item[method] as Operation,
    ]),
  );
}

/** A parameter, header or security scheme itself, whether it stands there or is referred to. */
function resolved(api: Api, part: Json): Json {
  if (typeof part.$ref !== 'string') return part;
  const [section = '', name = ''] = part.$ref.replace('#/components/', '').split('/');
  return api.components?.[section]?.[name] ?? {};
}

function securityChanges(name: string, [before, old]: Side, [after, young]: Side): string[] {
  const credentials = (api: Api, schemes: object) =>
    Object.keys(schemes).map((scheme) => {
      const {
        type,
        scheme: kind,
        in: place,
        name: field,
      } = resolved(api, { $ref: `#/components/securitySchemes/${scheme}` });
      return [type, kind, place, field].filter(Boolean).join(' ');
    });
  const asked = (young.security ?? [{}]).map((schemes) => credentials(after, schemes));
  const isServed = (held: readonly string[]) => asked.some((needed) => needed.every((one) => held.includes(one)));
  const refused = (old.security ?? [{}]).filter((schemes) => !isServed(credentials(before, schemes)));
  return refused.map(
    (schemes) => `${name}: ${Object.keys(schemes).join(' and ') || 'no credential'} no longer suffices`,
  );
}

function parameterChanges(name: string, [before, old]: Side, [after, young]: Side, compare: Comparison): string[] {
  const from = parametersOf(before, old);
  const to = parametersOf(after, young);
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

const parametersOf = (api: Api, { parameters = [] }: Operation): Map<string, Json> =>
  new Map(parameters.map((part) => resolved(api, part)).map((part) => [`${part.in} ${part.name}`, part]));

function bodyChanges(name: string, old: Operation, young: Operation, compare: Comparison): string[] {
  const isNowRequired = young.requestBody?.required === true && old.requestBody?.required !== true;
  return [
    ...(isNowRequired ? [`${name} body: now required`] : []),
    ...contentChanges(`${name} body`, old.requestBody?.content, young.requestBody?.content, compare),
  ];
}

function contentChanges(where: string, old: Content = {}, young: Content = {}, compare: Comparison): string[] {
  return Object.entries(old).flatMap(([type, { schema }]) => {
    const kept = young[type];
    return kept ? compare(where, schema, kept.schema) : [`${where}: ${type} removed`];
  });
}

function answerChanges(name: string, [before, old]: Side, [after, young]: Side, compare: Comparison): string[] {
  const successes = Object.keys(young.responses).filter(
    (status) => status.startsWith('2') && !(status in old.responses),
  );
  return [
    ...successes.map((status) => `${name} ${status}: a success that is not known`),
    ...Object.entries(old.responses).flatMap(([status, was]) => {
      const is = young.responses[status];
      if (!is) return [`${name} ${status}: removed`];
      return [
        ...headerChanges(`${name} ${status}`, [before, was], [after, is]),
        ...contentChanges(`${name} ${status}`, was.content, is.content, compare),
      ];
    }),
  ];
}

function headerChanges(where: string, [before, old]: [Api, Response], [after, young]: [Api, Response]): string[] {
  return Object.entries(old.headers ?? {}).flatMap(([name, was]) => {
    const is = young.headers?.[name];
    if (!is) return [`${where} ${name}: removed`];
    const isLoose = resolved(before, was).required === true && resolved(after, is).required !== true;
    return isLoose ? [`${where} ${name}: no longer always there`] : [];
  });
}
