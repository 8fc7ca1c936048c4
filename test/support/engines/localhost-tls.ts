import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';

/** The certificate of `localhost` below, signed by itself; it ends on 2126-01-22 at 18:00 UTC. */
export const LOCALHOST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBATCBtKADAgECAgEBMAUGAytlcDAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwIBcN
MDAwMTAxMDAwMDAwWhgPMjEyNjAxMjIxODAwMDBaMBQxEjAQBgNVBAMMCWxvY2Fs
aG9zdDAqMAUGAytlcAMhAIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c
oykwJzAUBgNVHREEDTALgglsb2NhbGhvc3QwDwYDVR0TAQH/BAUwAwEB/zAFBgMr
ZXADQQBqbVFuZG5Z6GGTwf+z/aYuhN+1E3Qswblsu14YHvOOuGAZ0LxVhDvePtAV
G9LHpbuWS0jZz7zY+0VRK+1nLZoJ
-----END CERTIFICATE-----
`;

// The beginning of every Ed25519 key in PKCS #8 (RFC 8410). The key is no secret: 32 times the byte 1.
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const key = () => createPrivateKey({ key: Buffer.concat([PKCS8, Buffer.alloc(32, 1)]), format: 'der', type: 'pkcs8' });

/** Opens a server on loopback that shows the certificate, and answers nothing. */
export async function openTlsServer(): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer({ key: key().export({ format: 'pem', type: 'pkcs8' }), cert: LOCALHOST_CERTIFICATE });
  server.on('secureConnection', (socket) => socket.on('error', () => undefined).resume());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}
