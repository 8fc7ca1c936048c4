import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { handler } from '../functions/me/detail.ts';
import { DEMO_API_KEY } from '../infra/local/seed.ts';
import { openServer, type TestServer } from './support/servers/test-server.ts';

let server: TestServer; // a table, documents, and the demonstration's catalog, client and users
beforeAll(async () => {
  server = await openServer();
});
afterAll(() => server.close());

it('answers the profile of the user whose token was sent', async () => {
  const event = {
    headers: { authorization: `Bearer ${await server.login('paciente@demo.example')}` },
    pathParameters: null,
    queryStringParameters: null,
    body: null,
    requestContext: { requestId: 'a', identity: { apiKeyId: server.keys.find(DEMO_API_KEY)?.id } },
  } as unknown as APIGatewayProxyEvent;
  const context = { getRemainingTimeInMillis: () => 10_000 } as Context;
  const { statusCode, body } = await handler(event, context);
  expect([statusCode, JSON.parse(body)]).toMatchObject([200, { email: 'paciente@demo.example', first_name: 'Lucía' }]);
});
