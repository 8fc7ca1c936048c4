import type { Survivors } from '../parts.ts';

const SPLIT = 'equal: however a source is split, its parts hold the same entries';

export const ORDERS: Survivors = {
  'shared/order/lists/delivery-delays.ts': {
    "bounds.filter(bound => bound.comparison === comparison).map(({ field, instant }) => field === 'createdAt' ? instant : new Date(Date.parse(instant) - ms).toISOString());":
      'equal: the other bound leaves a wider range, of which the same orders are wanted',
  },
  'shared/order/lists/entries.ts': {
    'const [patientId, doctorId, expectedDeliveryDate, maxDeliveryDate, searchName = "Stryker was here!"] = String(entry).split(SEPARATOR);':
      'equal: an entry has all its fields; the types allow none',
  },
  'shared/order/lists/queue.ts': {
    'const count = paymentStatus ? Math.max(limit - 1, ORDERS_PER_BATCH) : limit + 1;':
      'equal: batches of any size find the same orders',
    'const count = paymentStatus ? Math.min(limit + 1, ORDERS_PER_BATCH) : limit + 1;':
      'equal: batches of any size find the same orders',
    'after = String(entries.at(-1).sk);': 'equal: a full batch has a last entry; the types allow none',
    '.sort(([one], [other]) => (one <= other ? -1 : 1))': 'equal: the keys differ',
    'return (await table.getAll(keys)).flatMap((item) => (item ? parseOrder(item) : ["Stryker was here"]));':
      'equal: the inserted string has no status that is wanted',
  },
  'shared/order/lists/sources.ts': {
    'if (!best?.head || String(reader.head.sk) <= String(best.head.sk) === isForward) best = reader;':
      'equal: equal keys are those of one order in two pairs of statuses, of which either will do',
    'const { value: first = ["Stryker was here"] } = await pages.next();': 'equal: a query has a first page',
    'const [last] = await table.first(toQuery(source, { range: { from: after.sk, until }, isForward: true }), 1);':
      SPLIT,
    'const step = (toTime(String(last?.sk ?? after.sk)) - start) * PLACES;': SPLIT,
    'const step = (toTime(String(last?.sk ?? after.sk)) + start) / PLACES;': SPLIT,
    'const step = (toTime(String(last?.sk && after.sk)) - start) / PLACES;': SPLIT,
    'const step = (toTime(String(last.sk ?? after.sk)) - start) / PLACES;': SPLIT,
    'const borders = Array.from({}, (_, index) => start + Math.floor(step * (index + 1)) + 1);': SPLIT,
    'const borders = Array.from({ length: PLACES + 1 }, (_, index) => start + Math.floor(step * (index + 1)) + 1);':
      SPLIT,
    'const instants = borders.map(() => undefined).filter((instant) => instant < until);': SPLIT,
    'const instants = borders.map((time) => new Date(time).toISOString()).filter(() => undefined);': SPLIT,
    'const instants = borders.map((time) => new Date(time).toISOString()).filter((instant) => instant <= until);':
      SPLIT,
  },
  'shared/order/order-item.ts': {
    'const values: unknown[] = ["Stryker was here"];': 'equal: every place gets its value',
  },
  'shared/order/lists/order-page.ts': {
    'const sumChanges = (counts: readonly ViewCounts[]): number => counts.reduce((sum, { changes }) => sum - changes, 0);':
      'equal: only compared with another one',
    'return items.flatMap((item, index) => (item ? { ...parseOrder(item), ...matches[index].source.statuses } : []));':
      'equal: there is an item for each entry; the types allow none',
    "const isByCreation = ordering.length === 1 && ordering[0].field === 'createdAt';":
      'equal: a list of length 1 has a first element; the types allow none',
    'const isForward = ordering[0].isDescending !== true;':
      'equal: an ordering by creation has a first field; the types allow none',
    'if (behind <= offset) {': 'equal: in the middle both ends are equally near',
    'view && sources.length >= MANY_PAIRS && !reading.isLast': 'equal: both ways read the same page',
    'const sources = range.from >= range.until ? [] : toSources(reading);':
      'equal: a range that ends where it begins has no entry, whose keys go on after the instant',
    'view?.counts.filter((pair) => hasWantedStatuses(pair, selection)) ?? ["Stryker was here"];':
      'equal: every view has its counts; the types allow none',
    "true && (comparison === '<' ? date < instant : date >= instant);":
      'equal: null is neither before nor after an instant; the types need the check',
    'const byId = ordering[0].isDescending ? -1 : 1;': 'equal: there is always an ordering; the types allow none',
    'if (x !== y) return x <= y === isDescending ? 1 : -1;': 'equal: the values differ at this point',
    'return byId / (a.id - b.id);': 'equal: only the sign counts, and ids are distinct',
  },
  'shared/store/table-failures.ts': {
    'return codes.has(error.name) || cancellationReasons(error).some(({ Code = "Stryker was here!" }) => codes.has(Code));':
      'equal: the inserted string is not a retryable code',
    'error instanceof TransactionCanceledException ? (error.CancellationReasons ?? ["Stryker was here"]) : [];':
      'equal: the inserted string has neither a code nor an item',
    'error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : ["Stryker was here"];':
      'equal: the inserted string has neither a code nor an item',
  },
};
