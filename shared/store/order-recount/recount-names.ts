import { createdPartition, parseOrderId, patientViewer } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { getOrders } from '../orders/orders.ts';
import { foldName, nameItems } from '../people/name-index.ts';
import { type UserRecord, userById } from '../people/users.ts';
import type { Table } from '../table.ts';
import { compareItems, mergeKeys, type Problem, type Purpose } from './differences.ts';
import type { SuspectPatient } from './find-suspect-items.ts';

/** The number of items that index a patient's names wrongly. */
export type NameDifference = { readonly patientId: number; readonly problem: Problem; readonly items: number };

/** Returns the names by which a user must be found among patients. */
export const namesOfUser = (user: UserRecord): string[] => (user.role === 'patient' ? [foldName(user)] : []);

/** Returns the names by which the patient of an order must be found; none once they are erased. */
export const namesOfOrder = ({ patient }: Order): string[] => [foldName(patient)].filter((name) => name !== '');

/**
 * Holds the items that index a patient's names against their record and their orders, and with the purpose of repair puts
 * and deletes those that differ. An order that is just being placed has indexed a name before it is stored, so that an
 * item may only seem to be stray. It costs a query and three reads, and the writes of a repair.
 */
export async function recountNames(table: Table, suspect: SuspectPatient, purpose: Purpose): Promise<NameDifference[]> {
  const { clientId, id, found } = suspect;
  const wanted = (await readNames(table, suspect)).flatMap((name) => nameItems({ clientId, id, name }));
  const stored = await table.getAll(mergeKeys(wanted, found));
  const differences = compareItems(
    wanted,
    stored.filter((item) => item !== undefined),
  );
  if (purpose === 'repair') {
    await table.putAll(differences.flatMap(({ wanted: item }) => (item ? [item] : [])));
    await table.deleteAll(differences.filter(({ problem }) => problem === 'stray').map(({ key }) => key));
  }
  const byProblem = Map.groupBy(differences, ({ problem }) => problem);
  return [...byProblem].map(([problem, { length }]) => ({ patientId: id, problem, items: length }));
}

/** Returns the names that a patient has, or that one of their orders has. */
async function readNames(table: Table, { clientId, id, orders }: SuspectPatient): Promise<string[]> {
  const user = await userById(table, clientId, id);
  const entries = await table.all({ pk: createdPartition(clientId, patientViewer(id)) });
  const ids = [...orders, ...entries.map(parseOrderId)];
  const own = (await getOrders(table, clientId, ids)).filter(({ patient }) => patient.id === id);
  return [...new Set([...(user ? namesOfUser(user) : []), ...own.flatMap(namesOfOrder)])];
}
