import { beforeAll, describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { operate } from '../../support/operators/operator.ts';
import { forceStored } from '../../support/orders/forced-order.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

const PATH = '/api/orders/';

const server = useServer();
let key: string;
let clientId: number;
const tokens = new Map<string, string>();
/** Holds the ids of the orders below, by their names. */
const ids = new Map<string, number>();

// Days of the shop begin at 06:00 UTC.
const LAST_OF_MONDAY = '2026-11-24T05:59:59.999Z';
const FIRST_OF_TUESDAY = '2026-11-24T06:00:00.000Z';
const WEDNESDAY = '2026-11-25T18:00:00.000Z';

beforeAll(async () => {
  const { client, key: ownKey } = await server.addClient('Filtros');
  key = ownKey;
  clientId = client.id;
  const users = { rosa: 'patient', hugo: 'patient', eva: 'doctor', leo: 'doctor', ines: 'insurance_employee' } as const;
  for (const [name, role] of Object.entries(users)) await server.addUser(client, role, `${name}@example.mx`);
  await place('phoned', LAST_OF_MONDAY, { email: 'Rosa@Example.mx', phone: '+52 1 (55) 1234-5678' }, 'ines');
  await place('told', FIRST_OF_TUESDAY, { email: 'rosa@example.mx', phone: '+525512345678' }, 'eva');
  await place('untold', WEDNESDAY, { email: 'rosa@example.mx' }, 'eva');
  await place('hugos', WEDNESDAY, { email: 'hugo@example.mx', phone: '+15551234567' }, 'ines');
  await request('PATCH', `${PATH}${ids.get('hugos')}/`, 'ines', { order_status: 'cancelled' });
});

async function request(method: string, path: string, by: string, body?: object) {
  const token = tokens.get(by) ?? (await server.login(`${by}@example.mx`, key));
  tokens.set(by, token);
  return server.request(method, path, { key, token, ...(body && { body }) });
}

async function place(name: string, at: string, user: object, by: string): Promise<void> {
  setClock(new Date(at));
  tokens.clear();
  const { order, ...body } = orderBody('x');
  const answer = await request('POST', `${PATH}resources/`, by, { order, user: { ...body.user, ...user } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  ids.set(name, answer.body.id);
}

const list = (query: Readonly<Record<string, string>>, by = 'ines') =>
  request('GET', `${PATH}?${new URLSearchParams(query)}`, by);
const folioOf = (name: string) => `RX-${String(ids.get(name)).padStart(8, '0')}`;

async function named(query: Readonly<Record<string, string>>, by?: string): Promise<(string | undefined)[]> {
  const { status, body } = await list(query, by);
  expect({ status, count: body.count }).toEqual({ status: 200, count: body.results?.length });
  return body.results.map(({ id }: { id: number }) => [...ids].find(([, known]) => known === id)?.[0]);
}

describe('the time of creation', () => {
  it.each([
    [{ created_at_after: '2026-11-24' }, ['hugos', 'untold', 'told']],
    [{ created_at_before: '2026-11-23' }, ['phoned']],
    [{ created_at_after: '2026-11-25', created_at_before: '2026-11-24' }, []],
    [{ created_at_after: '0001-01-01', created_at_before: '9999-12-31' }, ['hugos', 'untold', 'told', 'phoned']],
    // The orders are due on Friday 27, Friday 27, Monday 30 and Monday 30.
    [{ created_at_after: '2026-11-24', expected_delivery_date_before: '2026-11-27' }, ['told']],
    [{ created_at_before: '2026-11-25', ordering: 'expected_delivery_date' }, ['phoned', 'told', 'untold', 'hugos']],
  ])('of %j leaves %j', async (query, expected) => {
    expect(await named(query as Record<string, string>)).toEqual(expected);
  });
});

/** Each parameter with values that it does not take, and what it then says; `contract/bad-values` has others. */
it.each([
  ...['created_at_after', 'created_at_before'].map((name) => {
    return [name, ['2026-11-24T00:00:00Z', 'today'], 'Debe ser una fecha AAAA-MM-DD que exista.'] as const;
  }),
  [
    'folio',
    ['RX-1234567890123456', 'XX-00000001', 'RX-0000000a', ' RX-00000001'],
    'Debe ser un folio con la forma RX-00000123.',
  ],
  ['email', ['rosa', 'rosa@@example.mx'], 'Debe ser un correo electrónico válido.'],
  ['email', [`${'a'.repeat(244)}@example.mx`], 'Debe tener a lo más 254 caracteres.'],
  [
    'phone',
    ['551234567', '55123456789', '+52', '+5255123456789012345678'],
    'Debe ser un teléfono válido con la forma +<código de país><número>.',
  ],
] as const)('%s is refused as %j', async (name, values, message) => {
  for (const value of values) {
    const { status, body } = await list({ [name]: value });
    expect({ value, status, body }).toEqual({ value, status: 400, body: { [name]: [message] } });
  }
});

describe('the folio', () => {
  it('finds its order in either case, with any filter that the order passes, on one page', async () => {
    const folio = folioOf('told');
    expect(await named({ folio })).toEqual(['told']);
    expect(await named({ folio: folio.toLowerCase() })).toEqual(['told']);
    const passed = {
      ...{ order_status__in: 'approved', payment_status__in: 'unpaid', search: 'ana', email: 'rosa@example.mx' },
      ...{ created_at_after: '2026-11-24', expected_delivery_date_before: '2026-11-27', ordering: 'created_at' },
    };
    expect(await named({ folio, ...passed })).toEqual(['told']);
    expect((await list({ folio, page: '2' })).status).toBe(404);
  });

  it.each([
    { order_status__in: 'cancelled' },
    { exclude_order_status__in: 'approved' },
    { payment_status__in: 'paid' },
    { search: 'nadie' },
    { email: 'hugo@example.mx' },
    { patient: '1' },
    { created_at_before: '2026-11-23' },
    { max_delivery_date_before: '2026-11-24' },
  ])('finds nothing with %j', async (filter) => {
    expect(await named({ folio: folioOf('told'), ...filter } as Record<string, string>)).toEqual([]);
  });

  it.each(['RX-00000000', 'RX-99999999', 'RX-999999999999999'])('finds nothing as %s', async (folio) => {
    expect(await named({ folio })).toEqual([]);
  });
});

describe('the e-mail', () => {
  it('finds the orders of its patient in any case', async () => {
    expect(await named({ email: 'rosa@example.mx' })).toEqual(['untold', 'told', 'phoned']);
    expect(await named({ email: ' ROSA@example.MX ', ordering: 'created_at' })).toEqual(['phoned', 'told', 'untold']);
    expect(await named({ email: 'hugo@example.mx', order_status__in: 'cancelled' })).toEqual(['hugos']);
    expect(await named({ email: 'hugo@example.mx', order_status__in: 'approved' })).toEqual([]);
    expect(await named({ email: 'rosa@example.mx', limit: '100', search: 'paz' })).toHaveLength(3);
  });

  it.each(['nadie@example.mx', 'rosa@example.mx.mx', 'eva@example.mx', 'ines@example.mx'])(
    'of nobody or of no patient finds nothing: %s',
    async (email) => {
      expect(await named({ email })).toEqual([]);
    },
  );
});

describe('the phone', () => {
  it.each([' +5215512345678 ', '5512345678', '(55) 1234-5678', ' 525512345678'])(
    'finds its patient as %j',
    async (phone) => {
      expect(await named({ phone })).toEqual(['untold', 'told', 'phoned']);
    },
  );

  it('goes with the other filters', async () => {
    const phone = '+525512345678';
    expect(await named({ phone, email: 'rosa@example.mx', created_at_before: '2026-11-23' })).toEqual(['phoned']);
    expect(await named({ phone, email: 'hugo@example.mx' })).toEqual([]);
    expect(await named({ phone, patient: '1' })).toEqual([]);
    expect(await named({ phone: '+525512345679' })).toEqual([]);
  });
});

// A doctor sees no phone but one that they sent with the order.
it.each([
  ['rosa', { folio: 'told' }, ['told']],
  ['eva', { folio: 'told' }, ['told']],
  ['hugo', { folio: 'told' }, []],
  ['leo', { folio: 'told' }, []],
  ['rosa', { email: 'rosa@example.mx' }, ['untold', 'told', 'phoned']],
  ['rosa', { email: 'hugo@example.mx' }, []],
  ['eva', { email: 'rosa@example.mx' }, ['untold', 'told']],
  ['eva', { email: 'hugo@example.mx' }, []],
  ['leo', { email: 'rosa@example.mx' }, []],
  ['rosa', { phone: '+525512345678' }, ['untold', 'told', 'phoned']],
  ['rosa', { phone: '+525512345678', folio: 'untold' }, ['untold']],
  ['rosa', { phone: '+15551234567' }, []],
  ['eva', { phone: '+525512345678' }, ['told']],
  ['eva', { phone: '+525512345678', folio: 'untold' }, []],
  ['leo', { phone: '+525512345678' }, []],
])(
  '%s finds with %j no order that is not theirs',
  async (by, { folio, ...query }: Record<string, string>, expected) => {
    expect(await named({ ...query, ...(folio && { folio: folioOf(folio) }) }, by)).toEqual(expected);
  },
);

describe('a person', () => {
  it('of another client is unknown', async () => {
    const other = await server.addClient('Ajena');
    await server.addUser(other.client, 'insurance_employee', 'ajena@example.mx');
    const token = await server.login('ajena@example.mx', other.key);
    for (const query of [{ email: 'rosa@example.mx' }, { phone: '+525512345678' }, { folio: folioOf('told') }]) {
      const path = `${PATH}?${new URLSearchParams(query as unknown as Record<string, string>)}`;
      const { body } = await server.request('GET', path, { key: other.key, token });
      expect(body).toEqual({ count: 0, next: null, previous: null, results: [] });
    }
  });

  it('who was erased is found no more', async () => {
    await place('erased', WEDNESDAY, { email: 'borrada@example.mx', phone: '+525587654321' }, 'ines');
    expect(await named({ email: 'borrada@example.mx' })).toEqual(['erased']);
    await forceStored(ids.get('erased') ?? 0, { orderStatus: 'delivered', paymentStatus: 'paid' });
    const who = ['--client', String(clientId), '--email', 'borrada@example.mx'];
    expect((await operate('pipe', 'patients', 'erase', ...who, '--yes', '--json')).code).toBe(0);
    expect(await named({ email: 'borrada@example.mx' })).toEqual([]);
    expect(await named({ phone: '+525587654321' })).toEqual([]);
    expect(await named({ folio: folioOf('erased') })).toEqual(['erased']);
  });
});

it('the store of a pickup and the claim with the insurer filter, alone and together', async () => {
  const { order } = orderBody('x');
  const pickup = { user: orderBody('hugo@example.mx').user, order: { ...order, shipping: undefined, store: 2 } };
  setClock(new Date(WEDNESDAY));
  tokens.clear();
  ids.set('picked up', (await request('POST', `${PATH}resources/`, 'ines', pickup)).body.id);
  await forceStored(ids.get('told') ?? 0, { insuranceRefundStatus: 'sent_to_insurer' });
  expect(await named({ store: '2' })).toEqual(['picked up']);
  expect(await named({ store: '1' })).toEqual([]);
  expect(await named({ insurance_refund_status: 'sent_to_insurer' })).toEqual(['told']);
  expect(await named({ insurance_refund_status: 'not_started', store: '2' })).toEqual(['picked up']);
  expect(await named({ insurance_refund_status: 'sent_to_insurer', search: 'paz' }, 'eva')).toEqual(['told']);
  expect((await list({ insurance_refund_status: 'lost' })).status).toBe(400);
});
