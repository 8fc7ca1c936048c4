import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createStores,
  DEMO_API_KEY,
  DEMO_PASSWORD,
  publishDemoCatalog,
  registerDemoClient,
} from '../../../infra/local/seed.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());

async function logIn(email: string, key = DEMO_API_KEY) {
  const body = { email, password: DEMO_PASSWORD };
  const answer = await server.request('POST', '/api/token/', { key, body });
  return { status: answer.status, body: answer.body };
}

describe('the demonstration server', () => {
  it('has a client that is an insurance carrier', () => {
    expect(server.client).toMatchObject({
      name: 'Farmacia Demo',
      origin: 'demo',
      paymentMethods: [1, 2, 3, 4, 5],
      carrier: { name: 'Seguros Demo' },
    });
  });

  it.each(['paciente@demo.example', 'doctora@demo.example', 'aseguradora@demo.example'])(
    'lets %s log in',
    async (email) => {
      expect(await logIn(email)).toEqual({ status: 200, body: { access: expect.stringMatching(/^ey/) } });
    },
  );

  it('answers the same over HTTP and through its handlers', async () => {
    const path = '/api/products/?search=paracetamol&limit=1';
    const served = await server.request('GET', path);
    const invoked = await server.invoke('GET', path);
    expect(served.status).toBe(200);
    expect(served.body.results).toHaveLength(1);
    expect(invoked.status).toBe(200);
    expect(invoked.body.results).toEqual(served.body.results);
  });

  it('is not changed by a second seeding', async () => {
    const keys = server.keys.list();
    await createStores('plain');
    await publishDemoCatalog();
    expect(await registerDemoClient(server.keys)).toEqual(server.client);
    expect(server.keys.list()).toEqual(keys);
  });

  it('can get another client with users of its own', async () => {
    const { client, key } = await server.addClient('Otra farmacia');
    await server.addUser(client, 'patient', 'paciente@otra.example');
    expect((await logIn('paciente@otra.example', key)).status).toBe(200);
    expect(await server.login('paciente@otra.example', key)).toMatch(/^ey/);
    await expect(server.login('paciente@demo.example', key)).rejects.toThrow('cannot log in: 401');
  });
});
