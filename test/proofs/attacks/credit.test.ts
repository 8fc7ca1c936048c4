import { describe, expect, it } from 'vitest';
import { addGatewayKey, createClient } from '../../../shared/access/clients.ts';
import { ids, table } from '../../../shared/deps.ts';
import type { Role } from '../../../shared/people/rules/roles.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { prove, tries } from '../../support/proofs/proof.ts';
import { useServer } from '../../support/servers/test-server.ts';

const ON_CREDIT = 2;
const server = useServer();

const emailOf = (role: Role) => `${role}@credit.example`;

/** Registers a client that lets these users buy on credit, with a user of each role, and returns a caller for it. */
async function openClient(name: string, credit?: 'everyone') {
  const { id, value: key } = server.keys.create({ name, enabled: true });
  const terms = {
    name,
    origin: 'credit',
    paymentMethods: [1, ON_CREDIT],
    carrierName: null,
    ...(credit && { credit }),
  };
  const client = await createClient(table(), ids(), terms, new Date());
  await addGatewayKey(table(), client.id, id);
  for (const role of ['patient', 'doctor', 'insurance_employee'] as const) {
    await server.addUser(client, role, emailOf(role));
  }
  return async (role: Role, order: Record<string, unknown>) => {
    const token = await server.login(emailOf(role), key);
    const body = orderBody(emailOf('patient'), order);
    const headers = { 'Accept-Language': 'en' };
    return server.request('POST', '/api/orders/resources/', { token, key, body, headers });
  };
}

const REFUSED = { order: { payment_method: ['Payment method 2 is credit, which is for employees of the client.'] } };

describe('a payment method on credit', () => {
  it('is refused to patients and doctors', async () => {
    const place = await openClient('Empleados');
    const count = tries(2, 50);
    let letIn = 0;
    for (let each = 0; each < count; each++) {
      for (const role of ['patient', 'doctor'] as const) {
        const { status, body } = await place(role, { payment_method: ON_CREDIT });
        if (status === 400) expect(body).toEqual(REFUSED);
        else letIn += 1;
      }
    }
    prove({ check: 'attack 4: a patient or a doctor buys on credit', tries: count * 2, lost: letIn });
  });

  it('is refused together with every other error of the order', async () => {
    const place = await openClient('Errores');
    const { body } = await place('patient', { payment_method: ON_CREDIT, details: [{ product: 99_999, quantity: 1 }] });
    expect(body).toEqual({ order: { ...REFUSED.order, details: [{ product: ['Product 99999 does not exist.'] }] } });
  });

  it('is open to employees, and to nobody else where the client does not have it', async () => {
    const place = await openClient('Seguros');
    const { status, body } = await place('insurance_employee', { payment_method: ON_CREDIT });
    expect([status, body.payment_status]).toEqual([201, 'credit']);
    expect((await place('patient', { payment_method: 1 })).body.payment_status).toBe('unpaid');
  });

  it('is open to everyone of a client that was made so', async () => {
    const place = await openClient('Abierta', 'everyone');
    for (const role of ['patient', 'doctor', 'insurance_employee'] as const) {
      const { status, body } = await place(role, { payment_method: ON_CREDIT });
      expect([role, status, body.payment_status]).toEqual([role, 201, 'credit']);
    }
  });
});
