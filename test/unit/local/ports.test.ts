import { describe, expect, it } from 'vitest';
import { expectFreePorts, isForThisMachine, isFromThisMachine } from '../../../infra/local/engines/ports.ts';

it('names the ports that are equal', async () => {
  const ports = [
    { port: 4100, variable: 'PORT' },
    { port: 4101, variable: 'DYNAMODB_PORT' },
    { port: 4100, variable: 'S3_PORT' },
  ];
  await expect(expectFreePorts(ports)).rejects.toThrow(
    'PORT and S3_PORT are the same port 4100: set each to one of its own.',
  );
});

it('accepts different ports that are free', async () => {
  await expect(expectFreePorts([{ port: 0, variable: 'PORT' }])).resolves.toBeUndefined();
});

describe('a request for this machine', () => {
  it.each(['localhost', 'LOCALHOST:1', '127.0.0.1:3000', '[::1]', '[::1]:3000'])('names it %s', (host) => {
    expect(isForThisMachine({ headers: { host } })).toBe(true);
  });

  it.each([undefined, '', 'evil.example', 'localhost.', 'localhost.evil.example', '127.0.0.2', '::1'])(
    'does not name it %s',
    (host) => {
      expect(isForThisMachine({ headers: host === undefined ? {} : { host } })).toBe(false);
    },
  );
});

describe('a request from this machine', () => {
  it.each([undefined, 'http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:1'])(
    'has the origin %s',
    (origin) => {
      expect(isFromThisMachine({ headers: origin === undefined ? {} : { origin } })).toBe(true);
    },
  );

  it.each(['null', '', 'file://', 'https://evil.example', 'http://localhost.evil.example', 'localhost'])(
    'does not have the origin %s',
    (origin) => {
      expect(isFromThisMachine({ headers: { origin } })).toBe(false);
    },
  );
});
