import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openApiKeys } from '../../../infra/local/gateway/api-keys.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keys-'));
  file = join(directory, 'api-keys.json');
  return () => rmSync(directory, { recursive: true });
});

describe('the keys of the gateway', () => {
  it('are found only by their value', () => {
    const keys = openApiKeys(file);
    const key = keys.create({ name: 'shop', enabled: true, value: 'a-value-of-20-characters' });
    expect(keys.find('a-value-of-20-characters')).toEqual(key);
    expect(key).toMatchObject({ name: 'shop', enabled: true, inUsagePlan: false });
    expect(keys.find(key.id)).toBeUndefined();
    expect(keys.find('__proto__')).toBeUndefined();
  });

  it('are kept over a restart, with every change', () => {
    const keys = openApiKeys(file);
    const { id, value } = keys.create({ name: 'kept', enabled: true });
    const other = keys.create({ name: 'removed', enabled: true });
    keys.change(id, { inUsagePlan: true, enabled: false });
    keys.remove(other.id);
    const reopened = openApiKeys(file);
    expect(reopened.list()).toHaveLength(1);
    expect(reopened.find(value)).toMatchObject({ id, name: 'kept', inUsagePlan: true, enabled: false });
  });

  it('are gone when removed', () => {
    const keys = openApiKeys(file);
    const { id, value } = keys.create({ name: 'shop', enabled: true });
    keys.remove(id);
    expect(keys.find(value)).toBeUndefined();
    expect(keys.get(id)).toBeUndefined();
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
