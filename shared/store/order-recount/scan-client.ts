import { clientSortKey, partitionStart } from '../keys.ts';
import type { Item, Scan, Table } from '../table.ts';

// The calls for one segment follow each other; those for different segments run side by side.
const SEGMENTS = 4;
// Without a limit a busy local engine takes seconds for 1 MB, and a call is cancelled after 1.2 s.
const ITEMS_PER_PAGE = 500;

/**
 * Reads the whole table once, and takes from it the users and orders of a client, the items that list them and their
 * counters. It costs a read unit for each 4 KB of the table.
 */
export async function scanClient(table: Table, clientId: number, take: (item: Item) => void): Promise<void> {
  const filter = filterClient(clientId);
  const scanSegment = async (segment: number) => {
    const pages = table.scan({ ...filter, pageSize: ITEMS_PER_PAGE, segment, segments: SEGMENTS });
    for await (const items of pages) for (const item of items) take(item);
  };
  await Promise.all(Array.from({ length: SEGMENTS }, (_, segment) => scanSegment(segment)));
}

const KINDS_OF_CLIENT = ['USER', 'CREATED', 'PAIR', 'COUNT', 'NAME'] as const;

function filterClient(clientId: number): Pick<Scan, 'filter' | 'values'> {
  const conditions = KINDS_OF_CLIENT.map((kind) => `begins_with(pk, :${kind})`);
  const starts = KINDS_OF_CLIENT.map((kind) => [`:${kind}`, partitionStart(kind, clientId)]);
  return {
    filter: [
      ...conditions,
      '(begins_with(pk, :ORDER) AND sk = :client)',
      '(begins_with(pk, :OPEN) AND clientId = :clientId)',
    ].join(' OR '),
    values: {
      ...Object.fromEntries(starts),
      ':ORDER': partitionStart('ORDER'),
      ':OPEN': partitionStart('OPEN'),
      ':client': clientSortKey(clientId),
      ':clientId': clientId,
    },
  };
}
