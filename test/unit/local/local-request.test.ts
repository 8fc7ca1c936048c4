import { describe, expect, it } from 'vitest';
import { isForThisMachine, isFromThisMachine } from '../../../infra/local/engines/ports.ts';

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
