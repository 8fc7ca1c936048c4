import { type ApiDescription, type Call, listCalls, needsToken, readFirstExample } from '../api/description.ts';

/** A request of a collection, in the format of Postman 2.1, which Bruno and Insomnia read as well. */
export type CollectionItem = {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly header: readonly { readonly key: string; readonly value: string }[];
    readonly url: string;
    readonly body?: { readonly mode: 'raw'; readonly raw: string };
  };
  /** A script that keeps a value of the answer for the requests after it. */
  readonly event?: readonly { readonly listen: 'test'; readonly script: { readonly exec: readonly string[] } }[];
};

export type Collection = {
  readonly info: { readonly name: string; readonly schema: string };
  readonly variable: readonly { readonly key: string; readonly value: string }[];
  readonly item: readonly CollectionItem[];
};

// The value of its answer that later requests need, by operationId.
const KEPT: Readonly<Record<string, { readonly variable: string; readonly field: string }>> = {
  issueToken: { variable: 'token', field: 'access' },
  createOrder: { variable: 'order', field: 'id' },
};

// A user logs in and an order is placed before the requests that need them.
const FIRST = ['issueToken', 'createOrder'];

/** Returns a collection with one request for each operation, its first example. */
export function buildCollection(description: ApiDescription, values: { baseUrl: string; apiKey: string }): Collection {
  const calls = listCalls(description);
  const first = FIRST.flatMap((id) => calls.filter(({ operation }) => operation.operationId === id));
  const rest = calls.filter((call) => !first.includes(call));
  return {
    info: {
      name: description.info.title,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: [...Object.entries(values), ['token', ''], ['order', '']].map(([key = '', value = '']) => ({
      key,
      value,
    })),
    item: [...first, ...rest].map((call) => buildItem(call, description)),
  };
}

function buildItem(call: Call, description: ApiDescription): CollectionItem {
  const { method, path, operation } = call;
  const body = readFirstExample(operation.requestBody ?? {}, description);
  const kept = KEPT[operation.operationId];
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
      ...(body !== undefined && { body: { mode: 'raw' as const, raw: JSON.stringify(body, null, 2) } }),
    },
    ...(kept && {
      event: [
        {
          listen: 'test' as const,
          script: { exec: [`pm.collectionVariables.set('${kept.variable}', pm.response.json().${kept.field});`] },
        },
      ],
    }),
  };
}
