import { expect, it } from 'vitest';
import { isDesk } from '../../../infra/ops/target.ts';

it.each([
  [true, { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000' }],
  [true, { AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost:8000' }],
  [true, { AWS_ENDPOINT_URL_DYNAMODB: 'http://[::1]:8000' }],
  [false, { AWS_ENDPOINT_URL_DYNAMODB: 'https://vpce-0a1b.dynamodb.us-east-1.vpce.amazonaws.com' }],
  [false, { AWS_ENDPOINT_URL_DYNAMODB: 'https://127.0.0.1.example.com' }],
  [false, { AWS_ENDPOINT_URL_DYNAMODB: 'no address' }],
  [false, { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000', AWS_ENDPOINT_URL_STS: 'http://127.0.0.1:8001' }],
  [false, {}],
])('whether the operator is the user of the system, and not whom AWS names, is %s with %j', (isUser, env) => {
  expect(isDesk(env)).toBe(isUser);
});
