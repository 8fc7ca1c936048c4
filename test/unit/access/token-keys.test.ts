import { describe, expect, it, vi } from 'vitest';
import {
  keptPublicKeys,
  type PublishedKey,
  parseSigningKeys,
  publishedTokenKeys,
  toTokenKeys,
} from '../../../shared/access/signing-keys.ts';

// The secrets are "local-only-not-a-secret-32-bytes" and "another-one-that-has-32-bytes...".
const FIRST = parseSigningKeys('{"kid":"first","secret":"bG9jYWwtb25seS1ub3QtYS1zZWNyZXQtMzItYnl0ZXM"}');
const SECOND = parseSigningKeys('{"kid":"first","secret":"YW5vdGhlci1vbmUtdGhhdC1oYXMtMzItYnl0ZXMuLi4"}');
type Publish = (kid: string, key: PublishedKey) => Promise<void>;

const at = (time: string) => new Date(`2026-11-21T${time}.000Z`);

it('a secret makes one pair of keys, whatever it is named', () => {
  // Computed with `openssl pkey -inform DER -pubout` of the SHA-256 of the secret.
  expect(toTokenKeys(FIRST.current)).toMatchObject({
    kid: 'RrwA3Z7aSBoTwj2P3g7HtleenUSXegcZjZ9yeFt9g8Y',
    publicKey: 'xd-VdySJrBgfXqC8-ENiEPJXhsEF84_Gc7TkmrEMWyE',
  });
  expect(toTokenKeys({ secret: FIRST.current.secret }).kid).toBe(toTokenKeys(FIRST.current).kid);
});

describe('publishedTokenKeys', () => {
  const open = () => {
    const world = { now: at('18:00:00'), secrets: FIRST, publish: vi.fn<Publish>(async () => undefined) };
    const source = publishedTokenKeys(async () => world.secrets, {
      publish: world.publish,
      lifetimeSeconds: 900,
      now: () => world.now,
    });
    return { world, source };
  };
  const first = toTokenKeys(FIRST.current);
  const { kid, publicKey } = first;

  it('publishes the public key for the life of a token and two hours, once and anew after an hour', async () => {
    const { world, source } = open();
    const pairs = await Promise.all([source(), source()]);
    expect(pairs.map((pair) => pair.kid)).toEqual([kid, kid]);
    expect(world.publish.mock.calls).toEqual([[kid, { publicKey, until: at('20:15:00') }]]);
    world.now = at('18:59:59');
    await source();
    expect(world.publish).toHaveBeenCalledTimes(1);
    world.now = at('19:00:00');
    await source();
    expect(world.publish.mock.lastCall).toEqual([kid, { publicKey, until: at('21:15:00') }]);
  });

  it('publishes another key as soon as the secret is another', async () => {
    const { world, source } = open();
    await source();
    world.secrets = SECOND;
    const second = await source();
    expect(second.kid).not.toBe(kid);
    expect(world.publish.mock.lastCall).toEqual([second.kid, { publicKey: second.publicKey, until: at('20:15:00') }]);
  });

  it('gives no key that could not be published, and tries again', async () => {
    const { world, source } = open();
    world.publish.mockRejectedValueOnce(new Error('down'));
    await expect(source()).rejects.toThrow('down');
    expect((await source()).kid).toBe(kid);
  });
});

describe('keptPublicKeys', () => {
  const { kid, publicKey } = toTokenKeys(FIRST.current);
  const open = (until = at('20:00:00')) => {
    const world = {
      now: at('18:00:00'),
      find: vi.fn(async (): Promise<PublishedKey | undefined> => ({ publicKey, until })),
    };
    const [find, now] = [() => world.find(), () => world.now];
    return { world, source: keptPublicKeys(find, now) };
  };

  it('reads a key once in five minutes', async () => {
    const { world, source } = open();
    expect((await source(kid))?.export({ format: 'jwk' }).x).toBe(publicKey);
    world.now = at('18:04:59');
    await source(kid);
    expect(world.find).toHaveBeenCalledTimes(1);
    world.now = at('18:05:00');
    await source(kid);
    expect(world.find).toHaveBeenCalledTimes(2);
    // It was taken back.
    world.find.mockResolvedValue(undefined);
    world.now = at('18:10:00');
    expect(await source(kid)).toBeUndefined();
  });

  it('knows no key whose time is over, stored or kept', async () => {
    const { world, source } = open(at('18:02:00'));
    expect(await source(kid)).toBeDefined();
    world.now = at('18:02:00');
    expect(await source(kid)).toBeUndefined();
    expect(world.find).toHaveBeenCalledTimes(2);
  });

  it('asks again for a key that is not published yet', async () => {
    const { world, source } = open();
    world.find.mockResolvedValueOnce(undefined);
    expect(await source(kid)).toBeUndefined();
    expect(await source(kid)).toBeDefined();
  });
});
