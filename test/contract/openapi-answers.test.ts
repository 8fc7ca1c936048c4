import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApiDescription } from '../../infra/api/description.ts';
import { createAnswerCheck } from '../support/http/answer-check.ts';

const text = readFileSync(join(import.meta.dirname, '../../infra/api/openapi.json'), 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: each case takes one thing out of a plain document
const without = (remove: (description: any) => void): ApiDescription => {
  const description = JSON.parse(text);
  remove(description);
  return description;
};
const whole = without(() => {});

const DISEASES = { method: 'GET', path: '/api/diseases/' };
const ORDER = { method: 'GET', path: '/api/orders/{id}/' };
const HEADERS = { 'x-request-id': 'r', 'content-language': 'es' };
const CACHED = { ...HEADERS, etag: '"a"', 'cache-control': 'private, max-age=30' };
const DISEASE = {
  id: 1,
  name: 'Fiebre',
  is_chronic: false,
  created_at: '2026-01-05T14:00:00.000Z',
  updated_at: '2026-03-02T14:00:00.000Z',
};
const page = (result: object) => ({ count: 1, next: null, previous: null, results: [result] });
const LISTED = { status: 200, headers: CACHED, body: page(DISEASE) };
const MISSING = { status: 404, headers: HEADERS, body: { detail: 'No encontrado.', code: 'not_found' } };
const checking = (description: ApiDescription, route: typeof DISEASES, answer: typeof LISTED | object) => () =>
  createAnswerCheck(description)(route, { ...LISTED, ...answer });

describe('an answer as described is accepted', () => {
  it.each([
    ['a list', DISEASES, LISTED],
    ['an unchanged answer', DISEASES, { status: 304, headers: CACHED, body: '' }],
    ['bad parameters', DISEASES, { status: 400, headers: HEADERS, body: { limit: ['No.'] } }],
    [
      'errors within arrays and objects',
      { method: 'POST', path: '/api/orders/resources/' },
      { status: 400, headers: HEADERS, body: { order: { details: [{}, { quantity: ['No.'] }] } } },
    ],
    [
      'malformed JSON',
      { method: 'POST', path: '/api/token/' },
      { status: 400, headers: HEADERS, body: { detail: 'El cuerpo no es JSON válido.', code: 'malformed_json' } },
    ],
    ['a missing record', ORDER, MISSING],
    [
      'a refusal in English',
      ORDER,
      {
        ...MISSING,
        headers: { ...HEADERS, 'content-language': 'en' },
        body: { detail: 'Not found.', code: 'not_found' },
      },
    ],
    [
      'a throttled call',
      ORDER,
      {
        status: 429,
        headers: { ...HEADERS, 'retry-after': '1' },
        body: {
          detail:
            'Demasiadas solicitudes; intente de nuevo en unos segundos. / Too many requests; try again in some seconds.',
          code: 'throttled',
        },
      },
    ],
  ])('%s', (_, route, answer) => {
    expect(checking(whole, route, answer)).not.toThrow();
  });
});

describe('an answer fails when the OpenAPI document lacks', () => {
  it.each([
    ['its path', without((d) => delete d.paths['/api/diseases/']), 'the route'],
    [
      'its method',
      without((d) => {
        d.paths['/api/diseases/'].post = d.paths['/api/diseases/'].get;
        delete d.paths['/api/diseases/'].get;
      }),
      'the route',
    ],
    ['its status', without((d) => delete d.paths['/api/diseases/'].get.responses[200]), 'the status'],
    [
      'a field',
      without((d) => delete d.components.schemas.Disease.properties.is_chronic),
      'additional properties {"additionalProperty":"is_chronic"}',
    ],
    ['a field of its page', without((d) => delete d.components.schemas.DiseasePage.properties.next), '"next"'],
    ['one of its headers', without((d) => delete d.paths['/api/diseases/'].get.responses[200].headers.ETag), '/etag'],
  ])('%s', (_, description, mismatch) => {
    expect(checking(description, DISEASES, LISTED)).toThrow(mismatch);
  });

  it('its example', () => {
    const description = without(
      (d) => delete d.paths['/api/orders/{id}/'].get.responses[404].content['application/json'].examples.not_found,
    );
    expect(checking(description, ORDER, MISSING)).toThrow('the message "No encontrado."');
  });
});

describe('an answer fails when it is not as described:', () => {
  const { is_chronic, ...incomplete } = DISEASE;
  it.each([
    ['without a field', DISEASES, { body: page(incomplete) }, 'is_chronic'],
    ['with a field too many', DISEASES, { body: page({ ...DISEASE, icd: 'R50' }) }, 'icd'],
    [
      'with a field of another type',
      DISEASES,
      { body: page({ ...DISEASE, id: '1' }) },
      '/results/0/id must be integer',
    ],
    [
      'with a time of another form',
      DISEASES,
      { body: page({ ...DISEASE, created_at: '2026-01-05' }) },
      '/results/0/created_at',
    ],
    ['without a header', DISEASES, { headers: HEADERS }, 'etag'],
    ['with a header that is not described', ORDER, { ...MISSING, headers: CACHED }, '/etag'],
    ['with a status that is not described', DISEASES, { status: 201 }, 'the status'],
    [
      'with a code that is not described',
      ORDER,
      { ...MISSING, body: { detail: 'No.', code: 'gone' } },
      '/code must be equal to one of the allowed values',
    ],
    ['with another message', ORDER, { ...MISSING, body: { detail: 'No.', code: 'not_found' } }, 'the message "No."'],
    ['throttled without Retry-After', ORDER, { ...MISSING, status: 429 }, 'retry-after'],
  ])('%s', (_, route, answer, mismatch) => {
    expect(checking(whole, route, answer)).toThrow(mismatch);
  });
});
