import { hash } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import type { Contract } from '../api/contract.ts';
import type { Position } from '../api/lists.ts';
import { Refusal, type ValidationError } from '../domain/refusal.ts';

type PagingQuery = { readonly page: number; readonly limit: number; readonly cursor?: string | undefined };
type CursorRequest = { cursorUrl(cursor: string): string; listName(): string };
type ListRequest = CursorRequest & { readonly query: PagingQuery; pageUrl(page: number): string };
type ListResult<Item> = {
  readonly count: number;
  readonly results: readonly Item[];
  /** The last result's position if the list continues; only for a query with `after`. */
  readonly last?: Position | undefined;
};
type Page<Item> = { count: number; next: string | null; previous: string | null; results: Item[] };
type More<Result> = Omit<Result, keyof ListResult<unknown>>;

/**
 * Answers a page of a list by its number, or from the cursor's position (`after`). Further fields of `find` become part of the
 * body. Throws Refusal `not_found` past the end, and `invalid_input` for another list's cursor.
 */
export async function answerPage<Query extends PagingQuery, Item, Result extends ListResult<Item>>(
  request: ListRequest & { readonly query: Query },
  find: (
    query: Query & { readonly after?: Position },
  ) => (Result & ListResult<Item>) | Promise<Result & ListResult<Item>>,
): Promise<{ body: Page<Item> & More<Result> }> {
  const { query } = request;
  if (query.cursor === undefined) return toPage(request, await find(query));
  const { count, results, last, ...more } = await find({ ...query, after: readCursor(request, query.cursor) });
  const next = last ? nextUrl(request, last) : null;
  return { body: { count, next, previous: null, results: [...results], ...more } };
}

type FeedRequest = CursorRequest & { readonly query: Pick<PagingQuery, 'cursor'> };
type FeedPage<Item> = { readonly results: readonly Item[]; readonly last: number | undefined };

/** Answers a feed, which has no end, from its cursor on. Throws Refusal `invalid_input` for another list's cursor. */
export async function answerFeed<Item>(
  request: FeedRequest,
  find: (after: number | undefined) => Promise<FeedPage<Item>>,
): Promise<{ body: { next: string; results: Item[] } }> {
  const [after] = readCursor(request, request.query.cursor ?? '');
  const { results, last } = await find(typeof after === 'number' ? after : undefined);
  const next = nextUrl(request, [last ?? null]);
  return { body: { next, results: [...results] } };
}

/** Answers a part of a list with the address of the next, null after the last. Throws as `answerFeed`. */
export async function answerPart<Part extends { readonly last: Position | undefined }>(
  request: FeedRequest,
  find: (after: Position) => Promise<Part>,
): Promise<{ body: { next: string | null } & Omit<Part, 'last'> }> {
  const { last, ...part } = await find(readCursor(request, request.query.cursor ?? ''));
  return { body: { next: last ? nextUrl(request, last) : null, ...part } };
}

// A cursor is not signed: it contains a position, while the caller's credentials decide whose rows are read. The list's name
// detects cursors of another search, order or caller.
const cursorContent = z.array(z.union([z.string(), z.number()]).nullable());

const nextUrl = ({ cursorUrl, listName }: CursorRequest, position: Position): string =>
  cursorUrl(Buffer.from(JSON.stringify([listName(), ...position])).toString('base64url'));

function readCursor({ listName }: Pick<CursorRequest, 'listName'>, cursor: string): Position {
  if (cursor === '') return [];
  const [list, ...position] = cursorContent.safeParse(parseCursor(cursor)).data ?? [];
  if (list !== listName())
    throw new Refusal('invalid_input', { errors: [{ path: ['cursor'], code: 'cursor_unknown' }] });
  return position;
}

function parseCursor(cursor: string): unknown {
  const content = Buffer.from(cursor, 'base64url');
  // Node's decoder accepts non-canonical input; reject it, so that each cursor has one spelling.
  if (content.toString('base64url') !== cursor) return undefined;
  try {
    return JSON.parse(content.toString());
  } catch {
    return undefined;
  }
}

/** Throws Refusal `not_found` for a page past the end. */
function toPage<Item, Result extends ListResult<Item>>(
  request: Pick<ListRequest, 'query' | 'pageUrl'>,
  { count, results, last: _, ...more }: Result & ListResult<Item>,
): { body: Page<Item> & More<Result> } {
  const { page, limit } = request.query;
  const pages = Math.max(1, Math.ceil(count / limit));
  if (page > pages) throw new Refusal('not_found');
  const next = page < pages ? request.pageUrl(page + 1) : null;
  const previous = page > 1 ? request.pageUrl(page - 1) : null;
  return { body: { count, next, previous, results: [...results], ...more } };
}

/** A cursor and a page number contradict each other. */
export function pagingErrors(
  { query }: Contract,
  { queryStringParameters: parameters }: APIGatewayProxyEvent,
): ValidationError[] {
  const hasBoth = parameters?.cursor !== undefined && parameters.page !== undefined;
  return hasBoth && query && 'cursor' in query.shape ? [{ path: ['cursor'], code: 'cursor_with_page' }] : [];
}

export type ListCaller = { readonly client?: { readonly id: number }; readonly user?: { readonly id: number } };
// Pages of one list may differ in these, which neither select nor order results.
const PAGE_PARAMETERS: ReadonlySet<string> = new Set(['page', 'limit', 'cursor', 'facets', 'spelling', 'include']);

type ListInput = { readonly path: unknown; readonly query: unknown };

/** Identifies a list by route, caller (API key if the client is unknown), path, and what selects or orders its results. */
export function listName(
  event: APIGatewayProxyEvent,
  { client, user }: ListCaller,
  { path, query }: ListInput,
): string {
  const { httpMethod, resourcePath, identity } = event.requestContext;
  const selection = Object.entries(query as object).filter(([name]) => !PAGE_PARAMETERS.has(name));
  const caller = [client?.id ?? identity.apiKeyId, user?.id];
  return hash('sha256', JSON.stringify([httpMethod, resourcePath, caller, path, selection]), 'base64url');
}

/** Returns the request's URL with another `page` or `cursor`, under the domain and path that the caller used. */
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
