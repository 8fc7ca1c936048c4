import { userInfo } from 'node:os';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { identifyOperator } from '../../../infra/ops/context.ts';
import { isDesk } from '../../../infra/ops/target.ts';

afterEach(() => vi.unstubAllEnvs());

describe('the operator', () => {
  it.each(['http://127.0.0.1:8000', 'http://localhost:8000', 'http://[::1]:8000'])(
    'is the user of the system where the table is at %s',
    async (endpoint) => {
      vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint);
      expect(await identifyOperator(false)).toBe(userInfo().username);
    },
  );

  it.each([
    { AWS_ENDPOINT_URL_DYNAMODB: 'https://vpce-0a1b.dynamodb.us-east-1.vpce.amazonaws.com' },
    { AWS_ENDPOINT_URL_DYNAMODB: 'https://127.0.0.1.example.com' },
    { AWS_ENDPOINT_URL_DYNAMODB: 'no address' },
    { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000', AWS_ENDPOINT_URL_STS: 'http://127.0.0.1:8001' },
    {},
  ])('is whom AWS names: %j', (env) => {
    expect(isDesk(env)).toBe(false);
  });
});
