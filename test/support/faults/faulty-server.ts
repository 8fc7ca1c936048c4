import { inject } from 'vitest';
import { openTestServer, type TestServer, type TestServerOptions } from '../servers/test-server.ts';
import { type FaultProxy, openFaultProxy } from './fault-proxy.ts';

type FaultyServer = { readonly server: TestServer; readonly proxy: FaultProxy };

/** Opens a server whose calls to DynamoDB go through a proxy; closing the server closes the proxy. */
export async function openFaultyServer(gateway: TestServerOptions['gateway'] = {}): Promise<FaultyServer> {
  const proxy = await openFaultProxy(inject('serverEnvironment').AWS_ENDPOINT_URL_DYNAMODB ?? '');
  const server = await openTestServer({ environment: { AWS_ENDPOINT_URL_DYNAMODB: proxy.url }, gateway });
  const close = async () => {
    await server.close();
    await proxy.close();
  };
  return { server: { ...server, close }, proxy };
}
