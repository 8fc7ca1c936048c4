import { pause } from './transport.ts';
import type { Event, Operations } from './types.ts';

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
