import type { Survivors } from '../parts.ts';

export const CATALOG: Survivors = {
  'shared/catalog/file/format.ts': {
    'const database = new DatabaseSync(file, {});': 'only a guard: nothing writes to a catalog that is open',
    'const database = new DatabaseSync(file, { readOnly: false });':
      'only a guard: nothing writes to a catalog that is open',
    'const read = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()[name]);':
      'equal: a PRAGMA that is read has a value; the types do not know',
    'without database.close();': 'only memory: the garbage collector closes what is not closed',
    'throw new Error(notACatalog(file), {});': 'only what a debugger shows: the cause',
  },
  'shared/catalog/read/listing.ts': {
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
  'shared/catalog/read/named-lists.ts': {
    'return { count, results: results.map(row => items[row]) };': 'equal: each row has its item; the types need it',
    'return { count, results: results.map((row) => items[row]).filter((item) => true) };':
      'equal: each row has its item; the types need it',
  },
  'shared/catalog/read/open.ts': {
    'without database.close(); (2)': 'only memory: the garbage collector closes what is not closed',
    'without database.close();': 'only memory: the garbage collector closes what is not closed',
  },
  'shared/catalog/file/checked.ts': {
    'if (false) throw new Error(`an unchecked catalog: ${source}`);':
      'equal: what is compiled has been checked; the types need it',
    'if (value === undefined) throw new Error(``);': 'wording that only a defect of ours would show',
  },
  'shared/catalog/read/products.ts': {
    'const detail: PublishedDetail = JSON.parse(String(selectDetail.get(id).detail));':
      'equal: each id has its row; the types do not know',
  },
  'shared/catalog/read/queries.ts': {
    'return Number(cents / CENT > micros ? cents - 1n : cents);':
      'equal: no price is below nothing, however far a bound is',
    'for (let row = 0; row <= mask.length; row++) if (column[row] !== wanted) mask[row] = 0;':
      'equal: a typed array drops what is written behind its end',
    'for (let row = 0; row <= mask.length; row++) if ((column[row] ?? 0) < lowest) mask[row] = 0;':
      'equal: a typed array drops what is written behind its end',
    'for (let row = 0; row <= mask.length; row++) if ((column[row] ?? 0) > highest) mask[row] = 0;':
      'equal: a typed array drops what is written behind its end',
    'for (let row = 0; row <= mask.length; row++) {': 'equal: a typed array drops what is written behind its end',
  },
  'shared/catalog/file/search-text.ts': {
    'for (let row = 0; row <= mask.length; row++) if (found[row] === 0) mask[row] = 0;':
      'equal: a typed array drops what is written behind its end',
    'while ((ends[line] ?? at) <= at) line++;': 'equal: no word that is searched for begins with a line feed',
    "for (let end = text.indexOf('\\n'); end > 0; end = text.indexOf('\\n', end + 1)) ends.push(end);":
      'equal: the first line is of a name, which is never empty',
  },
  'shared/catalog/compile/timestamps.ts': {
    '} finally {}': 'only memory: the garbage collector closes what is not closed',
    'without database.close();': 'only memory: the garbage collector closes what is not closed',
    "const fingerprint = createHash('sha256').update(JSON.stringify(content)).digest('base64url');":
      'only size: more digits of the same',
  },
  'shared/catalog/file/columns.ts': {
    'const distinct = [...new Set(values)].sort((a, b) => (a <= b ? -1 : 1));': 'equal: no two of a set are the same',
    'return [name, new Column(content.buffer)];':
      'only a guard: today node:sqlite gives each value a buffer of its own',
  },
  'shared/catalog/compile/compile.ts': {
    'database.exec("");': 'only speed',
    '} finally {}': 'only memory: the garbage collector closes what is not closed',
    'without database.close();': 'only memory: the garbage collector closes what is not closed',
  },
  'shared/catalog/compile/write.ts': {
    'const ordered = all.toSorted((a, b) => (toKey(a) <= toKey(b) ? -1 : 1));': 'equal: keys are distinct',
    'const ordered = all.toSorted((a, b) => (toKey(a) >= toKey(b) ? -1 : 1));':
      'equal: keys are distinct, and any order will do that is always the same',
  },
};
