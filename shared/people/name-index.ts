import { foldText } from '../domain/text.ts';
import {
  keyName,
  LONGEST_NAME_PART,
  longNameKey,
  longNamesPartition,
  NAME_LETTERS,
  nameKey,
  nameQuery,
  parseNameKey,
  patientNameKey,
  patientNamesPartition,
  toKey,
} from '../store/keys.ts';
import { type Item, type Query, startingWith, type Table } from '../store/table.ts';
import { joinName, type Names } from './person.ts';

// A name is indexed by every suffix of its words, since a text anywhere in a word begins one of them. An item stays when the
// name changes, for earlier orders are still found by it, and goes when the patient is erased. Results of a query are checked
// against the entries of orders, so an item of a patient who was never stored does no harm.

/**
 * Returns a full name as stored for searches: folded, or, if that is longer, unchanged behind a blank. 230 syllables of Hangul
 * fold to three times as many letters, and a ligature such as U+FDFA to 18.
 */
export function packName(person: Names): string {
  const name = joinName(person).replace(/\s+/g, ' ').trim();
  const folded = foldText(name);
  return Buffer.byteLength(folded) <= Buffer.byteLength(name) ? folded : ` ${name}`;
}

/** Returns the folded name. Folded text never begins with a blank. */
export const unpackName = (packed: string): string => (packed.startsWith(' ') ? foldText(packed) : packed);

type PatientKey = { readonly clientId: number; readonly id: number };
type Indexed = PatientKey & { readonly name: string };
type Patient = Names & PatientKey;

/** Returns the items that find a patient by a packed name, and the one that records the name. */
export const nameItems = (indexed: Indexed): Item[] => {
  const { clientId, id, name } = indexed;
  return [{ ...patientNameKey(clientId, id, name), name }, ...searchItems(indexed)];
};

// Each suffix is an item and costs a write unit, up to 1 KB. Names have about 20 suffixes and hardly ever 64; a longer name,
// probably made up, goes into one list that every search reads.
const MOST_ENDS = 64;
const MOST_BYTES = 750;

function searchItems({ clientId, id, name }: Indexed): Item[] {
  // Suffixes with the same beginning have one key.
  const ends = new Set(unpackName(name).split(' ').flatMap(wordEnds));
  const isLong = ends.size > MOST_ENDS || Buffer.byteLength(name) > MOST_BYTES;
  if (isLong) return [{ ...longNameKey(clientId, id, name), name }];
  const items = [...ends].map((end) => ({ ...nameKey(clientId, end, { patient: id, name }), name }));
  // Hashes may collide, and DynamoDB refuses a batch with one key twice.
  return [...new Map(items.map((item) => [keyName(item), item])).values()];
}

/** Indexes a patient's name if it differs from `before`. Call it before storing the patient, so that no search misses them. */
export async function indexName(table: Table, before: Patient | null, after: Patient): Promise<void> {
  const name = packName(after);
  if (before && packName(before) === name) return;
  await table.putAll(nameItems({ ...after, name }));
}

/** Removes all names of a patient from the index. Safe to repeat after an interruption. */
export async function removeNames(table: Table, { clientId, id }: PatientKey): Promise<void> {
  const records = await table.all({ pk: patientNamesPartition(clientId, id) });
  await table.deleteAll(records.flatMap(({ name }) => searchItems({ clientId, id, name: String(name) })).map(toKey));
  await table.deleteAll(records.map(toKey));
}

function wordEnds(word: string): string[] {
  const letters = [...word];
  const count = Math.max(0, letters.length - NAME_LETTERS + 1);
  return Array.from({ length: count }, (_, start) => letters.slice(start, start + LONGEST_NAME_PART).join(''));
}

/** A word in more names than this narrows nothing down, nor does a search with more patients. */
type Limits = { readonly names: number; readonly patients: number };
// 400 names take 9 read units. A search with more patients goes through the orders instead.
const OF_A_CLIENT: Limits = { names: 400, patients: 100 };
// Each word takes a query. Further words still count when the names are compared.
const MOST_WORDS = 8;

/**
 * Returns the ids of a client's patients whose present or former name contains all words. Undefined if every word is too
 * short or too common, too many patients match, or the client has more than 400 long names.
 */
export async function findPatients(
  table: Table,
  clientId: number,
  words: readonly string[],
  limits: Limits = OF_A_CLIENT,
): Promise<number[] | undefined> {
  const indexed = words.filter((word) => [...word].length >= NAME_LETTERS).slice(0, MOST_WORDS);
  if (indexed.length === 0) return undefined;
  const [long, ...results] = await Promise.all([
    namesIn(table, { pk: longNamesPartition(clientId) }, limits),
    ...indexed.map((word) => namesWith(table, clientId, word, limits)),
  ]);
  // The names with any word that is not too common contain all matches, except for long names.
  const short = results.find((names) => names !== undefined);
  if (!long || !short) return undefined;
  const matches = [...short, ...long].filter(({ name }) =>
    words.every((word) => unpackName(String(name)).includes(word)),
  );
  const patients = new Set(matches.map(({ sk }) => parseNameKey(String(sk))));
  return patients.size <= limits.patients ? [...patients] : undefined;
}

function namesWith(table: Table, clientId: number, word: string, limits: Limits): Promise<Item[] | undefined> {
  const { pk, start } = nameQuery(clientId, word);
  return namesIn(table, { pk, ...startingWith(start) }, limits);
}

async function namesIn(table: Table, query: Query, { names: most }: Limits): Promise<Item[] | undefined> {
  const items = await table.first(query, most + 1);
  return items.length > most ? undefined : items;
}
