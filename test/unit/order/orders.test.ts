import { describe, expect, it } from 'vitest';
import { isPatientErased, listViewers } from '../../../shared/order/order.ts';
import { toPerson } from '../../../shared/people/person.ts';
import type { UserRecord } from '../../../shared/people/users.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';

describe('an order', () => {
  it.each([
    ['a doctor', { id: 7, doctor: 20 }, ['client', 'patient#10', 'doctor#20']],
    ['an insurance employee', { id: 7 }, ['client', 'patient#10']],
  ] as const)('that %s placed is in the views of those who may see it', (_, asked, viewers) => {
    expect(listViewers(syntheticOrder(asked))).toEqual(viewers);
  });

  it.each([
    ['is shown as deleted', { deletedAt: '2026-01-03T18:00:00.000Z' }],
    ['has no e-mail', { email: '' }],
  ])('is of an erased patient when the patient %s', (_, erased) => {
    const order = syntheticOrder({ id: 7 });
    expect(isPatientErased({ ...order, patient: { ...order.patient, ...erased } })).toBe(true);
    expect(isPatientErased(order)).toBe(false);
  });

  it('copies the person of a user without their account', () => {
    const person = {
      ...syntheticOrder({ id: 7 }).generatedBy,
      role: 'patient',
      sex: 'F',
      medicalCondition: 'Asma',
    } as const;
    const user: UserRecord = {
      ...person,
      clientId: 1,
      passwordHash: 'scrypt',
      credentialsVersion: 1,
      disabledAt: '2026-01-03T18:00:00.000Z',
      referredBy: 20,
      defaultShipping: null,
      unconfirmed: [],
      defaultInvoicing: 3,
      version: 4,
    };
    expect(toPerson(user)).toEqual(person);
  });
});
