import type { Route } from '../../../shared/api/routes.ts';
import { bodyFields, withValue } from './body-fields.ts';
import { nameOf, WHOLE_BODIES } from './whole-bodies.ts';

/** A request that costs as much as its sender can make it cost. */
export type Costly = { readonly what: string; readonly query?: string; body?(): string };

const MAX_BYTES = 256 * 1024;
const MAX_BYTES_WITH_DOCUMENTS = 5.5 * 1024 * 1024;
// This is just below the largest number of values that a body with documents may have.
const MOST_SIGNS = 19_000;

// Combining marks in the wrong order, which to sort takes the square of their number, characters of four bytes, halves of
// pairs, blanks, characters that grow when they are normalised or in upper case, and what patterns of e-mails repeat.
const UNITS = ['x', '\u0301\u0323', '😀', '\ud800', ' ', '\ufb2c', 'ß', '.', 'a.', '@', '-1', '\u0000', '\n', '=', '/'];

const repeat = (unit: string, bytes: number): string => unit.repeat(Math.max(0, Math.floor(bytes / unit.length)));
const listOf = (count: number, toItem: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => toItem(index)).join(',');

/** Returns JSON values that fill a body, by their names. */
const FILLERS: Readonly<Record<string, (bytes: number) => string>> = {
  'small numbers': (bytes) => `[${repeat('1,', bytes)}1]`,
  'empty objects': (bytes) => `[${repeat('{},', bytes)}{}]`,
  'nested arrays': (bytes) => repeat('[', bytes / 2) + repeat(']', bytes / 2),
  'different fields': (bytes) => `{${listOf(bytes / 12, (index) => `"${index.toString(36)}k":1`)}}`,
  'one long text': (bytes) => `"${repeat('x', bytes)}"`,
  escapes: (bytes) => `"${repeat('\\u0101', bytes)}"`,
  'as many numbers as allowed, each long': (bytes) =>
    `[${listOf(MOST_SIGNS, () => `0.${repeat('1', bytes / MOST_SIGNS - 4)}`)}]`,
  'as many objects as allowed': () => `[${listOf(MOST_SIGNS / 3, (index) => `{"${index}k":1}`)}]`,
  'as many levels as allowed': () => repeat('[', MOST_SIGNS) + repeat(']', MOST_SIGNS),
};

/** Returns the costliest bodies of a route: large ones, and every text, number and array at and beyond its bound. */
export function costlyBodies(route: Route): Costly[] {
  const { body } = route.contract;
  const sample = WHOLE_BODIES[nameOf(route)];
  if (!body || !sample) return [];
  const most = route.contract.carriesDocuments ? MAX_BYTES_WITH_DOCUMENTS : MAX_BYTES;
  const room = most - JSON.stringify(sample).length - 100;
  const fields = bodyFields(body);
  const whole = UNITS.flatMap((unit) =>
    [0, 1].map((more) => ({
      what: `every text of ${JSON.stringify(unit)}, ${more === 0 ? 'at' : 'beyond'} its bound`,
      body: () => JSON.stringify(withTexts(sample, fields, unit, more)),
    })),
  );
  const free = fields.filter(({ place }) => !FORMED.test(String(place.at(-1))));
  const valid = ['x', '😀', 'ab ', 'e\u0301\u0323', '\ufb2c'].map((unit) => ({
    what: `a valid body with every free text of ${JSON.stringify(unit)} at its bound`,
    body: () => JSON.stringify(withTexts(sample, free, unit, 0)),
  }));
  const filled = Object.entries(FILLERS).flatMap(([what, fill]) => [
    {
      what: `an unknown field of ${what}`,
      body: () => JSON.stringify(sample).replace('{', () => `{"unknown":${fill(room)},`),
    },
    { what: `${what}, cut off`, body: () => `{"unknown":${fill(room)}` },
    { what: `the key __proto__ behind ${what}`, body: () => `{"x":${fill(room)},"__proto__":1}` },
  ]);
  const fieldByField = fields.flatMap(({ place }) => [
    ...UNITS.slice(0, 6).map((unit) => ({
      what: `${place.join('.')} of ${JSON.stringify(unit)}`,
      body: () =>
        put(
          sample,
          place,
          `"${JSON.stringify(unit)
            .slice(1, -1)
            .repeat(room / Buffer.byteLength(unit) / 2)}"`,
        ),
    })),
    ...['as many numbers as allowed, each long', 'as many objects as allowed', 'as many levels as allowed'].map(
      (what) => ({
        what: `${place.join('.')} of ${what}`,
        body: () => put(sample, place, FILLERS[what]?.(room) ?? ''),
      }),
    ),
  ]);
  return [...valid, ...whole, ...filled, ...fieldByField];
}

// These have a form of their own, or have to be known.
const FORMED = /email|date$|document$|phone|rfc|cfdi_use|fiscal_regime|zipcode|coupon|password/;

const MARK = '@here@';
const put = (sample: object, place: Parameters<typeof withValue>[1], json: string): string =>
  JSON.stringify(withValue(sample, place, MARK)).replace(`"${MARK}"`, () => json);

const takeCharacters = (unit: string, length: number): string => [...unit.repeat(length)].slice(0, length).join('');

function withTexts(sample: object, fields: ReturnType<typeof bodyFields>, unit: string, more: number): object {
  let body = sample;
  for (const { place, types, choices, maximum = 0 } of fields) {
    if (types !== 'string' || choices) continue;
    const length = Math.min(maximum, 400_000) + more;
    body = withValue(body, place, takeCharacters(unit, length));
  }
  return body;
}

// API Gateway takes 10,240 bytes of path, query and headers.
const MAX_QUERY = 9_000;
const LIST_UNITS = ['1', '1,', ',', '9', 'a b ', 'created_at,', '-created_at,', 'approved,', 'paid,', '1e', '%'];
const QUERY_UNITS = [...UNITS, ...LIST_UNITS];

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789'];
/** Searches of at most 200 characters with many words, each of which many names contain. */
export const COSTLY_SEARCHES: readonly string[] = [
  LETTERS.join(' '),
  [...'aeiornst012567'].join(' '),
  LETTERS.flatMap((first) => ['a', 'e', '0'].map((second) => first + second)).join(' '),
  [...'0123456789'].flatMap((first) => ['7', '5', '0'].map((second) => first + second)).join(' '),
  'a b c '.repeat(33),
  '\u0301'.repeat(200),
  '\ufb2c'.repeat(200),
].map((text) => text.normalize('NFC').slice(0, 200));

/** Returns the costliest queries of a route: every parameter at its bound and beyond. */
export function costlyQueries(route: Route): Costly[] {
  const names = Object.keys(route.contract.query?.shape ?? {});
  const searches = names.includes('search') ? COSTLY_SEARCHES : [];
  return [
    ...searches.map((text) => ({ what: `search=${text}`, query: ask({ search: text }) })),
    ...names.flatMap((name) =>
      QUERY_UNITS.flatMap((unit) =>
        [200, 255, MAX_QUERY].map((length) => ({
          what: `${name}: ${length} of ${JSON.stringify(unit)}`,
          query: ask({ [name]: repeat(unit, length).toWellFormed() }).slice(0, MAX_QUERY * 3),
        })),
      ),
    ),
  ];
}

const ask = (parameters: Readonly<Record<string, string>>): string => new URLSearchParams(parameters).toString();
