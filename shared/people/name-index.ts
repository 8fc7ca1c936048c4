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
import type { Item, Query, Table } from '../store/table.ts';
import { joinName, type Names } from './person.ts';

// A name is indexed by every end of its words: a text that stands anywhere in a word begins one of them. An item stays
// when the name changes, since earlier orders are still found by it, and goes when the patient is erased. What a query
// finds is held against the entries of the orders, so that an item of a patient who was never stored does no harm.

/**
 * Returns the full name of a person as it is stored for searches: folded, or, where that is longer, as it was written, behind
 * a blank. 230 syllables of Hangul fold to three times as many letters, and a ligature such as U+FDFA to 18.
 */
export function packName(person: Names): string {
  const written = joinName(person).replace(/\s+/g, ' ').trim();
  const folded = foldText(written);
  return Buffer.byteLength(folded) <= Buffer.byteLength(written) ? folded : ` ${written}`;
}

/** Returns the folded text of a packed name; a folded text never begins with a blank. */
export const unpackName = (packed: string): string => (packed.startsWith(' ') ? foldText(packed) : packed);

type PatientKey = { readonly clientId: number; readonly id: number };
type Indexed = PatientKey & { readonly name: string };
type Patient = Names & PatientKey;

/** Returns the items by which a patient of this name is found, and the one that says that they have it; `name` is packed. */
export const nameItems = (indexed: Indexed): Item[] => [patientNameItem(indexed), ...searchItems(indexed)];

const patientNameItem = ({ clientId, id, name }: Indexed): Item => ({ ...patientNameKey(clientId, id, name), name });

// An item for each end costs a write unit, as long as it has at most 1 KB. The names of people have some 20 ends, hardly any 64;
// a longer name, which somebody may have made up, has one item in a list that every search reads.
const MOST_ENDS = 64;
const MOST_BYTES = 750;

function searchItems({ clientId, id, name }: Indexed): Item[] {
  // Ends of one beginning have one key.
  const ends = new Set(unpackName(name).split(' ').flatMap(wordEnds));
  const isLong = ends.size > MOST_ENDS || Buffer.byteLength(name) > MOST_BYTES;
  if (isLong) return [{ ...longNameKey(clientId, id, name), name }];
  const items = [...ends].map((end) => ({ ...nameKey(clientId, end, { patient: id, name }), name }));
  // Two ends may have the same hash, and DynamoDB refuses a batch with one key twice.
  return [...new Map(items.map((item) => [keyName(item), item])).values()];
}

/**
 * Indexes the name of a patient who is about to be stored, unless they are `before` with the same name. To be called
 * before the patient is stored, so that no search can miss them.
 */
export async function indexName(table: Table, before: Patient | null, after: Patient): Promise<void> {
  const name = packName(after);
  if (before && packName(before) === name) return;
  await table.putAll(nameItems({ ...after, name }));
}

/** Removes every name of a patient from the index; a removal that was cut off can be repeated. */
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

/** A word that more names than these contain tells too little, and so does a search that finds more patients. */
type Limits = { readonly names: number; readonly patients: number };
// 400 names take 9 read units. A search that finds more patients goes through the orders instead.
const OF_A_CLIENT: Limits = { names: 400, patients: 100 };
// Each word takes a query. Those of a long text that are left out count when the names are compared.
const MOST_WORDS = 8;

/**
 * Returns the ids of the patients of a client whose name contains each of the words, or had once. Undefined if every word
 * is too short or too common, too many patients are found, or the client has more than 400 long names.
 */
export async function findPatients(
  table: Table,
  clientId: number,
  words: readonly string[],
  limits: Limits = OF_A_CLIENT,
): Promise<number[] | undefined> {
  const asked = words.filter((word) => [...word].length >= NAME_LETTERS).slice(0, MOST_WORDS);
  if (asked.length === 0) return undefined;
  const [long, ...found] = await Promise.all([
    namesIn(table, { pk: longNamesPartition(clientId) }, limits),
    ...asked.map((word) => namesWith(table, clientId, word, limits)),
  ]);
  // Those of any word that is not too common hold all that are looked for, beside the long names.
  const short = found.find((names) => names !== undefined);
  if (!long || !short) return undefined;
  const matching = [...short, ...long].filter(({ name }) => hasWords(unpackName(String(name)), words));
  const patients = new Set(matching.map(({ sk }) => parseNameKey(String(sk))));
  return patients.size <= limits.patients ? [...patients] : undefined;
}

const hasWords = (name: string, words: readonly string[]): boolean => words.every((word) => name.includes(word));

/** Returns the items of the names that contain a word; undefined if there are too many. */
function namesWith(table: Table, clientId: number, word: string, limits: Limits): Promise<Item[] | undefined> {
  const { pk, start } = nameQuery(clientId, word);
  return namesIn(table, { pk, where: 'begins_with(sk, :start)', values: { ':start': start } }, limits);
}

async function namesIn(table: Table, query: Query, { names: most }: Limits): Promise<Item[] | undefined> {
  const items = await table.first(query, most + 1);
  return items.length > most ? undefined : items;
}
