import { foldText } from '../../domain/text.ts';
import {
  NAME_LETTERS,
  nameKey,
  nameQuery,
  parseNameKey,
  patientNameKey,
  patientNamesPartition,
  toKey,
} from '../keys.ts';
import type { Item, Table } from '../table.ts';
import { joinName, type Names, type Person } from './person.ts';

// A name is indexed by every end of its words: a text that stands anywhere in a word begins one of them. An item stays
// when the name changes, since earlier orders are still found by it, and goes when the patient is erased. What a query
// finds is held against the entries of the orders, so that an item of a patient who was never stored does no harm.

/** Returns the full name of a person as it is searched. */
export const foldName = (person: Names): string => foldText(joinName(person));

type PatientKey = { readonly clientId: number; readonly id: number };
type Indexed = PatientKey & { readonly name: string };
type Patient = Person & PatientKey;

/** Returns the items by which a patient of this name is found, and the one that says that they have it; `name` is folded. */
export const nameItems = (indexed: Indexed): Item[] => [patientNameItem(indexed), ...partItems(indexed)];

const patientNameItem = ({ clientId, id, name }: Indexed): Item => ({ ...patientNameKey(clientId, id, name), name });

function partItems({ clientId, id, name }: Indexed): Item[] {
  const parts = name.split(' ').flatMap(wordEnds);
  const keys = parts.map((part) => nameKey(clientId, part, { patient: id, name }));
  // Parts of one beginning have one key, and a batch takes each key only once.
  return [...new Map(keys.map((key) => [key.sk, { ...key, name }])).values()];
}

/**
 * Indexes the name of a patient who is about to be stored, unless they are `before` with the same name. To be called
 * before the patient is stored, so that no search can miss them.
 */
export async function indexName(table: Table, before: Patient | null, after: Patient): Promise<void> {
  const name = foldName(after);
  if (before && foldName(before) === name) return;
  await table.putAll(nameItems({ ...after, name }));
}

/** Removes the present name of a patient from the index. */
export async function removeName(table: Table, patient: Patient): Promise<void> {
  await table.deleteAll(nameItems({ ...patient, name: foldName(patient) }).map(toKey));
}

/** Removes every name of a patient from the index; a removal that was cut off can be repeated. */
export async function removeNames(table: Table, { clientId, id }: PatientKey): Promise<void> {
  const records = await table.all({ pk: patientNamesPartition(clientId, id) });
  await table.deleteAll(records.flatMap(({ name }) => partItems({ clientId, id, name: String(name) })).map(toKey));
  await table.deleteAll(records.map(toKey));
}

function wordEnds(word: string): string[] {
  const letters = [...word];
  const count = Math.max(0, letters.length - NAME_LETTERS + 1);
  return Array.from({ length: count }, (_, start) => letters.slice(start).join(''));
}

/** A word that more names than these contain tells too little, and so does a search that finds more patients. */
type Limits = { readonly names: number; readonly patients: number };
// 400 names take 9 read units. A search that finds more patients goes through the orders instead.
const OF_A_CLIENT: Limits = { names: 400, patients: 100 };
// Each word takes a query. Those of a long text that are left out count when the names are compared.
const MOST_WORDS = 8;

/**
 * Returns the ids of the patients of a client whose name contains each of the words, or had once. Undefined if every word
 * is too short or too common, or too many patients are found.
 */
export async function findPatients(
  table: Table,
  clientId: number,
  words: readonly string[],
  limits: Limits = OF_A_CLIENT,
): Promise<number[] | undefined> {
  const asked = words.filter((word) => [...word].length >= NAME_LETTERS).slice(0, MOST_WORDS);
  const found = await Promise.all(asked.map((word) => namesWith(table, clientId, word, limits)));
  // Those of any word that is not too common hold all that are looked for.
  const items = found.find((names) => names !== undefined);
  if (!items) return undefined;
  const matching = items.filter(({ name }) => words.every((word) => String(name).includes(word)));
  const patients = new Set(matching.map(({ sk }) => parseNameKey(String(sk))));
  return patients.size <= limits.patients ? [...patients] : undefined;
}

/** Returns the items of the names that contain a word; undefined if there are too many. */
async function namesWith(
  table: Table,
  clientId: number,
  word: string,
  { names: most }: Limits,
): Promise<Item[] | undefined> {
  const { pk, start } = nameQuery(clientId, word);
  const query = { pk, where: 'begins_with(sk, :start)', values: { ':start': start } };
  const items = await table.first(query, most + 1);
  return items.length > most ? undefined : items;
}
