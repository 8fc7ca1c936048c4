import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { openApiKeys } from '../../../infra/local/gateway/api-keys.ts';
import { createGateway, type GatewayOptions } from '../../../infra/local/gateway/gateway.ts';
import type { Handler } from '../../../infra/local/gateway/invocation.ts';
import { contract, type Method } from '../../../shared/api/contract.ts';
import type { Route } from '../../../shared/api/routes.ts';

export const TEST_KEY = 'test-key-of-twenty-characters';

const thing = contract({
  operationId: 'things',
  tag: 'Catalog',
  summary: 'Things',
  description: 'Things of a test.',
  authentication: 'key',
  answers: { 200: z.strictObject({ name: z.string() }) },
});
const row = (method: Method, path: Route['path'], handler: string): Route => ({
  method,
  path,
  authentication: 'key',
  contract: thing,
  handler: `functions/${handler}.ts`,
});
const ROUTES: readonly Route[] = [
  row('GET', '/api/things/', 'things/list'),
  row('POST', '/api/things/', 'things/create'),
  row('GET', '/api/things/{id}/', 'things/detail'),
  row('PATCH', '/api/things/{id}/', 'things/update'),
  row('POST', '/api/things/count/', 'things/count'),
  row('GET', '/api/things/{id}/parts/{part}/', 'things/part'),
];

export type TestGateway = Awaited<ReturnType<typeof openTestGateway>>;

/** Opens a gateway with a few routes and one API key. Each handler answers with the name of its file by default. */
export async function openTestGateway(options: Partial<GatewayOptions> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-'));
  const keys = openApiKeys(join(directory, 'api-keys.json'));
  keys.create({ name: 'test', value: TEST_KEY, enabled: true });
  const reports: string[] = [];
  let answer: Handler | undefined;
  const gateway = createGateway({
    routes: ROUTES,
    loadHandler: async (file) => answer ?? (async () => ({ statusCode: 200, body: JSON.stringify({ name: file }) })),
    keys,
    port: 0,
    report: (line) => reports.push(line),
    ...options,
  });
  return {
    url: await gateway.listen(),
    keys,
    /** The lines that the gateway reported. */
    reports: reports as readonly string[],
    /** Answers all later calls of any route with this handler. */
    answerWith: (handler: Handler): void => {
      answer = handler;
    },
    async close() {
      await gateway.close();
      rmSync(directory, { recursive: true });
    },
  };
}
