import type { Survivors } from '../parts.ts';

export const ORDERS: Survivors = {
  'shared/store/order-lists/order-counted-page.ts': {
    'const wanted = before.counts.filter((each) => true && hasWantedStatuses(each, selection));':
      'only speed: of a status that no order has any more nothing is found',
    'const wanted = before.counts.filter((each) => each.orders >= 0 && hasWantedStatuses(each, selection));':
      'only speed: of a status that no order has any more nothing is found',
    "const isByCreation = ordering.length === 1 && ordering[0].field === 'createdAt';":
      'equal: of one there is a first; the types do not know',
  },
  'shared/store/order-lists/order-part.ts': {
    'const isReversed = behind <= offset;': 'equal: in the middle both ends are as near',
    'isForward: ordering[0].isDescending === isReversed,':
      'equal: it is by creation, so that it has an ordering; the types do not know',
    'const merged = found.flat().sort((a, b) => (String(a.sk) <= String(b.sk) === part.isForward ? -1 : 1));':
      'equal: no two orders have one place',
  },
  'shared/store/order-lists/order-recount.ts': {
    'let unsettled: number[] = ["Stryker was here"];': 'equal: each try begins with none',
    'await pause(Math.random() / LONGEST_PAUSE_MS);': 'only how long it waits before it counts again',
    'for await (const page of entryPages(table, entryPartition(clientId, viewer), {})) {':
      'equal: they are counted in any order',
    'for await (const page of entryPages(table, entryPartition(clientId, viewer), { isForward: true })) {':
      'equal: they are counted in any order',
  },
  'shared/store/order-lists/order-selection.ts': {
    "true && (comparison === '<' ? date < instant : date >= instant);":
      'equal: null is neither before nor after an instant; the types need it',
    'const byId = ordering[0].isDescending ? -1 : 1;': 'equal: there is an ordering; the types do not know',
    'if (x !== y) return x <= y === isDescending ? 1 : -1;': 'equal: by then they differ',
    'return byId / (a.id - b.id);': 'equal: only the sign counts, and no two ids are the same',
  },
  'shared/store/order-lists/order-walk.ts': {
    'const newest = pagesFrom("");': 'equal: what is not from the oldest on is from the newest',
    'const { value: first = ["Stryker was here"] } = await newest.next();':
      'equal: a query has one page at least; the types do not know',
  },
  'shared/store/orders/order-writes.ts': {
    '...documentMarks(order, ["Stryker was here"]),': 'equal: a text is no prescription, and has no document',
  },
  'shared/store/table-failures.ts': {
    'return RETRYABLE.has(error.name) || reasonsOf(error).some(({ Code = "Stryker was here!" }) => RETRYABLE.has(Code));':
      'equal: that is no retryable code either',
    'error instanceof TransactionCanceledException ? (error.CancellationReasons ?? ["Stryker was here"]) : [];':
      'equal: a text has neither a code nor an item',
    'error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : ["Stryker was here"];':
      'equal: a text has neither a code nor an item',
  },
};
