import { describe, expect, it } from 'vitest';
import { expectFreePorts, isForThisMachine, isFromThisMachine } from '../../../infra/local/engines/ports.ts';
import { freePorts } from '../../support/engines/ports.ts';

it('names each port that is in use, or equal to another, by its variable', async () => {
  const { S3_PORT } = await freePorts();
  const port = Number(S3_PORT);
  await expect(expectFreePorts({ PORT: 0, DYNAMODB_PORT: port, S3_PORT: port })).rejects.toThrow(
    `Port ${port} is in use: set S3_PORT to a free one.`,
  );
  await expect(expectFreePorts({ PORT: 0, S3_PORT: port })).resolves.toBeUndefined();
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
