import { createOrderWrites } from '../../../shared/store/orders/order-writes.ts';
import { indexName } from '../../../shared/store/people/name-index.ts';
import { patientWrites } from '../../../shared/store/people/patients.ts';
import { newUser } from '../../../shared/store/people/users.ts';
import { openTable } from '../../../shared/store/table.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';

// No client of the server has this id.
const CLIENT = 900_000;
const FIVE_LINES = [2, 2, 2, 2, 2];

/** Returns a function that stores a new order of five lines for a new patient as a creation does, and nothing else. */
export function openOrderWrites(): () => Promise<void> {
  const table = openTable();
  let id = 1_000_000;
  return async () => {
    id += 1;
    const now = new Date().toISOString();
    const patient = { id, email: `patient-${id}@bench.example`, firstName: 'Ana', lastName: 'Paz' };
    const person = { ...patient, clientId: CLIENT, role: 'patient', secondLastName: null, phone: '' } as const;
    const user = newUser(id, { ...person, passwordHash: null }, now);
    const order = syntheticOrder({ id, clientId: CLIENT, patient, quantities: FIVE_LINES, createdAt: now });
    await indexName(table, null, user);
    await table.transact([...patientWrites(null, user, now), ...createOrderWrites(order)]);
  };
}
