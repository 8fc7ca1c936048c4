import { describe, expect, it } from 'vitest';
import { findBreakingChanges } from '../../infra/api/changes.ts';

// biome-ignore lint/suspicious/noExplicitAny: each case changes one place of a plain document
type Api = any;

const api = (): Api => ({
  paths: {
    '/api/things/': {
      post: {
        security: [{ key: [] }],
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
          { $ref: '#/components/parameters/Language' },
        ],
        requestBody: {
          required: false,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/NewThing' } } },
        },
        responses: {
          201: {
            headers: { ETag: { $ref: '#/components/headers/ETag' } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          400: {
            content: {
              'application/json': {
                schema: {
                  anyOf: [{ $ref: '#/components/schemas/FieldErrors' }, { $ref: '#/components/schemas/Error' }],
                },
              },
            },
          },
        },
      },
    },
  },
  components: {
    parameters: { Language: { name: 'Accept-Language', in: 'header', schema: { type: 'string' } } },
    headers: { ETag: { required: true, schema: { type: 'string' } } },
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      token: { type: 'http', scheme: 'bearer' },
    },
    schemas: {
      NewThing: {
        type: 'object',
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 30, description: 'Its name.' },
          kind: { type: 'string', enum: ['big', 'small'] },
          weight: { type: ['number', 'null'], minimum: 0 },
          zipcode: { type: 'string', pattern: '^\\d{5}$' },
        },
        required: ['name'],
      },
      Thing: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          kind: { type: 'string', enum: ['big', 'small'] },
          name: { type: 'string', maxLength: 30 },
          price: { type: 'string', pattern: '^\\d+\\.\\d\\d$' },
          note: { type: ['string', 'null'] },
          owner: { $ref: '#/components/schemas/Owner' },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
        },
        required: ['id', 'kind', 'price', 'owner'],
      },
      Owner: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      Error: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
      FieldErrors: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
    },
  },
});

const operation = (document: Api) => document.paths['/api/things/'].post;
const sent = (document: Api) => document.components.schemas.NewThing;
const answered = (document: Api) => document.components.schemas.Thing;
const changed = (change: (document: Api) => void): string[] => {
  const current = api();
  change(current);
  return findBreakingChanges(api(), current);
};

type Case = readonly [what: string, change: (document: Api) => void, found: string];

const BREAKING: readonly Case[] = [
  [
    'a route is removed',
    (d) => {
      delete d.paths['/api/things/'];
    },
    'POST /api/things/: removed',
  ],
  [
    'a method is removed',
    (d) => {
      d.paths['/api/things/'] = { get: operation(d) };
    },
    'POST /api/things/: removed',
  ],
  [
    'a credential is required too',
    (d) => {
      operation(d).security = [{ key: [], token: [] }];
    },
    'POST /api/things/: key no longer suffices',
  ],
  [
    'a credential moves',
    (d) => {
      d.components.securitySchemes.key.name = 'X-Key';
    },
    'POST /api/things/: key no longer suffices',
  ],
  [
    'a parameter is removed',
    (d) => {
      operation(d).parameters.shift();
    },
    'POST /api/things/ query limit: removed',
  ],
  [
    'a shared parameter is removed',
    (d) => {
      operation(d).parameters.pop();
    },
    'POST /api/things/ header Accept-Language: removed',
  ],
  [
    'a parameter is required',
    (d) => {
      operation(d).parameters[0].required = true;
    },
    'POST /api/things/ query limit: now required',
  ],
  [
    'a new parameter is required',
    (d) => {
      operation(d).parameters.push({ name: 'day', in: 'query', required: true, schema: {} });
    },
    'POST /api/things/ query day: now required',
  ],
  [
    'a parameter is written in another way',
    (d) => {
      operation(d).parameters[0].explode = false;
    },
    'POST /api/things/ query limit: written in another way',
  ],
  [
    'a bound of a parameter is lower',
    (d) => {
      operation(d).parameters[0].schema.maximum = 50;
    },
    'POST /api/things/ query limit: maximum from 100 to 50',
  ],
  [
    'a default changes',
    (d) => {
      operation(d).parameters[0].schema.default = 10;
    },
    'POST /api/things/ query limit: another default',
  ],
  [
    'a body is required',
    (d) => {
      operation(d).requestBody.required = true;
    },
    'POST /api/things/ body: now required',
  ],
  [
    'a kind of body is removed',
    (d) => {
      operation(d).requestBody.content = {};
    },
    'POST /api/things/ body: application/json removed',
  ],
  [
    'a field that is sent is removed',
    (d) => {
      delete sent(d).properties.weight;
    },
    'NewThing.weight: removed',
  ],
  [
    'a field that is sent is required',
    (d) => {
      sent(d).required.push('kind');
    },
    'NewThing.kind: now required',
  ],
  [
    'a new field is required',
    (d) => {
      sent(d).properties.day = {};
      sent(d).required.push('day');
    },
    'NewThing.day: now required',
  ],
  [
    'a value that is sent is removed',
    (d) => {
      sent(d).properties.kind.enum = ['big'];
    },
    'NewThing.kind: small removed',
  ],
  [
    'only some values are taken',
    (d) => {
      sent(d).properties.name.enum = ['x'];
    },
    'NewThing.name: only some values are still taken',
  ],
  [
    'null is no longer taken',
    (d) => {
      sent(d).properties.weight.type = 'number';
    },
    'NewThing.weight: null is no longer taken',
  ],
  [
    'another type is taken',
    (d) => {
      sent(d).properties.name.type = 'integer';
    },
    'NewThing.name: string is no longer taken',
  ],
  [
    'less text is taken',
    (d) => {
      sent(d).properties.name.maxLength = 20;
    },
    'NewThing.name: maxLength from 30 to 20',
  ],
  [
    'more text is required',
    (d) => {
      sent(d).properties.name.minLength = 2;
    },
    'NewThing.name: minLength from 1 to 2',
  ],
  [
    'a new bound is set',
    (d) => {
      sent(d).properties.weight.maximum = 9;
    },
    'NewThing.weight: maximum from none to 9',
  ],
  [
    'another pattern is asked for',
    (d) => {
      sent(d).properties.zipcode.pattern = '^\\d{4}$';
    },
    'NewThing.zipcode: another pattern',
  ],
  [
    'a pattern is asked for',
    (d) => {
      sent(d).properties.name.pattern = '^a';
    },
    'NewThing.name: another pattern',
  ],
  [
    'a status is removed',
    (d) => {
      delete operation(d).responses[400];
    },
    'POST /api/things/ 400: removed',
  ],
  [
    'a success status is added',
    (d) => {
      operation(d).responses[202] = {};
    },
    'POST /api/things/ 202: a success that is not known',
  ],
  [
    'a header is removed',
    (d) => {
      delete operation(d).responses[201].headers.ETag;
    },
    'POST /api/things/ 201 ETag: removed',
  ],
  [
    'a header becomes optional',
    (d) => {
      d.components.headers.ETag.required = false;
    },
    'POST /api/things/ 201 ETag: no longer always there',
  ],
  [
    'an answer has no body',
    (d) => {
      delete operation(d).responses[201].content;
    },
    'POST /api/things/ 201: application/json removed',
  ],
  [
    'a field of an answer is removed',
    (d) => {
      delete answered(d).properties.price;
    },
    'Thing.price: removed',
  ],
  [
    'a field comes at times',
    (d) => {
      answered(d).required = ['id', 'kind', 'owner'];
    },
    'Thing.price: no longer always there',
  ],
  [
    'a field may be null',
    (d) => {
      answered(d).properties.id.type = ['integer', 'null'];
    },
    'Thing.id: may now be null',
  ],
  [
    'a record may be null',
    (d) => {
      answered(d).properties.owner = { anyOf: [answered(d).properties.owner, { type: 'null' }] };
    },
    'Thing.owner: may now be null',
  ],
  [
    'a field has another type',
    (d) => {
      answered(d).properties.id.type = 'string';
    },
    'Thing.id: may now be string',
  ],
  [
    'a record becomes an id',
    (d) => {
      answered(d).properties.owner = { type: 'integer' };
    },
    'Thing.owner: may now be integer',
  ],
  [
    'a value of an answer is removed',
    (d) => {
      answered(d).properties.kind.enum = ['big'];
    },
    'Thing.kind: small removed',
  ],
  [
    'a value of an answer comes',
    (d) => {
      answered(d).properties.kind.enum.push('odd');
    },
    'Thing.kind: odd added',
  ],
  [
    'any value may be answered',
    (d) => {
      delete answered(d).properties.kind.enum;
    },
    'Thing.kind: may now be any value',
  ],
  [
    'longer text is answered',
    (d) => {
      answered(d).properties.name.maxLength = 40;
    },
    'Thing.name: maxLength from 30 to 40',
  ],
  [
    'text without bound is answered',
    (d) => {
      delete answered(d).properties.name.maxLength;
    },
    'Thing.name: maxLength from 30 to none',
  ],
  [
    'another pattern is answered',
    (d) => {
      delete answered(d).properties.price.pattern;
    },
    'Thing.price: another pattern',
  ],
  [
    'a field within changes',
    (d) => {
      d.components.schemas.Owner.properties.id.type = 'string';
    },
    'Owner.id: may now be string',
  ],
  [
    'messages are no longer text',
    (d) => {
      d.components.schemas.FieldErrors.additionalProperties.items.type = 'object';
    },
    'FieldErrors.*[]: may now be object',
  ],
];

const COMPATIBLE: readonly (readonly [string, (document: Api) => void])[] = [
  ['nothing changes', () => {}],
  [
    'a route comes',
    (d) => {
      d.paths['/api/parts/'] = { get: operation(d) };
    },
  ],
  [
    'another credential serves too',
    (d) => {
      operation(d).security.push({ token: [] });
    },
  ],
  [
    'no credential is required',
    (d) => {
      operation(d).security = [{}];
    },
  ],
  [
    'a scheme has another name',
    (d) => {
      d.components.securitySchemes.other = d.components.securitySchemes.key;
      operation(d).security = [{ other: [] }];
    },
  ],
  [
    'a parameter comes',
    (d) => {
      operation(d).parameters.push({ name: 'day', in: 'query', schema: {} });
    },
  ],
  [
    'a bound of a parameter is wider',
    (d) => {
      operation(d).parameters[0].schema.maximum = 200;
    },
  ],
  [
    'a field may be sent',
    (d) => {
      sent(d).properties.day = { type: 'string' };
    },
  ],
  [
    'a field need not be sent',
    (d) => {
      sent(d).required = [];
    },
  ],
  [
    'null may be sent',
    (d) => {
      sent(d).properties.name.type = ['string', 'null'];
    },
  ],
  [
    'another value may be sent',
    (d) => {
      sent(d).properties.kind.enum.push('odd');
    },
  ],
  [
    'any value may be sent',
    (d) => {
      delete sent(d).properties.kind.enum;
    },
  ],
  [
    'longer text may be sent',
    (d) => {
      sent(d).properties.name.maxLength = 40;
    },
  ],
  [
    'text of any pattern may be sent',
    (d) => {
      delete sent(d).properties.zipcode.pattern;
    },
  ],
  [
    'a refusal comes',
    (d) => {
      operation(d).responses[429] = {};
    },
  ],
  [
    'a header comes',
    (d) => {
      operation(d).responses[201].headers.Age = {};
    },
  ],
  [
    'a field is answered too',
    (d) => {
      answered(d).properties.size = { type: 'integer' };
    },
  ],
  [
    'a field is always answered',
    (d) => {
      answered(d).required.push('name');
    },
  ],
  [
    'a field is null no more',
    (d) => {
      answered(d).properties.note.type = 'string';
    },
  ],
  [
    'shorter text is answered',
    (d) => {
      answered(d).properties.name.maxLength = 20;
    },
  ],
  [
    'a pattern of an answer is told',
    (d) => {
      answered(d).properties.note.pattern = '^a';
    },
  ],
  [
    'a record has a name of its own no more',
    (d) => {
      answered(d).properties.owner = d.components.schemas.Owner;
    },
  ],
  [
    'words and examples change',
    (d) => {
      sent(d).properties.name = { ...sent(d).properties.name, description: 'X', examples: ['a'] };
    },
  ],
];

describe('a change breaks a client when', () => {
  it.each(BREAKING)('%s', (_, change, found) => {
    expect(changed(change)).toEqual([found]);
  });
});

describe('a change breaks no client when', () => {
  it.each(COMPATIBLE)('%s', (_, change) => {
    expect(changed(change)).toEqual([]);
  });
});
