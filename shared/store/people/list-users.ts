import type { Role } from '../../domain/person.ts';
import { partitionStart } from '../keys.ts';
import type { Table } from '../table.ts';
import { parseUser, type UserRecord } from './users.ts';

// The calls for one segment follow each other; those for different segments run side by side.
const SEGMENTS = 4;
// Without a limit a busy local engine takes seconds for 1 MB, and a call is cancelled after 1.2 s.
const ITEMS_PER_PAGE = 500;

/** Returns the users of a client that have one of these roles, by id, for operators: it reads the whole table once. */
export async function listUsers(table: Table, client: number, roles: readonly Role[]): Promise<UserRecord[]> {
  const found: UserRecord[] = [];
  const values = { ':start': partitionStart('USER', client), ':user': 'USER' };
  const scan = { filter: 'begins_with(pk, :start) AND sk = :user', values };
  const readSegment = async (segment: number) => {
    for await (const items of table.scan({ ...scan, pageSize: ITEMS_PER_PAGE, segment, segments: SEGMENTS })) {
      found.push(...items.map(parseUser).filter(({ role }) => roles.includes(role)));
    }
  };
  await Promise.all(Array.from({ length: SEGMENTS }, (_, segment) => readSegment(segment)));
  return found.sort((one, other) => one.id - other.id);
}
