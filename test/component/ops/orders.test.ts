import { beforeAll, describe, expect, it } from 'vitest';
import { userByEmail } from '../../../shared/people/users.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { operate } from '../../support/operators/operator.ts';
import {
  listedIds,
  misunderstood,
  NEEDS_PRESCRIPTION,
  NOON,
  openOperatorWorld,
  ops,
  refused,
} from '../../support/operators/operator-world.ts';
import { folioOf, PDF } from '../../support/orders/samples.ts';

const world = openOperatorWorld();
const { force, newPrescription, placed } = world;

/** Returns the order of a list in JSON. */
const findListed = async (id: number, ...argv: string[]) =>
  JSON.parse((await ops('orders', 'list', ...argv, '--json')).out).orders.find(
    (order: { id: number }) => order.id === id,
  );

describe('orders list of a client', () => {
  let client: number;
  const ids = { oldest: 0, middle: 0, newest: 0 };
  beforeAll(async () => {
    const { client: own, key } = await world.server.addClient('Otra');
    client = own.id;
    await world.server.addUser(own, 'insurance_employee', 'otra@example.mx');
    const token = await world.server.login('otra@example.mx', key);
    for (const [index, name] of (['oldest', 'middle', 'newest'] as const).entries()) {
      setClock(new Date(NOON.getTime() + index));
      ids[name] = await placed({ token, key });
    }
    await force(ids.middle, { paymentStatus: 'paid' });
    await force(ids.oldest, { orderStatus: 'cancelled', paymentStatus: 'paid' });
  });

  it('shows what the queue shows of an order', async () => {
    expect(await findListed(ids.middle, '--client', String(client))).toEqual({
      id: ids.middle,
      folio: folioOf(ids.middle),
      client,
      created_at: '2026-11-23T18:00:00.001Z',
      order_status: 'approved',
      payment_status: 'paid',
      patient: 'Ana Paz',
      ...{ condition: false, comment: false, note: false, store: null },
      // 2 × 28.50 and 79.00 of shipping.
      total: '136.00',
      age_minutes: 0,
      waits_for: ['preparation'],
      due_at: '2026-11-26T23:00:00.000Z',
      is_due: true,
    });
  });

  it.each([
    ['all, the newest first', [], ['newest', 'middle', 'oldest'], false],
    ['a status and a payment', ['--status', 'approved', '--payment', 'paid'], ['middle'], false],
    ['those to be refunded', ['--refund-due'], ['oldest'], false],
    ['a limit', ['--limit', '2'], ['newest', 'middle'], true],
  ])('shows %s', async (_, options, names, hasMore) => {
    const listed = await listedIds('orders', 'list', '--client', String(client), ...options);
    expect(listed).toEqual({ ids: names.map((name) => ids[name as keyof typeof ids]), hasMore });
  });
});

describe('orders list of all clients', () => {
  const ids = { delayed: 0, approved: 0, credit: 0, delivered: 0, cancelled: 0 };
  // Before every other order of this file.
  const AGES: Readonly<Record<keyof typeof ids, [clients: 'own' | 'other', minutes: number]>> = {
    delayed: ['other', 4 * 24 * 60],
    delivered: ['own', 50 * 60],
    approved: ['own', 47 * 60],
    cancelled: ['other', 46 * 60],
    credit: ['other', 119],
  };
  beforeAll(async () => {
    const { client, key } = await world.server.addClient('Cuarta');
    await world.server.addUser(client, 'insurance_employee', 'cuarta@example.mx');
    const token = await world.server.login('cuarta@example.mx', key);
    for (const [name, [owner, minutes]] of Object.entries(AGES)) {
      setClock(new Date(NOON.getTime() - minutes * 60_000));
      ids[name as keyof typeof ids] = await placed(owner === 'own' ? {} : { token, key });
    }
    await force(ids.delayed, { orderStatus: 'delayed', paymentStatus: 'paid' });
    await force(ids.delivered, { orderStatus: 'delivered' });
    await force(ids.cancelled, { orderStatus: 'cancelled' });
    await force(ids.credit, { orderStatus: 'ready', paymentStatus: 'credit' });
    setClock(NOON);
  });

  it('shows those that wait for somebody, the oldest first, with their ages', async () => {
    const { out, err } = await operate('terminal', 'orders', 'list', '--limit', '3');
    const [, ...rows] = out.trimEnd().split('\n');
    expect(rows.map((row) => row.split(/ {2,}/)).map((cells) => [cells[0], ...cells.slice(4, 6)])).toEqual([
      [String(ids.delayed), 'delayed', 'paid'],
      [String(ids.approved), 'approved', 'unpaid'],
      [String(ids.credit), 'ready', 'credit'],
    ]);
    expect(err).toBe('3 orders, and there are more: --limit shows more of them.\n');
    for (const name of ['delayed', 'approved', 'credit'] as const)
      expect((await findListed(ids[name])).age_minutes).toBe(AGES[name][1]);
  });

  it('says what is due, from the first minute of its day', async () => {
    // It waits for the supplier, and so for its day.
    await force(ids.delayed, { orderStatus: 'shortage' });
    const tellDue = async (time: string) => {
      setClock(new Date(time));
      const text = (await ops('orders', 'list', '--limit', '1')).out.trimEnd().split('\t').slice(-3);
      return [(await findListed(ids.delayed)).is_due, ...text];
    };
    expect(await tellDue('2026-11-24T05:59:59.000Z')).toEqual([false, '', '2026-11-24T23:00:00.000Z', 'stock']);
    expect(await tellDue('2026-11-24T06:00:00.000Z')).toEqual([true, 'yes', '2026-11-24T23:00:00.000Z', 'stock']);
  });

  it('says what an order waits for on that day', async () => {
    const prescriptions = [{ ...newPrescription(), expiring_date: '2026-11-30' }];
    const id = await placed({ order: { ...NEEDS_PRESCRIPTION, prescriptions } });
    expect(await ops('orders', 'verify-prescription', String(id), '--approve')).toMatchObject({ code: 0 });
    const findWaits = async (time: string) => {
      setClock(new Date(time));
      return (await findListed(id, '--limit', '5000')).waits_for;
    };
    expect(await findWaits('2026-12-01T05:59:59.000Z')).toEqual(['preparation', 'payment']);
    expect(await findWaits('2026-12-01T06:00:00.000Z')).toEqual(['prescription', 'payment']);
  });
});

describe('orders list by a text, person or days', () => {
  const SHARED = 'compartida@example.mx';
  const PHONE = '+525555550777';
  let quinta: string;
  const ids = { first: 0, second: 0, elsewhere: 0 };
  beforeAll(async () => {
    const { client, key } = await world.server.addClient('Quinta');
    quinta = key;
    await world.server.addUser(client, 'insurance_employee', 'quinta@example.mx');
    const there = { token: await world.server.login('quinta@example.mx', key), key };
    const name = { first_name: 'Xóchitl', last_name: 'Ibáñez' };
    const later = (minutes: number) => setClock(new Date(NOON.getTime() + minutes * 60_000));
    later(1);
    ids.first = await placed({ email: SHARED, phone: PHONE, name });
    later(2);
    ids.elsewhere = await placed({ email: SHARED, phone: PHONE, name, ...there });
    later(3);
    ids.second = await placed({ email: SHARED, name });
  });

  const found = (...more: string[]) => listedIds('orders', 'list', ...more);

  it.each([
    ['a folio of any client', () => folioOf(ids.elsewhere).toLowerCase(), 'folio', () => [ids.elsewhere]],
    ['an e-mail', () => ' Compartida@Example.MX', 'email', () => [ids.second, ids.elsewhere, ids.first]],
    ['a phone', () => '+52 1 (55) 5555-0777', 'phone', () => [ids.second, ids.elsewhere, ids.first]],
    ['a name', () => 'XOCH ibañ', 'name', () => [ids.second, ids.elsewhere, ids.first]],
    ['the folio of no order', () => 'RX-99999999', 'folio', () => []],
    ['the e-mail of a doctor, who orders for others', () => 'doctora@demo.example', 'email', () => []],
  ])('finds by %s, the newest first', async (_, text, by, sought) => {
    const { out, err } = await ops('orders', 'list', text(), '--json');
    const { orders, ...told } = JSON.parse(out);
    expect([err, ...orders.map(({ id }: { id: number }) => id)]).toEqual(['', ...sought()]);
    expect(told).toEqual({ has_more: false, found_by: by, is_too_common: false });
  });

  it('asks for more of a name that is too short to tell patients apart', async () => {
    const { code, out, err } = await ops('orders', 'list', 'xo');
    expect([code, out, err]).toEqual([0, '', 'Too many patients have such a name: write more of it.\n']);
  });

  it('finds the order of a folio only if it is of the client and of the days that are given', async () => {
    const byFolio = async (...more: string[]) => (await found(folioOf(ids.first), ...more)).ids;
    expect([await byFolio('--client', '1'), await byFolio('--client', '2')]).toEqual([[ids.first], []]);
    expect([await byFolio('--from', '2026-11-24'), await byFolio('--to', '2026-11-22')]).toEqual([[], []]);
  });

  it('shows the latest of what it finds, of one client, and between two days of the shop', async () => {
    const latest = (limit: string) => found(SHARED, '--limit', limit);
    expect([await latest('1'), await latest('2'), await latest('3')]).toEqual([
      { ids: [ids.second], hasMore: true },
      { ids: [ids.second, ids.elsewhere], hasMore: true },
      { ids: [ids.second, ids.elsewhere, ids.first], hasMore: false },
    ]);
    const ours = [SHARED, '--client', '1'];
    expect((await found(...ours)).ids).toEqual([ids.second, ids.first]);
    expect((await found(...ours, '--to', '2026-11-22')).ids).toEqual([]);
    const patient = (await userByEmail(openTable(), 1, SHARED))?.id;
    expect((await found('--patient', String(patient), '--client', '1')).ids).toEqual([ids.second, ids.first]);
  });

  it('finds the orders of all clients by days alone, or of one', async () => {
    const DAY = ['--from', '2028-11-23', '--to', '2028-11-23'];
    const placedAt = async (instant: string, where?: 'elsewhere') => {
      setClock(new Date(instant));
      const there = where && { token: await world.server.login('quinta@example.mx', quinta), key: quinta };
      return placed({ email: SHARED, ...there });
    };
    await placedAt('2028-11-23T05:59:59.999Z');
    const early = await placedAt('2028-11-23T06:00:00.000Z', 'elsewhere');
    const [one, other] = [await placedAt('2028-11-23T18:00:00.000Z'), await placedAt('2028-11-23T18:00:00.000Z')];
    const late = await placedAt('2028-11-24T05:59:59.999Z', 'elsewhere');
    const after = await placedAt('2028-11-24T06:00:00.000Z');
    const latest = (limit: string) => found(...DAY, '--limit', limit);
    expect([await latest('2'), await latest('4')]).toEqual([
      { ids: [late, other], hasMore: true },
      { ids: [late, other, one, early], hasMore: false },
    ]);
    expect((await found(...DAY, '--client', '1')).ids).toEqual([other, one]);
    expect(await found('--from', '2028-11-24')).toEqual({ ids: [after], hasMore: false });
    expect(await found('--to', '2028-11-23', '--limit', '1')).toEqual({ ids: [late], hasMore: true });
    expect((await found(SHARED, ...DAY)).ids).toEqual([late, other, one, early]);
  });

  it.each([
    [['--client', '1', '--status', 'lost'], '--status: It must be one of: quoted, pending_approval,'],
    [['--status', 'delivered'], '--status: Without --client it must be one of: quoted, pending_approval, approved,'],
    [['--refund-due', '--payment', 'paid'], '--refund-due: It goes with neither --status nor --payment.'],
    [[' '], '<text> must be a folio, an e-mail, a phone or a name, not " ".'],
    [['--patient', '8'], '--patient: It needs --client.'],
    [[SHARED, '--status', 'ready'], '--refund-due: They go with --client alone'],
    [['--from', '2026-11-24', '--to', '2026-11-23'], 'The last day must not be before the first.'],
    [['1', '--patient', '8', '--client', '1'], 'Give at most one of <text> and --patient.'],
  ])('refuses %j', (options, complaint) => misunderstood(['orders', 'list', ...options], complaint));

  it('refuses a client that does not exist', async () => {
    expect(await ops('orders', 'list', '--client', '99999')).toEqual(refused('There is no client 99999.\n'));
  });
});

describe('orders show', () => {
  it('shows the whole order, with links that open the documents', async () => {
    const prescriptions = [{ document: PDF, issue_date: '2026-11-20', expiring_date: '2027-01-31' }];
    const id = await placed({ order: { ...NEEDS_PRESCRIPTION, prescriptions, comments: 'Tocar dos veces' } });
    const shown = JSON.parse((await ops('orders', 'show', String(id), '--json')).out);
    expect(shown).toMatchObject({
      id,
      client: world.server.client.id,
      version: 1,
      comments: 'Tocar dos veces',
      ...{ order_status: 'pending_approval', payment_status: 'unpaid', total: '137.00' },
      patient: { user: { first_name: 'Ana', last_name: 'Paz', email: 'ana@example.mx' } },
      shipping: { street: 'Calle de Durango', zipcode: '06700' },
      details: [{ product: 4, quantity: 1, requires_prescription: true, price: '58.00', total: '58.00' }],
      prescriptions: [{ issue_date: '2026-11-20', expiring_date: '2027-01-31', is_verified: false, order: id }],
    });
    const document = await fetch(shown.prescriptions[0].document);
    expect(Buffer.from(await document.arrayBuffer()).toString('base64')).toBe(PDF);
  });

  it('is text for a person, which begins with what a pharmacist must know, without control characters', async () => {
    const person = { sex: 'F', birthdate: '1960-11-24', medical_condition: 'Alergia a la penicilina' };
    const id = await placed({ email: 'alergica@example.mx', name: person });
    await force(id, { comments: 'Urgente\u001b[2J\u009b1m\u202e' });
    const { code, out } = await operate('terminal', 'orders', 'show', String(id));
    expect([code, ...out.split('\n').slice(0, 4)]).toEqual([
      0,
      'patient                 Ana Paz',
      'medical_condition       Alergia a la penicilina',
      'age                     65 (1960-11-24)',
      'sex                     F',
    ]);
    expect(out).toMatch(/^comments +Urgente \[2J 1m/m);
    for (const command of ['\u001b', '\u009b', '\u202e']) expect(out).not.toContain(command);
    setClock(new Date('2026-11-24T06:00:00.000Z'));
    expect((await ops('orders', 'show', String(id))).out).toMatch(/^age {21}66 \(1960-11-24\)$/m);
  });

  it('begins in colour, at a terminal, with whose health data they are, where the e-mail is that of another person', async () => {
    const health = { sex: 'F', birthdate: '1960-11-24', medical_condition: 'Alergia a la penicilina' };
    await placed({ email: 'familia@example.mx', name: health });
    const id = await placed({ email: 'familia@example.mx', name: { first_name: 'Luis' } });
    const warning = 'The record is of Ana Paz, not of Luis Paz: Alergia a la penicilina, 65 (1960-11-24), F.\n';
    const { out } = await operate('terminal', 'orders', 'show', String(id));
    expect(out.startsWith(`\u001b[1m\u001b[31m${warning}\u001b[39m\u001b[22mpatient `)).toBe(true);
    expect(out).not.toMatch(/^(medical_condition|age|sex) /m);
    expect((await ops('orders', 'show', String(id))).out.startsWith(`${warning}patient `)).toBe(true);
  });

  it.each(['show', 'pay --status paid', 'verify-prescription'])(
    'and %s refuse an order that does not exist',
    async (words) => {
      const [name = '', ...options] = words.split(' ');
      expect(await ops('orders', name, '99999999', ...options)).toEqual(refused('There is no order 99999999.\n'));
      await misunderstood(['orders', name, 'RX-1', ...options], '<id> must be the id of an order, not "RX-1"');
    },
  );
});
