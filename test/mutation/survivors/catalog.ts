import type { Survivors } from '../parts.ts';

export const CATALOG: Survivors = {
  'shared/catalog/format.ts': {
    'without database.close();': 'only memory: the garbage collector closes what is not closed',
    'throw new Error(noCatalog(file), {});': 'only what a debugger shows: the cause',
  },
  'shared/catalog/listing.ts': {
    'if (orders.size === KEPT_ORDERS) ;': 'only memory: orders that are kept',
    'if (true) orders.clear();': 'only speed: orders that are kept',
    'if (false) orders.clear();': 'only memory: orders that are kept',
    'if (orders.size !== KEPT_ORDERS) orders.clear();': 'only speed: orders that are kept',
    'if (false) return known;': 'only speed: orders that are kept',
    'without orders.set(name, order);': 'only speed: orders that are kept',
    'return terms;': 'only speed: a field named again does not change the order',
    'return terms.filter(({ field }, index) => true);': 'only speed: a field named again does not change the order',
    'if (terms[0].descending) byId.reverse();': 'equal: a query is ordered by one field at least',
    'for (let place = 1; place <= places.length; place++) places[place] = (places[place] ?? 0) + (places[place - 1] ?? 0);':
      'equal: a typed array drops what is written behind its end',
    'const end = true ? order.length : 0;': 'only speed: beyond the end nothing is found',
    'const end = offset <= count ? order.length : 0;': 'only speed: beyond the end nothing is found',
    'for (let row = 0; row <= mask.length; row++) sum += mask[row] ?? 0;': 'equal: behind the end is nothing to add',
  },
  'shared/catalog/named-lists.ts': {
    'return { count, results: results.map(row => items[row]) };': 'equal: each row has its item; the types need it',
    'return { count, results: results.map((row) => items[row]).filter((item) => true) };':
      'equal: each row has its item; the types need it',
  },
  'shared/catalog/open.ts': {
    'without database.close();': 'only memory: the garbage collector closes what is not closed',
  },
  'shared/catalog/stored.ts': {
    'if (value === undefined) throw new Error(``);': 'wording that only a defect of ours would show',
  },
};
