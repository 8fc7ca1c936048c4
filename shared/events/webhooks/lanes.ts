import * as z from 'zod';
import {
  DUE_START,
  dueLaneKey,
  isReplayLane,
  type Key,
  laneKey,
  lanesPartition,
  parseDueLane,
} from '../../store/keys.ts';
import { parseItem, toItem } from '../../store/parse-item.ts';
import { ABSENT, BATCH, batches, type Item, PRESENT, type Table, type Write } from '../../store/table.ts';
import { LeaseLost } from './endpoints.ts';

const storedLane = z.object({
  /** The order, or the replay and the order. */
  name: z.string(),
  /** The numbers of the events that wait, in the order in which they are sent. */
  sequences: z.array(z.number()),
  /** The failed tries of the first of them. */
  tries: z.number(),
});
/** The events of one order that an endpoint has not taken yet. None is sent before the one that precedes it. */
export type Lane = Readonly<z.infer<typeof storedLane>>;

/** The time at which a lane is tried. It stands beside the lane, so that those that are due are found without the others. */
export type DueLane = { readonly name: string; readonly dueAt: string };

/** True for events that an operator sends once more, delivered or not. */
export const isReplay = ({ name }: Lane): boolean => isReplayLane(name);

/** Returns those of the lanes that exist, by their names. One round trip for each 100. */
export async function getLanes(table: Table, endpoint: number, names: readonly string[]): Promise<Map<string, Lane>> {
  const items = await table.getAll(names.map((name) => laneKey(endpoint, name)));
  const lanes = items.flatMap((item) => (item ? [parseLane(item)] : []));
  return new Map(lanes.map((lane) => [lane.name, lane]));
}

const parseLane = (item: Item): Lane => parseItem(storedLane, item, 'webhook lane');

/** Returns the lanes of an endpoint that are due first, now or later. One query. */
export async function firstDueLanes(table: Table, endpoint: number, limit: number): Promise<DueLane[]> {
  const query = { pk: lanesPartition(endpoint), where: 'begins_with(sk, :start)', values: { ':start': DUE_START } };
  return (await table.first(query, limit)).map(parseDueLane);
}

/** Writes new lanes. Throws LeaseLost when one of them exists. */
export async function openLanes(table: Table, endpoint: number, lanes: readonly Lane[], dueAt: string): Promise<void> {
  for (const some of batches(lanes, BATCH / 2)) {
    const writes = some.map((lane) => [putLane(endpoint, lane, ABSENT), putDue(endpoint, { name: lane.name, dueAt })]);
    await write(table, writes.flat());
  }
}

/** Replaces at most 100 lanes; they stay due when they are. Throws LeaseLost when one of them is no longer there. */
export const replaceLanes = (table: Table, endpoint: number, lanes: readonly Lane[]): Promise<void> =>
  write(
    table,
    lanes.map((lane) => putLane(endpoint, lane, PRESENT)),
  );

/** Replaces a lane that was due, which is due at another time now. Throws LeaseLost when it is no longer there. */
export const postponeLane = (
  table: Table,
  endpoint: number,
  lane: Lane,
  { was, dueAt }: { readonly was: readonly DueLane[]; readonly dueAt: string },
): Promise<void> =>
  write(table, [
    putLane(endpoint, lane, PRESENT),
    putDue(endpoint, { name: lane.name, dueAt }),
    ...was.map((due) => remove(dueLaneKey(endpoint, due))),
  ]);

/** Removes a lane that was due. */
export const closeLane = (table: Table, endpoint: number, name: string, was: readonly DueLane[]): Promise<void> =>
  table.transact([remove(laneKey(endpoint, name)), ...was.map((due) => remove(dueLaneKey(endpoint, due)))]);

/** Removes times at which there is no lane. */
export const removeDue = (table: Table, endpoint: number, due: readonly DueLane[]): Promise<void> =>
  table.deleteAll(due.map((each) => dueLaneKey(endpoint, each)));

// Only the worker with the endpoint's lease changes lanes, so a condition that fails says that another one has it.
async function write(table: Table, writes: readonly Write[]): Promise<void> {
  if (!(await table.tryTransact(writes))) throw new LeaseLost('another worker has changed the lane');
}

const putLane = (endpoint: number, lane: Lane, condition: string): Write => ({
  Put: { Item: toItem(laneKey(endpoint, lane.name), lane), ConditionExpression: condition },
});
const putDue = (endpoint: number, due: DueLane): Write => ({ Put: { Item: toItem(dueLaneKey(endpoint, due), {}) } });
const remove = (Key: Key): Write => ({ Delete: { Key } });
