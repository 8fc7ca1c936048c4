import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { catalog, tokenKeys } from '../../infra/cloud/functions/needs.ts';
import { routeFunction } from '../../infra/cloud/functions/table.ts';
import { routes } from '../../shared/api/routes.ts';
import * as deps from '../../shared/deps.ts';

/*
 * A function that forgets to prepare something works all the same, only its first request is slow. So each handler is read;
 * `test/deployed/init.test.ts` shows what the preparations do.
 */

const ROOT = join(import.meta.dirname, '../..');

const EXPORTS: Readonly<Record<string, unknown>> = { ...deps };
const { catalogReady, tokenKeysReady, clientsReady } = deps;
const PREPARATIONS = Object.entries({ catalogReady, tokenKeysReady, clientsReady });

/** Returns the names of what the handler awaits during INIT, those of a list one by one. */
function readPreparations(handler: string): string[] {
  const [, written = ''] = /^await duringInit\((.*)\);$/m.exec(readFileSync(join(ROOT, handler), 'utf8')) ?? [];
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
