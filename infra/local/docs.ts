import { HARDENING_HEADERS } from '../../shared/http/headers.ts';
import { once } from '../../shared/runtime/async.ts';
import { contentPolicy } from '../docs/page.ts';
import type { SiteFile } from '../docs/site.ts';
import { DEMO_USERS } from './demonstration.ts';
import type { HttpAnswer } from './gateway/answers.ts';
import { DEMO_API_KEY, DEMO_PASSWORD } from './seed.ts';

/** The path of the reference page on the local server. */
export const DOCS_PATH = '/docs';

type Message = { readonly method?: string | undefined; readonly headers: { readonly host?: string | undefined } };
type Visit = { readonly message: Message; readonly pathname: string };

/** Serves the API reference, filled in with the demonstration's key and user. */
export function createDocs(stage: string) {
  // The first visitor says under which host and port this machine is reached.
  let host: string | undefined;
  const files = once(() => buildDemonstrationSite(stage, `http://${host}`));
  // A page cannot say itself who may frame it.
  const policy = `${contentPolicy(`/${stage}`)}; frame-ancestors 'none'`;

  return async function docs({ message, pathname }: Visit): Promise<HttpAnswer> {
    if (pathname === DOCS_PATH) return { statusCode: 308, headers: { Location: `${DOCS_PATH}/` }, body: '' };
    host ??= message.headers.host;
    const file = (await files()).get(pathname.slice(DOCS_PATH.length + 1) || 'index.html');
    if (!file || !['GET', 'HEAD'].includes(message.method ?? '')) return { statusCode: 404, headers: {}, body: '' };
    const headers = { ...HARDENING_HEADERS, 'Content-Security-Policy': policy, 'Content-Type': file.type };
    return { statusCode: 200, headers: { ...headers, 'Cache-Control': 'no-cache' }, body: file.body };
  };
}

export const isDocs = (pathname: string): boolean => pathname === DOCS_PATH || pathname.startsWith(`${DOCS_PATH}/`);

// Built on the first visit, so that the server starts without it.
async function buildDemonstrationSite(stage: string, origin: string): Promise<ReadonlyMap<string, SiteFile>> {
  const { buildSite } = await import('../docs/site.ts');
  const { email } = DEMO_USERS[2];
  const demonstration = { apiKey: DEMO_API_KEY, email, password: DEMO_PASSWORD };
  return buildSite({ baseUrl: `/${stage}`, demonstration }, origin);
}
