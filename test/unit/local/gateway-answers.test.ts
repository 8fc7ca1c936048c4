import { expect, it } from 'vitest';
import { gatewayAnswers } from '../../../infra/gateway-answers.ts';

it('has both languages in one text', () => {
  for (const { detail } of Object.values(gatewayAnswers)) expect(detail).toMatch(/^[^/]+\. \/ [^/]+\.$/);
});

it('has a status and a gateway response for each code', () => {
  const rows = Object.entries(gatewayAnswers).map(([code, row]) => [code, row.statusCode, ...row.responseTypes]);
  expect(rows).toEqual([
    ['api_key_invalid', 403, 'INVALID_API_KEY'],
    ['not_found', 404, 'UNSUPPORTED_MEDIA_TYPE', 'MISSING_AUTHENTICATION_TOKEN'],
    ['throttled', 429, 'THROTTLED'],
    ['unavailable', 503, 'INTEGRATION_FAILURE', 'DEFAULT_5XX'],
    ['timeout', 503, 'INTEGRATION_TIMEOUT'],
    ['unauthorized', 401, 'UNAUTHORIZED'],
    ['access_denied', 403, 'ACCESS_DENIED'],
    ['request_refused', 400, 'DEFAULT_4XX'],
  ]);
});
