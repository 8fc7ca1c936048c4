import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openApiKeys } from '../../../infra/local/gateway/api-keys.ts';
import { createTokenBuckets, readRateLimit } from '../../../infra/local/gateway/rate-limit.ts';

describe('the keys of the gateway', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'keys-'));
    file = join(directory, 'api-keys.json');
    return () => rmSync(directory, { recursive: true });
  });

  it('are found only by their value', () => {
    const keys = openApiKeys(file);
    const key = keys.create({ name: 'shop', enabled: true, value: 'a-value-of-20-characters' });
    expect(keys.find('a-value-of-20-characters')).toEqual(key);
    expect(key).toMatchObject({ name: 'shop', enabled: true });
    expect(keys.find(key.id)).toBeUndefined();
    expect(keys.find('__proto__')).toBeUndefined();
  });

  it('are kept with every change, which others who opened the file see', () => {
    const keys = openApiKeys(file);
    const other = openApiKeys(file);
    const { id, value } = keys.create({ name: 'kept', enabled: true });
    const removed = other.create({ name: 'removed', enabled: true });
    other.change(id, { enabled: false });
    expect(keys.find(value)).toMatchObject({ id, name: 'kept', enabled: false });
    keys.remove(removed.id);
    expect([other.find(removed.value), other.get(removed.id)]).toEqual([undefined, undefined]);
    expect(openApiKeys(file).list()).toEqual([keys.get(id)]);
  });

  it('lie in one file that only its owner reads', () => {
    openApiKeys(file).create({ name: 'shop', enabled: true });
    expect(readdirSync(directory)).toEqual(['api-keys.json']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveLength(1);
  });

  it.each(['{', '{}', '[{"id":1}]'])('are not read from %s', (content) => {
    writeFileSync(file, content);
    expect(() => openApiKeys(file)).toThrow();
  });
});

describe('LOCAL_RATE_LIMIT', () => {
  it.each([undefined, ''])('%s means no limit', (written) => {
    expect(readRateLimit(written)).toBeUndefined();
  });

  it('is requests a second, with twice as many in a burst', () => {
    expect(readRateLimit('50')).toEqual({ requestsPerSecond: 50, burst: 100 });
  });

  it('can name the burst', () => {
    expect(readRateLimit('5:7')).toEqual({ requestsPerSecond: 5, burst: 7 });
  });

  it.each(['0', '-1', 'many', '5:', '5:0', '1.5', '5:7:9'])('%s is refused', (written) => {
    expect(() => readRateLimit(written)).toThrow(
      `LOCAL_RATE_LIMIT must be requests a second as in 50 or 50:100, not "${written}"`,
    );
  });
});

describe('a limit of 2 a second, 3 at once', () => {
  const limit = { requestsPerSecond: 2, burst: 3 };
  const at = (milliseconds: number) => new Date(Date.UTC(2026, 10, 30, 23, 59, 0, milliseconds));
  const takeMany = (take: ReturnType<typeof createTokenBuckets>, count: number, now: Date) =>
    Array.from({ length: count }, () => take('a', now));

  it('lets three pass at once and refills two a second', () => {
    const take = createTokenBuckets(limit);
    expect(takeMany(take, 4, at(0))).toEqual([true, true, true, false]);
    expect(take('a', at(499))).toBe(false);
    expect(take('a', at(500))).toBe(true);
    expect(take('a', at(500))).toBe(false);
  });

  it('never saves up more than the burst', () => {
    const take = createTokenBuckets(limit);
    take('a', at(0));
    expect(takeMany(take, 4, at(50_000))).toEqual([true, true, true, false]);
  });

  it('counts each key by itself', () => {
    const take = createTokenBuckets(limit);
    takeMany(take, 3, at(0));
    expect(take('b', at(0))).toBe(true);
  });
});
