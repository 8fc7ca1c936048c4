import { DEMO_API_KEY, DEMO_PASSWORD } from '../../infra/local/seed.ts';
import { listClients } from '../../shared/store/access/clients.ts';
import { openTable } from '../../shared/store/table.ts';
import { manyAtOnce } from '../support/load/many-at-once.ts';
import { orderBody } from '../support/orders/samples.ts';

const LOGIN = { email: 'aseguradora@demo.example', password: DEMO_PASSWORD };
const DETAILS = [1, 2, 3, 5, 7].map((product) => ({ product, quantity: 2 }));
// The local engine is fast only after some hundred transactions.
const WARMING_ORDERS = 200;

/** The first requests of a function, as the events of API Gateway in JSON. */
export type Events = { readonly products: () => string; readonly login: () => string; readonly order: () => string };

/** Returns requests that the local server's engine can answer, with its demonstration's client and user. */
export async function prepareEvents(server: string): Promise<Events> {
  const { access } = await post(server, '/api/token/', LOGIN, '');
  const authorization = `Bearer ${access}`;
  await manyAtOnce(WARMING_ORDERS, 8, () => post(server, '/api/orders/resources/', newOrder(), authorization));
  const [client] = await listClients(openTable());
  const caller = { apiKeyId: client?.gatewayKeyIds[0] ?? '', authorization };
  return {
    products: () => toEvent('GET /api/products', caller, null),
    login: () => toEvent('POST /api/token', caller, LOGIN),
    order: () => toEvent('POST /api/orders/resources', caller, newOrder()),
  };
}

let patients = 0;
function newOrder(): object {
  patients += 1;
  return orderBody(`patient-${patients}@bench.example`, { details: DETAILS });
}

async function post(server: string, path: string, body: object, authorization: string) {
  const headers = { 'X-API-Key': DEMO_API_KEY, 'Content-Type': 'application/json', Authorization: authorization };
  const answer = await fetch(`${server}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { readonly access?: string };
}

type Caller = { readonly apiKeyId: string; readonly authorization: string };

function toEvent(line: string, { apiKeyId, authorization }: Caller, body: object | null): string {
  const [httpMethod, resourcePath] = line.split(' ');
  const identity = { apiKeyId, sourceIp: '127.0.0.1' };
  const path = `/v2${resourcePath}/`;
  return JSON.stringify({
    httpMethod,
    headers: { Host: 'api.example', 'Content-Type': 'application/json', Authorization: authorization },
    queryStringParameters: null,
    body: body && JSON.stringify(body),
    requestContext: { requestId: 'bench', domainName: 'api.example', path, httpMethod, resourcePath, identity },
  });
}
