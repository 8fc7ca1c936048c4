import type { Survivors } from '../parts.ts';

export const CATALOG: Survivors = {
  'shared/catalog/file/snapshot.ts': {
    'const database = new DatabaseSync(file, {});': 'only a safeguard: nothing writes to an open catalog',
    'const database = new DatabaseSync(file, { readOnly: false });':
      'only a safeguard: nothing writes to an open catalog',
    'const read = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()[name]);':
      'equal: reading a PRAGMA always gives a value; the types allow none',
    'without database.close();': 'only memory: the garbage collector closes the database',
    'throw new Error(notACatalog(file), {});': 'only the cause, which nothing reads',
  },
  'shared/catalog/listing.ts': {
    'if (orders.size === KEPT_ORDERS) ;': 'only memory: cached orders',
    'if (true) orders.clear();': 'only speed: cached orders',
    'if (false) orders.clear();': 'only memory: cached orders',
    'if (orders.size !== KEPT_ORDERS) orders.clear();': 'only speed: cached orders',
    'if (false) return known;': 'only speed: cached orders',
    'without orders.set(name, order);': 'only speed: cached orders',
    'return terms;': 'only speed: a repeated field does not change the order',
    'return terms.filter(({ field }, index) => true);': 'only speed: a repeated field does not change the order',
    'if (terms[0].descending) byId.reverse();': 'equal: a query is ordered by at least one field',
    'for (let place = 1; place <= places.length; place++) places[place] = (places[place] ?? 0) + (places[place - 1] ?? 0);':
      'equal: a typed array ignores writes beyond its end',
    'const end = true ? order.length : 0;': 'only speed: nothing is found beyond the end',
    'const end = offset <= count ? order.length : 0;': 'only speed: nothing is found beyond the end',
    'for (let row = 0; row <= mask.length; row++) sum += mask[row] ?? 0;':
      'equal: there is nothing to add beyond the end',
    'return { count, results: results.map(row => items[row]) };':
      'equal: each row has an item; the types need the check',
    'return { count, results: results.map((row) => items[row]).filter((item) => true) };':
      'equal: each row has an item; the types need the check',
  },
  'shared/catalog/open.ts': {
    'without database.close(); (2)': 'only memory: the garbage collector closes the database',
    'without database.close();': 'only memory: the garbage collector closes the database',
  },
  'shared/catalog/file/records.ts': {
    'if (false) throw new Error(`an unchecked catalog: ${source}`);':
      'equal: a compiled catalog has been checked; the types need the check',
    'if (value === undefined) throw new Error(``);': 'only the message of an error that a bug would raise',
  },
  'shared/catalog/products.ts': {
    'const detail: PublishedDetail = JSON.parse(String(selectDetail.get(id).detail));':
      'equal: each id has a row; the types allow none',
  },
  'shared/catalog/queries.ts': {
    'return Number(cents / CENT > micros ? cents - 1n : cents);':
      'equal: no price is below zero, however low the bound is',
    'for (let row = 0; row <= mask.length; row++) if (column[row] !== wanted) mask[row] = 0;':
      'equal: a typed array ignores writes beyond its end',
    'for (let row = 0; row <= mask.length; row++) if ((column[row] ?? 0) < lowest) mask[row] = 0;':
      'equal: a typed array ignores writes beyond its end',
    'for (let row = 0; row <= mask.length; row++) if ((column[row] ?? 0) > highest) mask[row] = 0;':
      'equal: a typed array ignores writes beyond its end',
    'for (let row = 0; row <= mask.length; row++) {': 'equal: a typed array ignores writes beyond its end',
  },
  'shared/catalog/file/search-text.ts': {
    'for (let row = 0; row <= mask.length; row++) if (found[row] === 0) mask[row] = 0;':
      'equal: a typed array ignores writes beyond its end',
    'while ((ends[word] ?? at) <= at) word++;': 'equal: no search word begins with a line feed',
    "for (let end = text.indexOf('\\n'); end > 0; end = text.indexOf('\\n', end + 1)) ends.push(end);":
      'equal: the first line holds a name, which is never empty',
  },
  'shared/catalog/publishing/compile/previous.ts': {
    '} finally {}': 'only memory: the garbage collector closes the database',
    'without database.close();': 'only memory: the garbage collector closes the database',
    "const fingerprint = createHash('sha256').update(JSON.stringify(content)).digest('base64url');":
      'only size: the same hash with more digits',
  },
  'shared/catalog/file/columns.ts': {
    'const distinct = [...new Set(values)].sort((a, b) => (a <= b ? -1 : 1));':
      'equal: the values of a set are distinct',
    'return [name, new Column(content.buffer)];':
      'only a safeguard: node:sqlite currently gives each value its own buffer',
  },
  'shared/catalog/publishing/compile/compile.ts': {
    'database.exec("");': 'only speed',
    '} finally {}': 'only memory: the garbage collector closes the database',
    'without database.close();': 'only memory: the garbage collector closes the database',
    'for (const { key, content } of keyed.toSorted((a, b) => (a.key <= b.key ? -1 : 1))) insert.run(kind, key, content);':
      'equal: keys are distinct',
    'for (const { key, content } of keyed.toSorted((a, b) => (a.key >= b.key ? -1 : 1))) insert.run(kind, key, content);':
      'equal: keys are distinct, and any stable order is right',
  },
};
