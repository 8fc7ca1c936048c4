import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Route } from '../../shared/api/routes.ts';
import type { Handler } from './gateway/invocation.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Imports the handler of a route from its TypeScript source. */
export async function loadHandler(file: Route['handler']): Promise<Handler> {
  const loaded: { handler: Handler } = await import(/* @vite-ignore */ pathToFileURL(resolve(ROOT, file)).href);
  return loaded.handler;
}
