import type { Survivors } from '../parts.ts';

export const ORDERS: Survivors = {
  'shared/store/order-lists/order-counted-page.ts': {
    'const wanted = before.counts.filter((each) => true && hasWantedStatuses(each, selection));':
      'only speed: a status without orders finds nothing',
    'const wanted = before.counts.filter((each) => each.orders >= 0 && hasWantedStatuses(each, selection));':
      'only speed: a status without orders finds nothing',
    "const isByCreation = ordering.length === 1 && ordering[0].field === 'createdAt';":
      'equal: a list of length 1 has a first element; the types allow none',
  },
  'shared/store/order-lists/order-part.ts': {
    'const isReversed = behind <= offset;': 'equal: in the middle both ends are equally near',
    'isForward: ordering[0].isDescending === isReversed,':
      'equal: an ordering by creation has a first field; the types allow none',
    'const merged = found.flat().sort((a, b) => (String(a.sk) <= String(b.sk) === part.isForward ? -1 : 1));':
      'equal: no two orders have the same sort key',
  },
  'shared/store/order-lists/order-recount.ts': {
    'let unsettled: number[] = ["Stryker was here"];': 'equal: each try sets it to an empty list first',
    'await pause(Math.random() / LONGEST_PAUSE_MS);': 'only the pause before the next count',
    'for await (const page of entryPages(table, entryPartition(clientId, viewer), {})) {':
      'equal: entries may be counted in any order',
    'for await (const page of entryPages(table, entryPartition(clientId, viewer), { isForward: true })) {':
      'equal: entries may be counted in any order',
  },
  'shared/store/order-lists/selection.ts': {
    "true && (comparison === '<' ? date < instant : date >= instant);":
      'equal: null is neither before nor after an instant; the types need the check',
    'const byId = ordering[0].isDescending ? -1 : 1;': 'equal: there is always an ordering; the types allow none',
    'if (x !== y) return x <= y === isDescending ? 1 : -1;': 'equal: the values differ at this point',
    'return byId / (a.id - b.id);': 'equal: only the sign counts, and ids are distinct',
  },
  'shared/store/order-lists/order-walk.ts': {
    'const newest = pagesFrom("");': 'equal: any value other than the oldest start reads from the newest',
    'const { value: first = ["Stryker was here"] } = await newest.next();':
      'equal: a query has at least one page; the types allow none',
  },
  'shared/store/orders/order-writes.ts': {
    '...documentMarks(order, ["Stryker was here"]),':
      'equal: the inserted string is not a prescription and has no document',
  },
  'shared/store/table-failures.ts': {
    'return RETRYABLE.has(error.name) || reasonsOf(error).some(({ Code = "Stryker was here!" }) => RETRYABLE.has(Code));':
      'equal: the inserted string is not a retryable code',
    'error instanceof TransactionCanceledException ? (error.CancellationReasons ?? ["Stryker was here"]) : [];':
      'equal: the inserted string has neither a code nor an item',
    'error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : ["Stryker was here"];':
      'equal: the inserted string has neither a code nor an item',
  },
};
