import type { APIGatewayProxyEvent } from 'aws-lambda';
import { Refusal } from '../domain/refusal.ts';

type PageRequest = { readonly query: { readonly page: number; readonly limit: number }; pageUrl(page: number): string };
type Page<Item> = { count: number; next: string | null; previous: string | null; results: Item[] };

/** Returns a page of a list with the URLs of its neighbours. Throws Refusal `not_found` for a page past the end. */
export function toPage<Item>(
  request: PageRequest,
  found: { readonly count: number; readonly results: readonly Item[] },
): { body: Page<Item> } {
  const { page, limit } = request.query;
  const pages = Math.max(1, Math.ceil(found.count / limit));
  if (page > pages) throw new Refusal('not_found');
  const next = page < pages ? request.pageUrl(page + 1) : null;
  const previous = page > 1 ? request.pageUrl(page - 1) : null;
  return { body: { count: found.count, next, previous, results: [...found.results] } };
}

/** Returns the absolute URL of the request with another `page`, under the domain and path that the caller used. */
export function pageUrl(event: APIGatewayProxyEvent, page: number): string {
  const { domainName, path } = event.requestContext;
  const scheme = event.headers['x-forwarded-proto'] ?? 'https';
  const parameters = new URLSearchParams();
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    for (const value of values ?? []) if (name !== 'page') parameters.append(name, value);
  }
  parameters.append('page', String(page));
  return `${scheme}://${domainName}${path.replace(/\/*$/, '/')}?${parameters}`;
}
