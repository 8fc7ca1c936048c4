import { type Exchange, pause, type Query, type Transport } from './transport.ts';
import type { Event, Operations } from './types.ts';

export type CallOptions = {
  /** Aborts the call, also while it waits for its next attempt. */
  readonly signal?: AbortSignal | undefined;
};

export type Body<Route extends keyof Operations> = Operations[Route] extends { body: infer Sent } ? Sent : never;
export type Answer<Route extends keyof Operations> = Operations[Route]['answer'];
type ListRoute = {
  [R in keyof Operations]: Answer<R> extends { count: number; results: unknown[] } ? R : never;
}[keyof Operations];
type Item<Route extends ListRoute> = Answer<Route>['results'][number];
type WalkQuery<Route extends ListRoute> = Omit<NonNullable<Operations[Route]['query']>, 'page'>;

export type List<Route extends ListRoute> = {
  /** Returns a page with the exact count of all pages. */
  list(query?: Operations[Route]['query'], options?: CallOptions): Promise<Answer<Route>>;
  /**
   * Yields every item, and fetches each page when the loop reaches it. It reads by cursor, so that an item that keeps its
   * place is neither skipped nor repeated while the list changes. `cursor` goes on where another walk has stopped.
   */
  each(query?: WalkQuery<Route>, options?: CallOptions): AsyncGenerator<Item<Route>, void, undefined>;
};

type Call = Omit<Exchange, 'method' | 'path'> & { readonly id?: number };

/** Calls a route. The types come from the contract that the service checks its answers against. */
export async function callRoute<Route extends keyof Operations>(
  send: Transport,
  route: Route,
  { id, ...call }: Call,
): Promise<Answer<Route>> {
  const [method, path] = route.split(' ') as [Exchange['method'], string];
  const answer = await send({ ...call, method, path: path.replace('{id}', String(id)) });
  return answer as Answer<Route>;
}

type Page = { readonly next: string | null; readonly results: readonly unknown[] };

export function createList<Route extends ListRoute>(send: Transport, route: Route): List<Route> {
  const page = (query: Query | undefined, call: CallOptions | undefined) =>
    callRoute(send, route, { ...call, query, kind: 'repeatable' });

  return {
    list: (query, call) => page(query, call),
    async *each(query, call) {
      for (let cursor: string | null = query?.cursor ?? ''; cursor !== null; ) {
        const found: Page = await page({ ...query, cursor }, call);
        yield* found.results as Item<Route>[];
        cursor = readCursor(found);
      }
    },
  };
}

/** Returns the cursor behind a page; null after the last one. */
export const readCursor = ({ next }: Pick<Page, 'next'>): string | null =>
  next && new URL(next).searchParams.get('cursor');

export type EventQuery = NonNullable<Operations['GET /api/events/']['query']>;
export type FollowQuery = Pick<EventQuery, 'cursor' | 'type'>;
export type FollowOptions = {
  readonly signal?: AbortSignal | undefined;
  /** The time between two questions when nothing is new. Default: 5 s. */
  readonly pollMs?: number;
};

/** Some events of a client in their order, maybe none, and the cursor behind them. */
export type EventBatch = { readonly events: readonly Event[]; readonly cursor: string };

type ListEvents = (query: EventQuery, options: FollowOptions) => Promise<EventBatch>;

/** Yields batches that are not empty; ends only by an error, such as the reason of an aborted `signal`. */
export async function* followEvents(
  list: ListEvents,
  { cursor = '', type }: FollowQuery = {},
  { signal, pollMs = 5_000 }: FollowOptions = {},
): AsyncGenerator<EventBatch, never, undefined> {
  for (let position = cursor; ; ) {
    const batch = await list({ cursor: position, type, limit: 100 }, { signal });
    // A search for some types may come back without any and yet be further.
    const isStanding = batch.cursor === position;
    position = batch.cursor;
    if (batch.events.length > 0) yield batch;
    else if (isStanding) await pause(pollMs, signal);
  }
}
