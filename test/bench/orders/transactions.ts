import { createOrderWrites } from '../../../shared/store/orders/order-writes.ts';
import { patientWrites } from '../../../shared/store/people/patients.ts';
import { newUser } from '../../../shared/store/people/users.ts';
import { openTable, type Write } from '../../../shared/store/table.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';

// No client of the server has this id.
const CLIENT = 900_000;
const FIVE_LINES = [2, 2, 2, 2, 2];

/** Returns a function that stores a new order of five lines for a new patient by its transaction alone. */
export function openTransactions(): () => Promise<void> {
  const table = openTable();
  let id = 1_000_000;
  return () => {
    id += 1;
    return table.transact(newOrderWrites(id));
  };
}

function newOrderWrites(id: number): Write[] {
  const now = new Date().toISOString();
  const patient = { id, email: `patient-${id}@bench.example`, firstName: 'Ana', lastName: 'Paz' };
  const person = { ...patient, clientId: CLIENT, role: 'patient', secondLastName: null, phone: '' } as const;
  const user = newUser(id, { ...person, passwordHash: null }, now);
  const order = syntheticOrder({ id, clientId: CLIENT, patient, quantities: FIVE_LINES, createdAt: now });
  return [...patientWrites(null, user, now), ...createOrderWrites(order)];
}
