import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { lambdaContext } from '../../../infra/local/gateway/event.ts';
import { loadHandler, readProxyAnswer } from '../../../infra/local/gateway/invocation.ts';
import { type ServedRoute, servedRoutes } from '../../../shared/api/routes.ts';
import { useServer } from '../../support/servers/test-server.ts';

useServer();

/** The event of the test button in API Gateway's console when nothing is filled in. */
const bareEvent = ({ method: httpMethod, path }: ServedRoute) => {
  const resource = path.replace(/\/$/, '');
  const none = { headers: null, multiValueHeaders: null, pathParameters: null, stageVariables: null, body: null };
  return {
    ...none,
    ...{ resource, path: resource, httpMethod, isBase64Encoded: false },
    ...{ queryStringParameters: null, multiValueQueryStringParameters: null },
    requestContext: {
      ...{ resourcePath: resource, path: resource, httpMethod, stage: 'test-invoke-stage', requestId: 'request-1' },
      ...{ domainName: 'testPrefix.testDomainName', domainPrefix: 'testPrefix' },
      identity: {
        apiKey: 'test-invoke-api-key',
        apiKeyId: 'test-invoke-api-key-id',
        sourceIp: 'test-invoke-source-ip',
      },
    },
  } as unknown as APIGatewayProxyEvent;
};

function expectedAnswer({ contract, authentication, path }: ServedRoute): [status: number, code: string | undefined] {
  if (contract.body && !contract.isBodyOptional) return [415, 'not_json'];
  if (authentication === 'none') return [400, 'call_not_signed'];
  if (authentication !== 'key') return [403, 'client_unknown'];
  return path.includes('{id}') ? [404, 'not_found'] : [200, undefined];
}

it.each(servedRoutes)("$method $path answers the test button of API Gateway's console", async (route) => {
  const handler = await loadHandler(route.handler);
  const { statusCode, body } = readProxyAnswer(await handler(bareEvent(route), lambdaContext('test', 'x', 10_000)));
  expect([statusCode, JSON.parse(String(body)).code]).toEqual(expectedAnswer(route));
});
