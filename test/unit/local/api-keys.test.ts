import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openApiKeys } from '../../../infra/local/gateway/api-keys.ts';

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
