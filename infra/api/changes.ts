import * as z from 'zod';
import {
  type ApiDescription,
  type Call,
  type Content,
  listCalls,
  type Parameter,
  parseSchemaName,
  type Response,
  resolveReference,
  type Schema,
} from './description.ts';

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
    const { requestBody: body } = current.operation;
    return [
      ...findSecurityChanges(name, [before, old], [after, current]),
      ...findParameterChanges(name, old.parameters, current.parameters, requests),
      ...(body?.required && !old.operation.requestBody?.required ? [`${name} body: now required`] : []),
      ...findContentChanges(`${name} body`, old.operation.requestBody, body, requests),
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

type SecurityScheme = Readonly<Partial<Record<'type' | 'scheme' | 'in' | 'name', string>>>;

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

function findContentChanges(where: string, old: Content = {}, current: Content = {}, compare: Comparison): string[] {
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

/** A client sends a request and receives an answer. */
type Direction = 'request' | 'answer';

const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const CONSTRAINTS = ['pattern', 'format', 'const', 'multipleOf', 'uniqueItems', 'oneOf', 'allOf', 'not', 'prefixItems'];

/**
 * Returns a function that lists the differences between two schemas that break a client: a valid request must stay valid,
 * and an answer must stay within its old schema. Each named schema is compared once, and reported by its name.
 */
function createComparison(before: ApiDescription, after: ApiDescription, direction: Direction) {
  const compared = new Set<string>();

  function compareSchemas(where: string, old: Schema = {}, current: Schema = {}): string[] {
    const [from, to] = [splitByType(before, old), splitByType(after, current)];
    const lost = direction === 'request' ? [...from.keys()].filter((type) => !to.has(type)) : [];
    const gained = direction === 'answer' ? [...to.keys()].filter((type) => !from.has(type)) : [];
    return [
      ...lost.map((type) => `${where}: ${type} is no longer taken`),
      ...gained.map((type) => `${where}: may now be ${type}`),
      ...[...from].flatMap(([type, schema]) => compareType(where, schema, to.get(type))),
    ];
  }

  function compareType(where: string, old: Schema, current: Schema | undefined): string[] {
    if (!current) return [];
    const [from, to] = [parseSchemaName(old), parseSchemaName(current)];
    const pair = `${from ?? where} ${to ?? where}`;
    if ((from ?? to) !== undefined && compared.has(pair)) return [];
    compared.add(pair);
    const name = from !== undefined && from === to ? from : where;
    return compareRules(name, resolveReference(old, before), resolveReference(current, after));
  }

  function compareRules(where: string, old: Schema, current: Schema): string[] {
    return [
      ...findEnumChanges(where, old, current, direction),
      ...findBoundChanges(where, old, current, direction),
      ...findConstraintChanges(where, old, current, direction),
      ...compareFields(where, old, current),
      ...compareInner(`${where}[]`, old.items, current.items),
      ...compareInner(`${where}.*`, old.additionalProperties, current.additionalProperties),
    ];
  }

  function compareInner(where: string, old: Inner, current: Inner): string[] {
    if (typeof old !== 'object' && typeof current !== 'object') return [];
    return compareSchemas(where, toSchema(old), toSchema(current));
  }

  function compareFields(where: string, old: Schema, current: Schema): string[] {
    const [from, to] = [old.properties ?? {}, current.properties ?? {}];
    const [needed, needs] = [old.required ?? [], current.required ?? []];
    const removed = Object.keys(from).filter((name) => !(name in to));
    const kept = Object.keys(from).filter((name) => name in to);
    const strict = direction === 'request' ? needs.filter((name) => !needed.includes(name)) : [];
    const loose = direction === 'answer' ? needed.filter((name) => !needs.includes(name) && name in to) : [];
    return [
      ...removed.map((name) => `${where}.${name}: removed`),
      ...strict.map((name) => `${where}.${name}: now required`),
      ...loose.map((name) => `${where}.${name}: no longer always there`),
      ...kept.flatMap((name) => compareSchemas(`${where}.${name}`, from[name], to[name])),
    ];
  }

  return compareSchemas;
}

type Inner = Schema | boolean | undefined;
const toSchema = (schema: Inner): Schema => (typeof schema === 'object' ? schema : {});

/** Splits a schema into the types that it allows, each with its own schema. */
function splitByType(document: ApiDescription, written: Schema): Map<string, Schema> {
  const schema = widen(written);
  const own = resolveReference(schema, document);
  const variants = own.anyOf ?? (own.type === undefined ? own.oneOf : undefined);
  if (!variants) return new Map(listTypes(own).map((type) => [type, withType(schema, own, type)]));
  const objects = variants.map(widen).filter(({ $ref }) => $ref !== undefined);
  // Several objects are distinguished by their names.
  if (objects.length > 1) return new Map(objects.map((variant) => [parseSchemaName(variant) ?? '', variant]));
  return new Map(variants.flatMap((variant) => [...splitByType(document, variant)]));
}

// A named schema that an answer narrows, as to some codes, which may become more.
const widen = (schema: Schema): Schema => (schema.allOf?.[0]?.$ref === undefined ? schema : schema.allOf[0]);

const listTypes = ({ type = 'any value' }: Schema): string[] => [type].flat();

function withType(schema: Schema, own: Schema, type: string): Schema {
  if (type === 'null') return {};
  return Array.isArray(own.type) ? { ...own, type } : schema;
}

function findEnumChanges(where: string, old: Schema, current: Schema, direction: Direction): string[] {
  const [from, to] = [old.enum, current.enum];
  if (!from && !to) return [];
  if (!from) return direction === 'request' ? [`${where}: only some values are still taken`] : [];
  if (!to) return direction === 'answer' ? [`${where}: may now be any value`] : [];
  const removed = from.filter((value) => !to.includes(value)).map((value) => `${where}: ${value} removed`);
  // A client that handles every known value would receive an unknown one.
  const added = to.filter((value) => !from.includes(value)).map((value) => `${where}: ${value} added`);
  return direction === 'answer' ? [...removed, ...added] : removed;
}

function findBoundChanges(where: string, old: Schema, current: Schema, direction: Direction): string[] {
  const [narrow, wide] = direction === 'request' ? [old, current] : [current, old];
  // The bounds of the wide side must include those of the narrow side.
  const isWithin = (name: string, inner: (bound: number, limit: number) => boolean) => {
    const [bound, limit] = [narrow[name] as number | undefined, wide[name] as number | undefined];
    return limit === undefined || (bound !== undefined && inner(bound, limit));
  };
  const broken = [
    ...UPPER.filter((name) => !isWithin(name, (bound, limit) => bound <= limit)),
    ...LOWER.filter((name) => !isWithin(name, (bound, limit) => bound >= limit)),
  ];
  return broken.map((name) => `${where}: ${name} from ${old[name] ?? 'none'} to ${current[name] ?? 'none'}`);
}

function findConstraintChanges(where: string, old: Schema, current: Schema, direction: Direction): string[] {
  const source = direction === 'request' ? current : old;
  const changed = CONSTRAINTS.filter(
    (name) => source[name] !== undefined && JSON.stringify(old[name]) !== JSON.stringify(current[name]),
  );
  const isDefault = direction === 'request' && JSON.stringify(old.default) !== JSON.stringify(current.default);
  return [...changed, ...(isDefault ? ['default'] : [])].map((name) => `${where}: another ${name}`);
}

const intendedChanges = z.array(
  z.strictObject({
    /** The line that the check prints. */
    change: z.string().min(1),
    reason: z.string().min(1),
    /** The date of the decision. */
    date: z.iso.date(),
  }),
);

/** Lists the breaking changes that nobody recorded as intended, and the recorded changes that were not found. */
export function findUnrecorded(found: readonly string[], recorded: unknown): string[] {
  const intended = intendedChanges.parse(recorded).map(({ change }) => change);
  return [
    ...found.filter((change) => !intended.includes(change)).map((change) => `breaks a client: ${change}`),
    ...intended.filter((change) => !found.includes(change)).map((change) => `recorded, but no change: ${change}`),
  ];
}
