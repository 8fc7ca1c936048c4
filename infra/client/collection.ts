import { type ApiDescription, type Call, listCalls, needsToken, readFirstExample } from '../api/description.ts';

// A user logs in and an order is placed before the requests that need them: by operationId, the variable that keeps a value of the
// answer for these.
const FIRST: Readonly<Record<string, string>> = {
  issueToken: "'token', pm.response.json().access",
  createOrder: "'order', pm.response.json().id",
};

/**
 * Returns a collection with one request for each operation, its first example, in the format of Postman 2.1, which Bruno and
 * Insomnia read as well.
 */
export function buildCollection(description: ApiDescription, values: { baseUrl: string; apiKey: string }) {
  const calls = listCalls(description);
  const first = Object.keys(FIRST).flatMap((id) => calls.filter(({ operation }) => operation.operationId === id));
  const rest = calls.filter((call) => !first.includes(call));
  return {
    info: {
      name: description.info.title,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: Object.entries({ ...values, token: '', order: '' }).map(([key, value]) => ({ key, value })),
    item: [...first, ...rest].map((call) => buildItem(call, description)),
  };
}

function buildItem(call: Call, description: ApiDescription) {
  const { method, path, operation } = call;
  const body = readFirstExample(operation.requestBody ?? {}, description);
  const kept = FIRST[operation.operationId];
  const isOfOrder = path.startsWith('/api/orders/{id}/');
  const id = isOfOrder ? '{{order}}' : String(call.parameters.find((one) => one.in === 'path')?.example ?? 1);
  return {
    name: operation.summary,
    request: {
      method,
      url: `{{baseUrl}}${path.replace('{id}', id)}`,
      header: [
        { key: 'X-API-Key', value: '{{apiKey}}' },
        ...(needsToken(call) ? [{ key: 'Authorization', value: 'Bearer {{token}}' }] : []),
        ...(body ? [{ key: 'Content-Type', value: 'application/json' }] : []),
      ],
      ...(body !== undefined && { body: { mode: 'raw', raw: JSON.stringify(body, null, 2) } }),
    },
    ...(kept && {
      event: [{ listen: 'test', script: { exec: [`pm.collectionVariables.set(${kept});`] } }],
    }),
  };
}
