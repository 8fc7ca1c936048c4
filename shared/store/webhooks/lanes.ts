import * as z from 'zod';
import { isReplayLane, laneKey, lanesPartition } from '../keys.ts';
import { parseItem, toItem } from '../parse-item.ts';
import type { Item, Table } from '../table.ts';

const storedLane = z.object({
  /** The order, or the replay and the order. */
  name: z.string(),
  /** The numbers of the events that wait, in the order in which they are sent. */
  sequences: z.array(z.number()),
  /** The failed tries of the first of them. */
  tries: z.number(),
  dueAt: z.string(),
});
/** The events of one order that an endpoint has not taken yet. None is sent before the one that precedes it. */
export type Lane = Readonly<z.infer<typeof storedLane>>;

/** True for events that an operator sends once more, delivered or not. */
export const isReplay = ({ name }: Lane): boolean => isReplayLane(name);

/** Returns the lanes of an endpoint. One query for some 8,000. */
export async function listLanes(table: Table, endpoint: number): Promise<Lane[]> {
  return (await table.all({ pk: lanesPartition(endpoint) })).map(parseLane);
}

const parseLane = (item: Item): Lane => parseItem(storedLane, item, 'webhook lane');

/** Writes a lane as it is now. Only the worker with the endpoint's lease does so, and a replay, for lanes of its own. */
export const putLanes = (table: Table, endpoint: number, lanes: readonly Lane[]): Promise<void> =>
  table.putAll(lanes.map((lane) => toItem(laneKey(endpoint, lane.name), lane)));

export const removeLane = (table: Table, endpoint: number, { name }: Lane): Promise<void> =>
  table.deleteAll([laneKey(endpoint, name)]);
