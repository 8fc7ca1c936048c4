import { HARDENING_HEADERS } from '../../shared/http/headers.ts';
import { once } from '../../shared/runtime/once.ts';
import type { SiteFile } from '../docs/site.ts';
import type { HttpAnswer } from './gateway/answers.ts';
import { DEMO_API_KEY, DEMO_PASSWORD, DEMO_USERS } from './seed.ts';

/** Where the reference page lies beside the stage. */
export const DOCS_PATH = '/docs';

// The page needs its own files and the API beside it, and nothing else.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type Visit = { readonly message: { readonly method?: string | undefined }; readonly pathname: string };

/** The reference page of the API, ready to try with the demonstration's key and user. */
export function createDocs(stage: string) {
  const files = once(() => demonstrationSite(stage));

  return async function docs({ message, pathname }: Visit): Promise<HttpAnswer> {
    if (pathname === DOCS_PATH) return { statusCode: 308, headers: { Location: `${DOCS_PATH}/` }, body: '' };
    const file = (await files()).get(pathname.slice(DOCS_PATH.length + 1) || 'index.html');
    if (!file || message.method !== 'GET') return { statusCode: 404, headers: {}, body: '' };
    const headers = { ...HARDENING_HEADERS, 'Content-Security-Policy': POLICY, 'Content-Type': file.type };
    return { statusCode: 200, headers: { ...headers, 'Cache-Control': 'no-cache' }, body: file.body };
  };
}

export const isDocs = (pathname: string): boolean => pathname === DOCS_PATH || pathname.startsWith(`${DOCS_PATH}/`);

// Made when somebody first looks, so that opening the server does not wait for it.
async function demonstrationSite(stage: string): Promise<ReadonlyMap<string, SiteFile>> {
  const { siteFiles } = await import('../docs/site.ts');
  const { email } = DEMO_USERS[2];
  return siteFiles({ baseUrl: `/${stage}`, demonstration: { apiKey: DEMO_API_KEY, email, password: DEMO_PASSWORD } });
}
