import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const read = (file: string) => JSON.parse(readFileSync(join(import.meta.dirname, '../..', file), 'utf8'));
const { packages } = read('package-lock.json');
const PLATFORMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64'];

it('the lock file names the DynamoDB engine of all five platforms, in one version', () => {
  const locked = Object.keys(packages).filter((name) => name.startsWith('node_modules/@dynoxide/'));
  expect(locked.sort()).toEqual(PLATFORMS.map((platform) => `node_modules/@dynoxide/${platform}`));
  for (const platform of PLATFORMS) {
    const [os, cpu] = platform.split('-');
    const { version, optional, os: systems, cpu: processors } = packages[`node_modules/@dynoxide/${platform}`];
    expect([version, optional, systems, processors]).toEqual(['1.2.1', true, [os], [cpu]]);
    expect(read('package.json').optionalDependencies[`@dynoxide/${platform}`]).toBe('1.2.1');
  }
});

it('the lock file names no registry, so that it works with any', () => {
  const named = Object.entries<{ resolved?: string }>(packages).filter(([, { resolved }]) => resolved !== undefined);
  expect(named).toEqual([]);
});
