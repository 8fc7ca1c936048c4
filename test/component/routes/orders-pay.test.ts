import { beforeAll, expect, it } from 'vitest';
import { orderBody } from '../../support/orders/samples.ts';
import { type DemoTokens, useServer } from '../../support/servers/test-server.ts';

const TRANSFER = 1;
const OXXO = 4;

const server = useServer();
let tokens: DemoTokens;
beforeAll(async () => {
  tokens = await server.loginDemoUsers();
});

const pay = (id: number, token: string) => server.request('POST', `/api/orders/${id}/payment/`, { token });

it.each([
  ['the present reference while it works', OXXO, 'employee', 200, {}],
  ['409 for an order that is not collected', TRANSFER, 'employee', 409, { code: 'not_payable' }],
  ["404 for somebody else's order", OXXO, 'doctor', 404, { code: 'not_found' }],
] as const)('answers %s', async (_, payment_method, role, status, part) => {
  const body = orderBody('paga@example.mx', { payment_method });
  const { body: placed } = await server.request('POST', '/api/orders/resources/', { token: tokens.employee, body });
  const answer = await pay(placed.id, tokens[role]);
  expect(answer).toMatchObject({ status, body: status === 200 ? placed : part });
});
