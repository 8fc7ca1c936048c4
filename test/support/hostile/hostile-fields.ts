import type * as z from 'zod';
import { bodyFields, type Place } from './body-fields.ts';

/** A field that no client may send, at a place in a body. */
export type ForbiddenField = { readonly place: Place; readonly value: unknown };

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Returns the places of these names in every object of a body, except where the contract has the field. */
export function forbiddenPlaces(contract: z.ZodObject, body: object, names: readonly string[]): Place[] {
  const known = new Set(bodyFields(contract).map(({ place }) => toPattern(place)));
  return listObjects(body, []).flatMap((object) =>
    names.map((name) => [...object, name]).filter((place) => !known.has(toPattern(place))),
  );
}

// A contract describes all elements of a list with one schema.
const toPattern = (place: Place): string => place.map((step) => (typeof step === 'number' ? '*' : step)).join(' ');

function listObjects(value: unknown, place: Place): Place[] {
  if (Array.isArray(value)) return value.flatMap((element, index) => listObjects(element, [...place, index]));
  if (!isObject(value)) return [];
  return [place, ...Object.entries(value).flatMap(([name, field]) => listObjects(field, [...place, name]))];
}

/** Returns the body as JSON with the fields added, which may have any name, such as `__proto__`. */
export function withFields(body: object, fields: readonly ForbiddenField[]): string {
  const additions = Map.groupBy(fields, ({ place }) => JSON.stringify(place.slice(0, -1)));

  function written(value: unknown, place: Place): string {
    if (Array.isArray(value)) return `[${value.map((element, index) => written(element, [...place, index])).join()}]`;
    if (!isObject(value)) return JSON.stringify(value);
    const own = Object.entries(value).map(([name, field]) => pair(name, written(field, [...place, name])));
    const added = (additions.get(JSON.stringify(place)) ?? []).map((field) =>
      pair(String(field.place.at(-1)), JSON.stringify(field.value)),
    );
    return `{${[...added, ...own].join()}}`;
  }
  return written(body, []);
}

const pair = (name: string, json: string): string => `${JSON.stringify(name)}:${json}`;

/** Returns the places where two documents differ, as `details * price`, except in fields named in `ignored`. */
export function differences(one: unknown, other: unknown, ignored: ReadonlySet<string>, place: Place = []): string[] {
  if (ignored.has(String(place.at(-1)))) return [];
  if (!isObject(one) || !isObject(other)) return one === other ? [] : [toPattern(place)];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => {
    if (!(name in one) || !(name in other)) return [toPattern([...place, name])];
    const step = Array.isArray(one) ? Number(name) : name;
    return differences(one[name], other[name], ignored, [...place, step]);
  });
}
