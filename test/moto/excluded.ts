const MANY_ORDERS =
  'Each read and each transaction of moto copies the items of its table, so that thousands take minutes.';
const AT_ONCE =
  'moto answers one request after the other, so that those of many callers at once pass their time limit.';
const SLOW = 'After the other tests of its file it passes its time limit.';
const OTHER_ENGINES = 'It starts engines of its own, or reads the files or the mailbox of the local ones.';

/** The component tests that moto cannot run, by file. */
export const EXCLUDED_FILES: Readonly<Record<string, string>> = {
  'orders/order-list.property.test.ts': MANY_ORDERS,
  'ops/orders-rebuild.test.ts': MANY_ORDERS,
  'store/lists.test.ts': MANY_ORDERS,
  'store/many-statuses.test.ts': MANY_ORDERS,
  'store/names.test.ts': MANY_ORDERS,
  'store/open-orders.test.ts': MANY_ORDERS,
  'store/order-rebuild.test.ts': 'A transaction of moto reads 25 items at most, one of DynamoDB 100.',
  'ops/ops-readme.test.ts': OTHER_ENGINES,
};

/** Single tests of other files, by a pattern of their names. */
export const EXCLUDED_TESTS: Readonly<Record<string, string>> = {
  'sent at once with one new e-mail': AT_ONCE,
  'checks 10 of 50 passwords that come at the same time': AT_ONCE,
  'when many are placed at once': AT_ONCE,
  'one of twenty equal moves wins': AT_ONCE,
  'of many orders is sent once each after SES was down': AT_ONCE,
  '12 issue one invoice, and all but one are refused': AT_ONCE,
  'wins once for each version among many at once': AT_ONCE,
  'one that meets a cancellation either comes first or is refused': AT_ONCE,
  'match the lists of every view after all of these tests': MANY_ORDERS,
  'that refuses data that the receiver did not send': SLOW,
  'is found, recorded and mailed once when the reply came after our deadline': SLOW,
  'are summed without their other attributes': SLOW,
  'reads more than one page':
    'moto lists nothing behind a version that was removed meanwhile; S3 goes on, as boto3’s object_versions.delete() does.',
  'distinguishes a failure from a failed condition': 'moto takes a transaction without items, which DynamoDB refuses.',
  'sums the round trips of a new order up': 'moto counts one unit for each item, whatever its size.',
};
