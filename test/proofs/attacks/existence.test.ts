import { beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../../shared/people/rules/roles.ts';
import type { HttpAnswer } from '../../support/http/http.ts';
import { ADDRESS, INVOICING, orderBody } from '../../support/orders/samples.ts';
import { prove, someOf } from '../../support/proofs/proof.ts';
import { useServer } from '../../support/servers/test-server.ts';

const CALLERS: Readonly<Record<Role, string>> = {
  patient: 'paciente@demo.example',
  doctor: 'doctora@demo.example',
  insurance_employee: 'aseguradora@demo.example',
};
const PHONES: Readonly<Record<Role | 'addressed', string>> = {
  patient: '+525555010001',
  doctor: '+525555010002',
  insurance_employee: '+525555010003',
  addressed: '+525512340099',
};
const UNKNOWN_PHONE = '+525599990000';
const KEY = { 'Idempotency-Key': 'key-of-another-body' };

const server = useServer({ faults: true });
const tokens = new Map<Role, string>();
beforeAll(async () => {
  for (const role of Object.keys(CALLERS) as Role[]) tokens.set(role, await server.login(CALLERS[role]));
  // One known patient has a default address and a phone, another has neither.
  await server.addUser(server.client, 'patient', 'known@example.mx');
  const at = orderBody('addressed@example.mx');
  expect((await place('insurance_employee', { ...at, user: { ...at.user, phone: PHONES.addressed } })).status).toBe(
    201,
  );
  for (const role of tokens.keys()) {
    expect((await place(role, orderBody(CALLERS.patient, { store: 1, shipping: undefined }), KEY)).status).toBe(201);
  }
});

const place = (by: Role, body: object, headers: Record<string, string> = {}) =>
  server.request('POST', '/api/orders/resources/', { token: tokens.get(by) ?? '', body, headers });

/** Each makes of a right order one that nobody could place, whoever it is for. */
const DEFECTS: readonly (readonly [name: string, order: Record<string, unknown>, more?: Record<string, unknown>])[] = [
  ['an unknown product', { details: [{ product: 99_999, quantity: 1 }] }],
  ['a product in shortage', { details: [{ product: 129, quantity: 1 }] }],
  ['a zip code without delivery', { shipping: { ...ADDRESS, zipcode: '00500' } }],
  ['an unknown store', { shipping: undefined, store: 77 }],
  ['a destination and a store', { store: 1 }],
  ['no destination', { shipping: undefined }],
  ['the shipping method of stores without a destination', { shipping: undefined, shipping_method: 6 }],
  ['a prescription that is no document', { prescriptions: [{ document: 'AAAA', issue_date: '2026-01-01' }] }],
  ['a birthdate in the future', {}, { birthdate: '2999-01-01' }],
  ['a key of another body', {}, {}],
];
const withReceiver = (body: object) => ({ ...body, invoicing: { ...INVOICING, rfc: 'XAXX010101000' } });

type Person = { readonly email: string; readonly phone?: string };
const KNOWN = ['known@example.mx', 'addressed@example.mx', ...Object.values(CALLERS)];
const PEOPLE: readonly Person[] = [
  { email: 'unknown@example.mx' },
  { email: 'unknown@example.mx', phone: UNKNOWN_PHONE },
  ...KNOWN.map((email) => ({ email })),
  ...Object.values(PHONES).map((phone) => ({ email: 'unknown@example.mx', phone })),
  ...KNOWN.flatMap((email) => Object.values(PHONES).map((phone) => ({ email, phone }))),
];
/** Lists whom a caller can ask about. Nobody asks about themselves, and a patient only about the phones of others. */
function askable(by: Role): readonly Person[] {
  const isOwn = ({ email, phone }: Person) => email === CALLERS[by] || phone === PHONES[by];
  if (by !== 'patient') return PEOPLE.filter((person) => !isOwn(person));
  return [UNKNOWN_PHONE, ...Object.values(PHONES)].map((phone) => ({ email: CALLERS.patient, phone }));
}

/** Returns all that tells one answer from another: its bytes, and the reads of DynamoDB that it waited for. */
function toEvidence({ status, headers, body }: HttpAnswer): string {
  const { 'x-request-id': _, date: __, 'server-timing': ___, ...rest } = headers;
  const { GetItem, BatchGetItem, Query } = server.faults.calls();
  return JSON.stringify({ status, rest, body, reads: { GetItem, BatchGetItem, Query } });
}

describe('a body that could never become an order', () => {
  it.each(Object.keys(CALLERS) as Role[])('does not tell a %s who exists', async (by) => {
    let sent = 0;
    const telling: string[] = [];
    for (const [index, [name, order, more]] of DEFECTS.entries()) {
      const [unknown, ...others] = askable(by);
      // This patient has a default address, so that their order needs no destination.
      const asked = others.filter(({ email }) => name !== 'no destination' || email !== 'addressed@example.mx');
      const people = [unknown as Person, ...someOf(asked, index, 3)];
      const evidence = new Set<string>();
      for (const { email, phone } of people) {
        const body = orderBody(email, order);
        const user = { ...body.user, ...(phone && { phone }), ...more };
        const whole = index % 2 ? { ...body, user } : withReceiver({ ...body, user });
        server.faults.set();
        const answer = await place(by, whole, name === 'a key of another body' ? KEY : {});
        expect([400, 422]).toContain(answer.status);
        evidence.add(toEvidence(answer));
        sent += 1;
      }
      if (evidence.size > 1) telling.push(`${name}: ${[...evidence].join(' ')}`);
    }
    expect(telling).toEqual([]);
    prove({
      check: 'attack 8: a body that could never become an order asks who exists',
      tries: sent,
      lost: telling.length,
    });
  });

  it('is told by a whole order that somebody else has the e-mail or the phone, and nothing more', async () => {
    const email = ['Este correo electrónico no se puede usar.'];
    const phone = ['Este teléfono no se puede usar.'];
    const of = (address: string, number?: string, order: Record<string, unknown> = {}) => {
      const body = orderBody(address, order);
      return { ...body, user: { ...body.user, ...(number && { phone: number }) } };
    };
    for (const by of ['doctor', 'insurance_employee'] as const) {
      expect((await place(by, of(CALLERS.doctor))).body).toEqual({ user: { email } });
      expect((await place(by, of('unknown@example.mx', PHONES.doctor))).body).toEqual({ user: { phone } });
      const both = await place(by, of(CALLERS.doctor, PHONES.insurance_employee));
      expect(both.body).toEqual({ user: { email, phone } });
    }
    expect((await place('patient', of(CALLERS.patient, PHONES.patient))).status).toBe(201);
    // This order made the address the patient's default, so that their next order needs none.
    const withoutPlace = of(CALLERS.patient, PHONES.doctor, { shipping: undefined });
    expect((await place('patient', withoutPlace)).body).toEqual({ user: { phone } });
  });
});
