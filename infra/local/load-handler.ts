import type { Route } from '../../shared/api/routes.ts';
import type { Handler } from './gateway/invocation.ts';

/** Imports the handler of a route from its TypeScript source. */
export async function loadHandler(file: Route['handler']): Promise<Handler> {
  const name = file.replace(/^functions\/|\.ts$/g, '');
  const loaded: { handler: Handler } = await import(/* @vite-ignore */ `../../functions/${name}.ts`);
  return loaded.handler;
}
