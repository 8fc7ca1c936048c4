import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalog, tokenKeys } from '../../infra/cloud/functions/needs.ts';
import { routeFunction } from '../../infra/cloud/functions/table.ts';
import { routes } from '../../shared/api/routes.ts';
import * as deps from '../../shared/deps.ts';

const read = (file: string): string => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');

describe('the lock file', () => {
  const { packages } = JSON.parse(read('package-lock.json'));

  it('names the DynamoDB engine of all five platforms in one version, and no registry, so that it works with any', () => {
    const locked = Object.keys(packages).filter((name) => name.startsWith('node_modules/@dynoxide/'));
    expect(locked.map((name) => `${name} ${packages[name].version}`).toSorted()).toEqual(
      ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64'].map(
        (platform) => `node_modules/@dynoxide/${platform} 1.2.1`,
      ),
    );
    const named = Object.entries<{ resolved?: string }>(packages).filter(([, { resolved }]) => resolved !== undefined);
    expect(named).toEqual([]);
  });
});

/*
 * A function that forgets to prepare something works all the same, only its first request is slow. So each handler is read;
 * `test/deployed/init.test.ts` shows what the preparations do.
 */
describe('the handler of', () => {
  const EXPORTS: Readonly<Record<string, unknown>> = { ...deps };
  const { catalogReady, tokenKeysReady, clientsReady } = deps;
  const PREPARATIONS = Object.entries({ catalogReady, tokenKeysReady, clientsReady });

  /** Returns the names of what the handler awaits during INIT, those of a list one by one. */
  function readPreparations(handler: string): string[] {
    const [, written = ''] = /^await duringInit\((.*)\);$/m.exec(read(handler)) ?? [];
    const values = written.split(', ').flatMap((name) => EXPORTS[name.replace('...', '')]);
    return PREPARATIONS.filter(([, preparation]) => values.includes(preparation)).map(([name]) => name);
  }

  it.each(routes)('$method $path prepares the catalog, the token keys and the clients that it needs', (route) => {
    const { needs } = routeFunction(route);
    expect(readPreparations(route.handler)).toEqual([
      ...(needs.includes(catalog) ? ['catalogReady'] : []),
      ...(needs.includes(tokenKeys) ? ['tokenKeysReady'] : []),
      ...(route.authentication === 'key' ? [] : ['clientsReady']),
    ]);
  });
});
