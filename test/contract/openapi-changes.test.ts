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

/** The new values of some places of the document, by their paths; undefined removes what is there. */
type Change = Readonly<Record<string, unknown>>;

function changed(change: Change): string[] {
  const current = api();
  const { schemas } = current.components;
  const post = current.paths['/api/things/'].post;
  const parts: Api = { ...current, post, sent: schemas.NewThing, answered: schemas.Thing, schemas };
  for (const [place, value] of Object.entries(change)) {
    const steps = place.split('.');
    const last = steps.pop() as string;
    const parent = steps.reduce((part, step) => part[step], parts);
    if (value !== undefined) parent[last] = value;
    else if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else delete parent[last];
  }
  return findBreakingChanges(api(), current);
}

const POST = api().paths['/api/things/'].post;
const { Owner } = api().components.schemas;
const OWNER = { $ref: '#/components/schemas/Owner' };
const KEY = { type: 'apiKey', in: 'header', name: 'X-API-Key' };
const required = { name: 'day', in: 'query', required: true, schema: {} };
const NAME = { type: 'string', minLength: 1, maxLength: 30 };

describe('a change breaks a client when', () => {
  it.each<[what: string, change: Change, found: string]>([
    ['a route is removed', { 'paths./api/things/': undefined }, 'POST /api/things/: removed'],
    ['a method is removed', { 'paths./api/things/': { get: POST } }, 'POST /api/things/: removed'],
    [
      'a credential is required too',
      { 'post.security': [{ key: [], token: [] }] },
      'POST /api/things/: key no longer suffices',
    ],
    [
      'a credential moves',
      { 'components.securitySchemes.key.name': 'X-Key' },
      'POST /api/things/: key no longer suffices',
    ],
    ['a parameter is removed', { 'post.parameters.0': undefined }, 'POST /api/things/ query limit: removed'],
    [
      'a shared parameter is removed',
      { 'post.parameters.1': undefined },
      'POST /api/things/ header Accept-Language: removed',
    ],
    ['a parameter is required', { 'post.parameters.0.required': true }, 'POST /api/things/ query limit: now required'],
    ['a new parameter is required', { 'post.parameters.2': required }, 'POST /api/things/ query day: now required'],
    [
      'a parameter is written in another way',
      { 'post.parameters.0.explode': false },
      'POST /api/things/ query limit: written in another way',
    ],
    [
      'a bound of a parameter is lower',
      { 'post.parameters.0.schema.maximum': 50 },
      'POST /api/things/ query limit: maximum from 100 to 50',
    ],
    ['a default changes', { 'post.parameters.0.schema.default': 10 }, 'POST /api/things/ query limit: another default'],
    ['a body is required', { 'post.requestBody.required': true }, 'POST /api/things/ body: now required'],
    [
      'a kind of body is removed',
      { 'post.requestBody.content': {} },
      'POST /api/things/ body: application/json removed',
    ],
    ['a field that is sent is removed', { 'sent.properties.weight': undefined }, 'NewThing.weight: removed'],
    ['a field that is sent is required', { 'sent.required': ['name', 'kind'] }, 'NewThing.kind: now required'],
    [
      'a new field is required',
      { 'sent.properties.day': {}, 'sent.required': ['name', 'day'] },
      'NewThing.day: now required',
    ],
    ['a value that is sent is removed', { 'sent.properties.kind.enum': ['big'] }, 'NewThing.kind: small removed'],
    [
      'only some values are taken',
      { 'sent.properties.name.enum': ['x'] },
      'NewThing.name: only some values are still taken',
    ],
    [
      'null is no longer taken',
      { 'sent.properties.weight.type': 'number' },
      'NewThing.weight: null is no longer taken',
    ],
    ['another type is taken', { 'sent.properties.name.type': 'integer' }, 'NewThing.name: string is no longer taken'],
    ['less text is taken', { 'sent.properties.name.maxLength': 20 }, 'NewThing.name: maxLength from 30 to 20'],
    ['more text is required', { 'sent.properties.name.minLength': 2 }, 'NewThing.name: minLength from 1 to 2'],
    ['a new bound is set', { 'sent.properties.weight.maximum': 9 }, 'NewThing.weight: maximum from none to 9'],
    [
      'another pattern is asked for',
      { 'sent.properties.zipcode.pattern': '^\\d{4}$' },
      'NewThing.zipcode: another pattern',
    ],
    ['a pattern is asked for', { 'sent.properties.name.pattern': '^a' }, 'NewThing.name: another pattern'],
    ['a status is removed', { 'post.responses.400': undefined }, 'POST /api/things/ 400: removed'],
    ['a success status is added', { 'post.responses.202': {} }, 'POST /api/things/ 202: a success that is not known'],
    ['a header is removed', { 'post.responses.201.headers.ETag': undefined }, 'POST /api/things/ 201 ETag: removed'],
    [
      'a header becomes optional',
      { 'components.headers.ETag.required': false },
      'POST /api/things/ 201 ETag: no longer always there',
    ],
    [
      'an answer has no body',
      { 'post.responses.201.content': undefined },
      'POST /api/things/ 201: application/json removed',
    ],
    ['a field of an answer is removed', { 'answered.properties.price': undefined }, 'Thing.price: removed'],
    ['a field comes at times', { 'answered.required': ['id', 'kind', 'owner'] }, 'Thing.price: no longer always there'],
    ['a field may be null', { 'answered.properties.id.type': ['integer', 'null'] }, 'Thing.id: may now be null'],
    [
      'a record may be null',
      { 'answered.properties.owner': { anyOf: [OWNER, { type: 'null' }] } },
      'Thing.owner: may now be null',
    ],
    ['a field has another type', { 'answered.properties.id.type': 'string' }, 'Thing.id: may now be string'],
    ['a record becomes an id', { 'answered.properties.owner': { type: 'integer' } }, 'Thing.owner: may now be integer'],
    ['a value of an answer is removed', { 'answered.properties.kind.enum': ['big'] }, 'Thing.kind: small removed'],
    ['a value of an answer comes', { 'answered.properties.kind.enum.2': 'odd' }, 'Thing.kind: odd added'],
    ['any value may be answered', { 'answered.properties.kind.enum': undefined }, 'Thing.kind: may now be any value'],
    ['longer text is answered', { 'answered.properties.name.maxLength': 40 }, 'Thing.name: maxLength from 30 to 40'],
    [
      'text without bound is answered',
      { 'answered.properties.name.maxLength': undefined },
      'Thing.name: maxLength from 30 to none',
    ],
    ['another pattern is answered', { 'answered.properties.price.pattern': undefined }, 'Thing.price: another pattern'],
    ['a field within changes', { 'schemas.Owner.properties.id.type': 'string' }, 'Owner.id: may now be string'],
    [
      'messages are no longer text',
      { 'schemas.FieldErrors.additionalProperties.items.type': 'object' },
      'FieldErrors.*[]: may now be object',
    ],
  ])('%s', (_, change, found) => {
    expect(changed(change)).toEqual([found]);
  });
});

describe('a change breaks no client when', () => {
  it.each<[what: string, change: Change]>([
    ['nothing changes', {}],
    ['a route comes', { 'paths./api/parts/': { get: POST } }],
    ['another credential serves too', { 'post.security.1': { token: [] } }],
    ['no credential is required', { 'post.security': [{}] }],
    ['a scheme has another name', { 'components.securitySchemes.other': KEY, 'post.security': [{ other: [] }] }],
    ['a parameter comes', { 'post.parameters.2': { name: 'day', in: 'query', schema: {} } }],
    ['a bound of a parameter is wider', { 'post.parameters.0.schema.maximum': 200 }],
    ['a field may be sent', { 'sent.properties.day': { type: 'string' } }],
    ['a field need not be sent', { 'sent.required': [] }],
    ['null may be sent', { 'sent.properties.name.type': ['string', 'null'] }],
    ['another value may be sent', { 'sent.properties.kind.enum.2': 'odd' }],
    ['any value may be sent', { 'sent.properties.kind.enum': undefined }],
    ['longer text may be sent', { 'sent.properties.name.maxLength': 40 }],
    ['text of any pattern may be sent', { 'sent.properties.zipcode.pattern': undefined }],
    ['a refusal comes', { 'post.responses.429': {} }],
    ['a header comes', { 'post.responses.201.headers.Age': {} }],
    ['a field is answered too', { 'answered.properties.size': { type: 'integer' } }],
    ['a field is always answered', { 'answered.required': ['id', 'kind', 'price', 'owner', 'name'] }],
    ['a field is null no more', { 'answered.properties.note.type': 'string' }],
    ['shorter text is answered', { 'answered.properties.name.maxLength': 20 }],
    ['a pattern of an answer is told', { 'answered.properties.note.pattern': '^a' }],
    ['a record has a name of its own no more', { 'answered.properties.owner': Owner }],
    ['words and examples change', { 'sent.properties.name': { ...NAME, description: 'X', examples: ['a'] } }],
  ])('%s', (_, change) => {
    expect(changed(change)).toEqual([]);
  });
});
