import { describe, expect, it } from 'vitest';
import {
  createStores,
  DEMO_API_KEY,
  DEMO_PASSWORD,
  publishDemoCatalog,
  registerDemoClient,
} from '../../../infra/local/seed.ts';
import { useServer } from '../../support/servers/test-server.ts';

const server = useServer();

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
      const body = { email, password: DEMO_PASSWORD };
      const answer = await server.request('POST', '/api/token/', { key: DEMO_API_KEY, body });
      expect(answer).toMatchObject({ status: 200, body: { access: expect.stringMatching(/^ey/) } });
    },
  );

  it('serves the images of products to the pages of every port', async () => {
    const load = (key: string) =>
      fetch(new URL(`/images/${key}`, server.url), { headers: { Origin: 'http://localhost:5173' } });
    const answer = await load('fdff9d103db6764c3de276113637e4af.png');
    expect([answer.status, (await answer.bytes()).length]).toEqual([200, 315]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    expect((await load('fdff9d103db6764c3de276113637e4ae.png')).status).toBe(404);
  });

  it('is not changed by a second seeding', async () => {
    const keys = server.keys.list();
    await createStores('plain');
    await publishDemoCatalog();
    expect(await registerDemoClient(server.keys)).toEqual(server.client);
    expect(server.keys.list()).toEqual(keys);
  });
});
