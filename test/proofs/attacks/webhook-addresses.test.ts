import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createSecret,
  findEndpointFault,
  type Resolve,
  type SendOptions,
  sendWebhook,
} from '../../../shared/events/webhooks/send.ts';
import { prove } from '../../support/proofs/proof.ts';
import { openReceiver } from '../../support/webhooks/receiver.ts';

/** The certificate of `localhost` below, signed by itself; it ends on 2126-01-22 at 18:00 UTC. */
const LOCALHOST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
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
async function openTlsServer(): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createTlsServer({ key: key().export({ format: 'pem', type: 'pkcs8' }), cert: LOCALHOST_CERTIFICATE });
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

// An attacker wants to reach this: a server on this machine, by IPv4 and, where the machine has it, by IPv6.
let victims: Server[] = [];
let port = 0;
let reached = 0;
beforeAll(async () => {
  const count = () => {
    reached += 1;
  };
  const first = createServer(count).listen(0, '127.0.0.1');
  await once(first, 'listening');
  port = (first.address() as AddressInfo).port;
  const second = createServer(count).listen(port, '::1');
  await Promise.race([once(second, 'listening'), once(second, 'error').catch(() => undefined)]).catch(() => undefined);
  victims = [first, second];
});
afterAll(() => {
  for (const victim of victims) victim.close();
});

const message = () => ({ id: 'evt_1_1_0', sentAt: new Date(), body: '{}' });
const send = (url: string, options: Partial<SendOptions> = {}) =>
  sendWebhook({ url, secrets: [createSecret()] }, message(), { reach: 'public', timeoutMs: 1_000, ...options });
const answering =
  (...addresses: readonly string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const NAMES: readonly (readonly [string, readonly string[]])[] = [
  ['localhost.', ['127.0.0.1']],
  ['interno.example', ['10.1.2.3']],
  ['seis.example', ['::1']],
  ['mapeada.example', ['::ffff:127.0.0.1']],
  ['zona.example', ['fe80::1%lo']],
  ['mezcla.example', ['1.1.1.1', '127.0.0.1']],
  ['nada.example', []],
  ['texto.example', ['localhost']],
];

it('no webhook reaches an address that is not of the public internet, however it is written or named', async () => {
  const outcomes = [
    ...(await Promise.all(
      NAMES.map(([name, addresses]) => send(`https://${name}:${port}/`, { resolve: answering(...addresses) })),
    )),
    // `unit/events/webhooks` has the other spellings.
    ...(await Promise.all(
      [
        'https://127.1',
        'https://①②⑦.0.0.1',
        'https://[::ffff:7f00:1]',
        'http://127.0.0.1',
        'https://a:b@127.0.0.1',
      ].map((start) => send(`${start}:${port}/`)),
    )),
  ];
  const refused = outcomes.filter(({ status, code }) => status === null && isOwnRefusal(code)).length;
  prove({
    check: 'attack 19: webhooks to addresses and names of internal servers',
    tries: outcomes.length,
    lost: outcomes.length - refused + reached,
  });
});

const isOwnRefusal = (code: string | null): boolean =>
  ['address_not_public', 'not_https', 'not_a_url', 'url_with_credentials'].includes(code ?? '');

it('a name that is public when the webhook is made, and internal when it is sent, is not reached', async () => {
  const before = reached;
  const answers = [['1.1.1.1'], ['127.0.0.1']];
  let asked = 0;
  const resolve: Resolve = async (name) => answering(...(answers[asked++] ?? []))(name);
  const url = `https://rebinding.example:${port}/`;
  expect(await findEndpointFault(url, { reach: 'public', resolve })).toBeUndefined();
  expect(await send(url, { resolve })).toMatchObject({ status: null, code: 'address_not_public' });
  prove({ check: 'attack 19: webhooks by DNS rebinding', tries: 1, lost: reached - before });
});

it('a name is resolved once for a connection, which goes to the address that was checked', async () => {
  const receiver = await openReceiver();
  let asked = 0;
  const resolve: Resolve = async (name) => {
    asked += 1;
    return answering('127.0.0.1')(name);
  };
  const url = receiver.url.replace('127.0.0.1', 'localhost');
  expect(await send(url, { reach: 'loopback', resolve })).toMatchObject({ status: 204, code: null });
  expect(asked).toBe(1);
  expect(receiver.arrivals[0]?.headers.host).toMatch(/^localhost:/);
  await receiver.close();
});

it('a server without a certificate that is trusted gets nothing', async () => {
  const tls = await openTlsServer();
  const options = { reach: 'loopback', resolve: answering('127.0.0.1'), timeoutMs: 30_000 } as const;
  const answer = await send(`https://localhost:${tls.port}/`, options);
  expect(answer).toMatchObject({ status: null, code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  await tls.close();
});
