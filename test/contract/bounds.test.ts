import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DESCRIPTION } from '../../infra/api/description.ts';
import type { DescribedContract } from '../../shared/api/contract.ts';
import { routes } from '../../shared/api/routes.ts';
import { bodyFields, withValue } from '../support/hostile/body-fields.ts';
import { nameOf, WHOLE_BODIES } from '../support/hostile/whole-bodies.ts';

type Schema = { readonly [keyword: string]: unknown };
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

/** Returns the places of texts and arrays without an upper bound, at any depth of a JSON Schema. */
function findUnbounded(schema: unknown, place: string): string[] {
  if (!isSchema(schema)) return [];
  const { type, maxLength, maxItems } = schema;
  const types = [type].flat();
  const isKnown = 'enum' in schema || 'const' in schema;
  const own = [
    ...(types.includes('string') && maxLength === undefined && !isKnown ? [`${place}: text`] : []),
    ...(types.includes('array') && maxItems === undefined && !isKnown ? [`${place}: array`] : []),
  ];
  return [...own, ...Object.entries(schema).flatMap(([name, part]) => findUnbounded(part, `${place}/${name}`))];
}

const PARTS = ['path', 'query', 'headers', 'body'] as const satisfies (keyof DescribedContract)[];
const parts = routes.flatMap((route) =>
  PARTS.flatMap((part) => {
    const schema = route.contract[part];
    return schema ? [{ name: `${part} of ${nameOf(route)}`, part, schema }] : [];
  }),
);

describe('every text and array of a request', () => {
  it.each(parts)('has an upper bound: $name', ({ schema }) => {
    expect(findUnbounded(z.toJSONSchema(schema, { io: 'input' }), '')).toEqual([]);
  });

  it('shows its bound in the API description', () => {
    const { paths, components } = JSON.parse(readFileSync(DESCRIPTION, 'utf8'));
    const requests = Object.entries<Schema>(components.schemas).filter(([name]) =>
      /(Input|Request|^NewOrder)$/.test(name),
    );
    const operations = Object.values<Schema>(paths).flatMap((path) => Object.values(path) as Schema[]);
    const parameters = [...operations.map((operation) => operation.parameters), components.parameters];
    expect(requests.length).toBeGreaterThan(8);
    expect(findUnbounded([Object.fromEntries(requests), parameters], '')).toEqual([]);
  });
});

const ENDLESS = ['1', 'a', ' ', ',', '1,', '-', 'created_at,', 'approved,', '\u0301\u0323', '😀', '/'];

describe('an endless text', () => {
  const fields = parts
    .filter(({ part }) => part !== 'body')
    .flatMap(({ name, schema }) =>
      Object.keys(schema.shape).map((field) => ({ name: `${field} in ${name}`, field, schema })),
    );

  it.each(fields)('is refused as $name', ({ field, schema }) => {
    const accepted = ENDLESS.filter((unit) => schema.shape[field].safeParse(unit.repeat(100_000)).success);
    expect(accepted).toEqual([]);
  });
});

const bodies = routes.flatMap((route) => {
  const { body } = route.contract;
  const sample = WHOLE_BODIES[nameOf(route)];
  return body && sample
    ? bodyFields(body).map((field) => ({ body, sample, field, name: `${nameOf(route)} ${field.place.join('.')}` }))
    : [];
});

describe('a text of a body', () => {
  it.each(bodies.filter(({ field }) => field.types.includes('string') && !field.choices))(
    'is refused with one error when it is far too long: $name',
    ({ body, sample, field }) => {
      for (const unit of ['1', 'a', ' ', '\u0301', '😀']) {
        const text = unit.repeat(4_500_000 / unit.length);
        const { success, error } = body.safeParse(withValue(sample, field.place, text));
        expect([success, error?.issues.length]).toEqual([false, 1]);
      }
    },
  );
});

describe('an array of a body', () => {
  const arrays = bodies.filter(({ field }) => field.types === 'array');

  it.each(arrays)('is refused before its elements are looked at: $name', ({ body, sample, field }) => {
    const elements = Array((field.maximum ?? 0) + 1).fill(null);
    let looks = 0;
    const watched = new Proxy(elements, {
      get: (target, name) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) looks++;
        return Reflect.get(target, name);
      },
    });
    const copy = withValue(sample, field.place, null);
    const parent = field.place.slice(0, -1).reduce((at, step) => Reflect.get(at, step), copy);
    Reflect.set(parent, field.place.at(-1) ?? '', watched);
    expect(body.safeParse(copy).error?.issues.map(({ path }) => path)).toEqual([field.place]);
    expect(looks).toBe(0);
  });
});

describe('a null', () => {
  const optional = bodies.filter(({ field }) => !field.isRequired && typeof field.place.at(-1) === 'string');

  it.each(optional)('counts as absent: $name', ({ body, sample, field }) => {
    const absent = body.safeParse(withValue(sample, field.place, undefined));
    const none = body.safeParse(withValue(sample, field.place, null));
    expect([none.data, none.error?.issues]).toEqual([absent.data, absent.error?.issues]);
    expect(field.isNullable).toBe(true);
  });
});
