import { loadHandler } from '../../../infra/local/gateway/invocation.ts';
import type { Route } from '../../../shared/api/routes.ts';

/** The header that holds the address of a caller, since loopback gives all callers one. */
export const SOURCE_HEADER = 'X-Source';

/** Loads a handler that takes the caller's address from the header. */
export async function loadWithSource(file: Route['handler']): ReturnType<typeof loadHandler> {
  const handler = await loadHandler(file);
  return (event, context) => {
    event.requestContext.identity.sourceIp = event.headers[SOURCE_HEADER] ?? '127.0.0.1';
    return handler(event, context);
  };
}
