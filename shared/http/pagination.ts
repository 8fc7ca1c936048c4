import { hash } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import type { Contract } from '../api/contract.ts';
import type { Position } from '../api/lists.ts';
import { Refusal, type ValidationError } from '../domain/refusal.ts';

type PagingQuery = { readonly page: number; readonly limit: number; readonly cursor?: string | undefined };
type ListRequest<Query> = {
  readonly query: Query;
  pageUrl(page: number): string;
  cursorUrl(cursor: string): string;
  listName(): string;
};
type Found<Item> = {
  readonly count: number;
  readonly results: readonly Item[];
  /** The position of the last result if the list goes on behind it; for a query with `after` only. */
  readonly last?: Position | undefined;
};
type Page<Item> = { count: number; next: string | null; previous: string | null; results: Item[] };
/** The fields that a list adds to the body of its page. */
type More<Result> = Omit<Result, keyof Found<unknown>>;

/**
 * Answers a page of a list by its number or, if the query has a cursor, from its position on: `find` then gets it as
 * `after`. What `find` returns besides the page becomes part of the body. Throws Refusal `not_found` for a page past the
 * end, and `invalid_input` for a cursor of another list.
 */
export async function answerPage<Query extends PagingQuery, Item, Result extends Found<Item>>(
  request: ListRequest<Query>,
  find: (query: Query & { readonly after?: Position }) => (Result & Found<Item>) | Promise<Result & Found<Item>>,
): Promise<{ body: Page<Item> & More<Result> }> {
  const { query } = request;
  if (query.cursor === undefined) return toPage(request, await find(query));
  const found = await find({ ...query, after: readCursor(request, query.cursor) });
  const { count, results, last, ...more } = found;
  const next = last ? nextUrl(request, last) : null;
  return { body: { count, next, previous: null, results: [...results], ...more } };
}

type FeedPage<Item> = { readonly results: readonly Item[]; readonly last: number | undefined };

/**
 * Answers a part of a feed, which has no end: `find` gets the number behind which it begins, undefined to begin with the
 * oldest, and returns the number up to which it goes, undefined if there was nothing yet. Throws Refusal `invalid_input` for a cursor of another list.
 */
export async function answerFeed<Item>(
  request: Pick<ListRequest<{ readonly cursor?: string | undefined }>, 'query' | 'cursorUrl' | 'listName'>,
  find: (after: number | undefined) => Promise<FeedPage<Item>>,
): Promise<{ body: { next: string; results: Item[] } }> {
  const [after] = readCursor(request, request.query.cursor ?? '');
  const { results, last } = await find(typeof after === 'number' ? after : undefined);
  const next = nextUrl(request, [last ?? null]);
  return { body: { next, results: [...results] } };
}

type ListRead = Pick<ListRequest<unknown>, 'cursorUrl' | 'listName'>;

// A cursor is not signed: it says where to go on, and never whose rows are read, which the caller's credentials decide. The
// name of the list tells one that belongs to another search, ordering or caller.
const cursorContent = z.array(z.union([z.string(), z.number()]).nullable());

/** Returns the URL of what follows a position. */
const nextUrl = ({ cursorUrl, listName }: ListRead, position: Position): string =>
  cursorUrl(Buffer.from(JSON.stringify([listName(), ...position])).toString('base64url'));

function readCursor({ listName }: Pick<ListRead, 'listName'>, cursor: string): Position {
  if (cursor === '') return [];
  const [list, ...position] = cursorContent.safeParse(parseCursor(cursor)).data ?? [];
  if (list !== listName())
    throw new Refusal('invalid_input', { errors: [{ path: ['cursor'], code: 'cursor_unknown' }] });
  return position;
}

function parseCursor(cursor: string): unknown {
  const content = Buffer.from(cursor, 'base64url');
  // Decoders ignore signs and bits that no encoder writes.
  if (content.toString('base64url') !== cursor) return undefined;
  try {
    return JSON.parse(content.toString());
  } catch {
    return undefined;
  }
}

/** Returns a page of a list with the URLs of its neighbours. Throws Refusal `not_found` for a page past the end. */
export function toPage<Item, Result extends Found<Item>>(
  request: Pick<ListRequest<PagingQuery>, 'query' | 'pageUrl'>,
  { count, results, last: _, ...more }: Result & Found<Item>,
): { body: Page<Item> & More<Result> } {
  const { page, limit } = request.query;
  const pages = Math.max(1, Math.ceil(count / limit));
  if (page > pages) throw new Refusal('not_found');
  const next = page < pages ? request.pageUrl(page + 1) : null;
  const previous = page > 1 ? request.pageUrl(page - 1) : null;
  return { body: { count, next, previous, results: [...results], ...more } };
}

/** Returns the error of a request with a cursor and the number of a page, which contradict each other. */
export function pagingErrors(
  { query }: Contract,
  { queryStringParameters: given }: APIGatewayProxyEvent,
): ValidationError[] {
  const hasBoth = given?.cursor !== undefined && given.page !== undefined;
  return hasBoth && query && 'cursor' in query.shape ? [{ path: ['cursor'], code: 'cursor_with_page' }] : [];
}

export type ListCaller = { readonly client?: { readonly id: number }; readonly user?: { readonly id: number } };
// These parameters neither select results nor order them, so that each page may be asked with others.
const OF_ONE_PAGE: ReadonlySet<string> = new Set(['page', 'limit', 'cursor', 'facets', 'spelling', 'include']);

type ListInput = { readonly path: unknown; readonly query: unknown };

/**
 * Returns a name of the list that a request reads, the same for all of its pages: of the route, the caller (the API key
 * where the client is not looked up), the path and everything that selects and orders the results.
 */
export function listName(
  event: APIGatewayProxyEvent,
  { client, user }: ListCaller,
  { path, query }: ListInput,
): string {
  const { httpMethod, resourcePath, identity } = event.requestContext;
  const selection = Object.entries(query as object).filter(([name]) => !OF_ONE_PAGE.has(name));
  const caller = [client?.id ?? identity.apiKeyId, user?.id];
  return hash('sha256', JSON.stringify([httpMethod, resourcePath, caller, path, selection]), 'base64url');
}

/** Returns the absolute URL of the request with another `page` or `cursor`, under the domain and path that the caller used. */
export function urlWith(event: APIGatewayProxyEvent, parameter: 'page' | 'cursor', value: string): string {
  const { domainName, path } = event.requestContext;
  const scheme = event.headers?.['x-forwarded-proto'] ?? 'https';
  const parameters = new URLSearchParams();
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    for (const value of values ?? []) if (name !== parameter) parameters.append(name, value);
  }
  parameters.append(parameter, value);
  return `${scheme}://${domainName}${path.replace(/(?<!\/)\/*$/, '/')}?${parameters}`;
}
