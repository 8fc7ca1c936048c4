import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { expect, it } from 'vitest';
import { handler } from '../functions/me/detail.ts';
import { DEMO_API_KEY } from '../infra/local/seed.ts';
import { useServer } from './support/servers/test-server.ts';

const server = useServer(); // a table, documents, and the demonstration's catalog, client and users

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
