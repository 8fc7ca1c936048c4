import { beforeAll, describe, expect, it } from 'vitest';
import { userByEmail } from '../../../shared/people/users.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { taxDocument } from '../../support/invoices/tax-documents.ts';
import {
  done,
  listedIds,
  misunderstood,
  NEEDS_PRESCRIPTION,
  NOON,
  openDesk,
  ops,
  refused,
} from '../../support/operators/desk.ts';
import { operate } from '../../support/operators/operator.ts';
import { folioOf, PDF } from '../../support/orders/samples.ts';

const desk = openDesk();
const { attach, file, force, newPrescription, placed } = desk;

describe('orders list of a client', () => {
  let client: number;
  const ids = { oldest: 0, middle: 0, newest: 0 };
  beforeAll(async () => {
    const { client: own, key } = await desk.server.addClient('Otra');
    client = own.id;
    await desk.server.addUser(own, 'insurance_employee', 'otra@example.mx');
    const token = await desk.server.login('otra@example.mx', key);
    for (const [index, name] of (['oldest', 'middle', 'newest'] as const).entries()) {
      setClock(new Date(NOON.getTime() + index));
      ids[name] = await placed({ token, key });
    }
    await force(ids.middle, { paymentStatus: 'paid' });
    await force(ids.oldest, { orderStatus: 'cancelled', paymentStatus: 'paid' });
  });

  const listed = (...more: string[]) => listedIds('orders', 'list', '--client', String(client), ...more);

  it('shows the orders of the client, the newest first', async () => {
    const { out } = await ops('orders', 'list', '--client', String(client), '--json');
    expect(JSON.parse(out).orders[1]).toEqual({
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
    expect(await listed()).toEqual({ ids: [ids.newest, ids.middle, ids.oldest], hasMore: false });
  });

  it.each([
    ['a status and a payment', ['--status', 'approved', '--payment', 'paid'], ['middle'], false],
    ['those to be refunded', ['--refund-due'], ['oldest'], false],
    ['a limit', ['--limit', '2'], ['newest', 'middle'], true],
  ])('is limited to %s', async (_, options, names, hasMore) => {
    expect(await listed(...options)).toEqual({ ids: names.map((name) => ids[name as keyof typeof ids]), hasMore });
  });

  it('is a table on a terminal, and tab-separated lines elsewhere, counted beside it', async () => {
    const argv = ['orders', 'list', '--client', String(client), '--status', 'cancelled'];
    const [id, folio] = [String(ids.oldest), folioOf(ids.oldest)];
    const cells = [id, folio, String(client), '2026-11-23T18:00:00.000Z', 'cancelled', 'paid', 'Ana Paz', '136.00'];
    expect(await operate('pipe', ...argv)).toEqual(done(`${cells.join('\t')}\n`, '1 order.\n'));
    const { out } = await operate('terminal', ...argv);
    const [head = '', row = ''] = out.split('\n');
    expect(row.split(/ {2,}/)).toEqual(cells);
    expect(head.indexOf('order_status')).toBe(row.indexOf('cancelled'));
    const names = ['id', 'folio', 'client', 'created_at', 'order_status', 'payment_status', 'patient', 'total'];
    expect(head.split(/ {2,}/)).toEqual(names);
  });

  it('refuses a client that does not exist', async () => {
    expect(await ops('orders', 'list', '--client', '99999')).toEqual(refused('There is no client 99999.\n'));
  });

  it.each([
    [['orders', 'list', '--client', '1', '--status', 'lost'], '--status: It must be one of: quoted, pending_approval,'],
    [['orders', 'list', '--client', '1', '--limit', '5001'], '--limit: It must be 5000 or less.'],
    [
      ['orders', 'list', '--refund-due', '--payment', 'paid'],
      '--refund-due: It goes with neither --status nor --payment.',
    ],
    [
      ['orders', 'list', '--status', 'delivered'],
      '--status: Without --client it must be one of: quoted, pending_approval, approved, in_process, ready, shipped, delayed, shortage.',
    ],
  ])('refuses %j', misunderstood);
});

describe('orders list of all clients', () => {
  const ids = { delayed: 0, approved: 0, credit: 0, delivered: 0, cancelled: 0 };
  let other: number;
  // Before every other order of this file.
  const AGES: Readonly<Record<keyof typeof ids, [clients: 'own' | 'other', minutes: number]>> = {
    delayed: ['other', 4 * 24 * 60],
    delivered: ['own', 50 * 60],
    approved: ['own', 47 * 60],
    cancelled: ['other', 46 * 60],
    credit: ['other', 119],
  };
  beforeAll(async () => {
    const { client, key } = await desk.server.addClient('Cuarta');
    other = client.id;
    await desk.server.addUser(client, 'insurance_employee', 'cuarta@example.mx');
    const token = await desk.server.login('cuarta@example.mx', key);
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

  const listed = (...more: string[]) => listedIds('orders', 'list', ...more);

  it('shows those that wait for somebody, the oldest first, with their clients and ages', async () => {
    expect(await listed('--limit', '3')).toEqual({ ids: [ids.delayed, ids.approved, ids.credit], hasMore: true });
    const { out, err } = await operate('terminal', 'orders', 'list', '--limit', '3');
    const [head, ...rows] = out.trimEnd().split('\n');
    expect(head?.split(/ {2,}/)).toEqual([
      ...['id', 'folio', 'client', 'created_at', 'age', 'order_status', 'payment_status', 'patient', 'total'],
      ...['due', 'waits_for'],
    ]);
    expect(rows.map((row) => row.split(/ {2,}/).slice(2, 7))).toEqual([
      [String(other), '2026-11-19T18:00:00.000Z', '4 d', 'delayed', 'paid'],
      [String(desk.server.client.id), '2026-11-21T19:00:00.000Z', '47 h', 'approved', 'unpaid'],
      [String(other), '2026-11-23T16:01:00.000Z', '119 min', 'ready', 'credit'],
    ]);
    expect(err).toBe('3 orders, and there are more: --limit shows more of them.\n');
  });

  it('says what is due, with the first minute of its day', async () => {
    // It waits for the supplier, and so for its day.
    await force(ids.delayed, { orderStatus: 'shortage' });
    const tellDue = async (time: string) => {
      setClock(new Date(time));
      const { out } = await ops('orders', 'list', '--limit', '1', '--json');
      const text = (await ops('orders', 'list', '--limit', '1')).out.trimEnd().split('\t').slice(-2);
      setClock(NOON);
      return [JSON.parse(out).orders[0].is_due, ...text];
    };
    expect(await tellDue('2026-11-24T05:59:59.000Z')).toEqual([false, '2026-11-24', 'stock']);
    expect(await tellDue('2026-11-24T06:00:00.000Z')).toEqual([true, 'now', 'stock']);
    await force(ids.delayed, { orderStatus: 'delayed' });
  });

  it.each([
    ['one status', ['--status', 'delayed'], 'delayed'],
    ['one payment', ['--payment', 'credit'], 'credit'],
  ] as const)('is limited to %s', async (_, options, name) => {
    expect(await listed(...options)).toEqual({ ids: [ids[name]], hasMore: false });
  });
});

describe('the queue', () => {
  const inQueue = async (id: number) => {
    const { out } = await ops('orders', 'list', '--limit', '5000', '--json');
    return JSON.parse(out).orders.find((order: { id: number }) => order.id === id);
  };
  const waits = async (id: number) => {
    const [listed, shown] = [await inQueue(id), JSON.parse((await ops('orders', 'show', String(id), '--json')).out)];
    expect(listed.waits_for).toEqual(shown.waits_for);
    return listed.waits_for;
  };
  const isDue = async (id: number) => (await inQueue(id)).is_due;
  const act = async (name: string, id: number, ...options: string[]) =>
    expect(await ops('orders', name, String(id), ...options)).toMatchObject({ code: 0 });
  const attachNew = async (id: number) => {
    const { document } = newPrescription();
    const path = await file(`${id}.pdf`, Buffer.from(document, 'base64'));
    expect(await attach(id, path, '--expiring-date', '2026-11-30')).toMatchObject({ code: 0 });
  };

  it('says of an order what it waits for, after each step and on each day', async () => {
    const id = await placed({ order: NEEDS_PRESCRIPTION });
    expect(await waits(id)).toEqual(['prescription', 'payment']);
    expect(await isDue(id)).toBe(false);
    await attachNew(id);
    expect(await waits(id)).toEqual(['verification', 'payment']);
    expect(await isDue(id)).toBe(true);
    await act('reject-prescription', id, '--reason', 'Sin firma');
    expect(await waits(id)).toEqual(['prescription', 'payment']);
    const added = { prescriptions: [{ ...newPrescription(), expiring_date: '2026-11-30' }] };
    const path = `/api/orders/${id}/prescriptions/`;
    expect((await desk.server.request('POST', path, { token: desk.tokens.employee, body: added })).status).toBe(201);
    expect(await waits(id)).toEqual(['verification', 'payment']);
    await act('verify-prescription', id);
    expect(await waits(id)).toEqual(['approval', 'payment']);
    expect(await isDue(id)).toBe(true);
    await act('move', id, '--to', 'approved');
    await act('pay', id, '--status', 'paid');
    expect(await waits(id)).toEqual(['preparation']);
    expect(await isDue(id)).toBe(true);
    setClock(new Date('2026-12-01T05:59:59.000Z'));
    expect(await waits(id)).toEqual(['preparation']);
    setClock(new Date('2026-12-01T06:00:00.000Z'));
    expect(await waits(id)).toEqual(['prescription']);
  });

  it('says that an approved order whose prescription was rejected is due at once, as its client can send no other', async () => {
    const id = await placed({ order: { ...NEEDS_PRESCRIPTION, prescriptions: [newPrescription()] } });
    await act('verify-prescription', id);
    await act('move', id, '--to', 'approved');
    expect([await waits(id), await isDue(id)]).toEqual([['preparation', 'payment'], true]);
    await act('reject-prescription', id, '--reason', 'Sin firma');
    expect([await waits(id), await isDue(id)]).toEqual([['prescription', 'payment'], true]);
    const path = `/api/orders/${id}/prescriptions/`;
    const body = { prescriptions: [newPrescription()] };
    const sent = await desk.server.request('POST', path, { token: desk.tokens.employee, body });
    expect([sent.status, sent.body.code]).toEqual([409, 'order_not_waiting']);
  });

  it('says that an invoice waits for somebody, until it is handled', async () => {
    const id = await placed();
    const invoice = taxDocument({ status: 'cancellation_rejected', key: 'k-1', issuedAt: NOON.toISOString() });
    await force(id, { invoice, cfdi: '58e93bd8e86eb318b0197456' });
    expect(await waits(id)).toEqual(['preparation', 'payment', 'invoice']);
    expect(await ops('orders', 'handled', String(id))).toMatchObject({ code: 0 });
    expect(await waits(id)).toEqual(['preparation', 'payment']);
  });
});

describe('orders list by a text, person or days', () => {
  const SHARED = 'compartida@example.mx';
  const PHONE = '+525555550777';
  let quinta: string;
  const ids = { first: 0, second: 0, elsewhere: 0 };
  beforeAll(async () => {
    const { client, key } = await desk.server.addClient('Quinta');
    quinta = key;
    await desk.server.addUser(client, 'insurance_employee', 'quinta@example.mx');
    const there = { token: await desk.server.login('quinta@example.mx', key), key };
    const name = { first_name: 'Xóchitl', last_name: 'Ibáñez' };
    const later = (minutes: number) => setClock(new Date(NOON.getTime() + minutes * 60_000));
    later(1);
    ids.first = await placed({ email: SHARED, phone: PHONE, name });
    later(2);
    ids.elsewhere = await placed({ email: SHARED, phone: PHONE, name, ...there });
    later(3);
    ids.second = await placed({ email: SHARED, name });
    later(4);
    await placed({ email: 'nadie.mas@example.mx' });
  });

  const found = (...more: string[]) => listedIds('orders', 'list', ...more);

  it('finds the order of any client by its folio or id', async () => {
    const written = [folioOf(ids.first), folioOf(ids.first).toLowerCase(), String(ids.first)];
    for (const folio of written) expect(await found(folio)).toEqual({ ids: [ids.first], hasMore: false });
    expect((await found(folioOf(ids.elsewhere))).ids).toEqual([ids.elsewhere]);
  });

  it('finds the order of a folio only if it is of the client and of the days that are given', async () => {
    const byFolio = (...more: string[]) => found(folioOf(ids.first), ...more);
    const itself = { ids: [ids.first], hasMore: false };
    const nothing = { ids: [], hasMore: false };
    expect([await byFolio('--client', '1'), await byFolio('--client', '2')]).toEqual([itself, nothing]);
    expect([await byFolio('--from', '2026-11-23'), await byFolio('--from', '2026-11-24')]).toEqual([itself, nothing]);
    expect([await byFolio('--to', '2026-11-23'), await byFolio('--to', '2026-11-22')]).toEqual([itself, nothing]);
    expect(await byFolio('--page', '2')).toEqual(nothing);
  });

  it('shows the pages of what it finds, of one client, and between two days of the shop', async () => {
    const page = (number: string) => found(SHARED, '--limit', '1', '--page', number);
    expect([await page('1'), await page('2'), await page('3')]).toEqual([
      { ids: [ids.second], hasMore: true },
      { ids: [ids.elsewhere], hasMore: true },
      { ids: [ids.first], hasMore: false },
    ]);
    const ours = [SHARED, '--client', '1'];
    expect((await found(...ours)).ids).toEqual([ids.second, ids.first]);
    expect((await found(...ours, '--to', '2026-11-22')).ids).toEqual([]);
  });

  it('finds the orders of a patient of a client by their id', async () => {
    const patient = (await userByEmail(openTable(), 1, SHARED))?.id;
    expect((await found('--patient', String(patient), '--client', '1')).ids).toEqual([ids.second, ids.first]);
  });

  it.each([
    ['e-mail', SHARED],
    ['e-mail in other letters', 'Compartida@Example.MX'],
    ['phone', PHONE],
    ['phone in another form', '+52 1 (55) 5555-0777'],
  ])('finds the orders of the patients of all clients by their %s, the newest first', async (_, text) => {
    const all = [ids.second, ids.elsewhere, ids.first];
    expect(await found(text, '--limit', '3')).toEqual({ ids: all, hasMore: false });
  });

  describe('by one text', () => {
    it.each([
      ['a folio', () => folioOf(ids.elsewhere), 'folio', () => [ids.elsewhere]],
      ['an id', () => String(ids.first), 'folio', () => [ids.first]],
      ['an e-mail', () => ' Compartida@example.mx', 'email', () => [ids.second, ids.elsewhere, ids.first]],
      ['a phone', () => '55 5555 0777', 'phone', () => [ids.second, ids.elsewhere, ids.first]],
      ['a name', () => 'XOCH ibañ', 'name', () => [ids.second, ids.elsewhere, ids.first]],
    ])('finds by %s, the newest first', async (_, text, by, sought) => {
      const { code, out, err } = await ops('orders', 'list', text(), '--json');
      expect([code, err]).toEqual([0, '']);
      const { orders, ...told } = JSON.parse(out);
      expect(orders.map(({ id }: { id: number }) => id)).toEqual(sought());
      expect(told).toEqual({ has_more: false, found_by: by, is_too_common: false });
    });

    it('shows the newest of more than the limit', async () => {
      const listed = await listedIds('orders', 'list', 'xóchitl', '--limit', '2');
      expect(listed).toEqual({ ids: [ids.second, ids.elsewhere], hasMore: true });
    });

    it('asks for more of a name that is too short to tell patients apart', async () => {
      const { code, out, err } = await ops('orders', 'list', 'xo');
      expect([code, out, err]).toEqual([0, '', 'Too many patients have such a name: write more of it.\n']);
    });

    it.each([[['orders', 'list', ' '], '<text> must be a folio, an e-mail, a phone or a name, not " ".']])(
      'refuses %j',
      misunderstood,
    );
  });

  it('finds the orders of all clients by days alone, or of one, page by page', async () => {
    const DAY = ['--from', '2028-11-23', '--to', '2028-11-23'];
    const placedAt = async (instant: string, where?: 'elsewhere') => {
      setClock(new Date(instant));
      const there = where && { token: await desk.server.login('quinta@example.mx', quinta), key: quinta };
      return placed({ email: SHARED, token: await desk.server.login('aseguradora@demo.example'), ...there });
    };
    await placedAt('2028-11-23T05:59:59.999Z');
    const early = await placedAt('2028-11-23T06:00:00.000Z', 'elsewhere');
    const [one, other] = [await placedAt('2028-11-23T18:00:00.000Z'), await placedAt('2028-11-23T18:00:00.000Z')];
    const late = await placedAt('2028-11-24T05:59:59.999Z', 'elsewhere');
    const after = await placedAt('2028-11-24T06:00:00.000Z');
    const all = [late, other, one, early];
    expect(await found(...DAY)).toEqual({ ids: all, hasMore: false });
    const page = (number: string) => found(...DAY, '--limit', '2', '--page', number);
    expect([await page('1'), await page('2'), await page('3')]).toEqual([
      { ids: [late, other], hasMore: true },
      { ids: [one, early], hasMore: false },
      { ids: [], hasMore: false },
    ]);
    expect((await found(...DAY, '--client', '1')).ids).toEqual([other, one]);
    expect((await found('--from', '2028-11-24')).ids).toEqual([after]);
    expect(await found('--to', '2028-11-23', '--limit', '1')).toEqual({ ids: [late], hasMore: true });
    const widest = ['--from', '1970-01-01', '--to', '9990-12-31'];
    expect(await found(...widest, '--limit', '1')).toEqual({ ids: [after], hasMore: true });
    expect((await found(SHARED, ...DAY, '--limit', '3', '--page', '2')).ids).toEqual([early]);
  });

  it('says how to see more: the next page, or without pages a longer list', async () => {
    const remark = async (...more: string[]) => (await ops('orders', 'list', '--to', '2026-11-23', ...more)).err;
    expect(await remark('--limit', '1', '--page', '2')).toBe('1 order, and there are more: --page 3 shows the next.\n');
    const latest = await ops('orders', 'list', '--client', '1', '--limit', '1');
    expect(latest.err).toBe('1 order, and there are more: --limit shows more of them.\n');
  });

  it.each([
    ['an order that does not exist', ['RX-99999999']],
    ['a phone that nobody has', ['+525555550778']],
    ['the e-mail of a doctor, who orders for others', ['doctora@demo.example']],
  ])('says that it finds nothing by %s', async (_, options) => {
    expect(await ops('orders', 'list', ...options)).toEqual(done('', 'No orders.\n'));
  });

  it.each([
    [['orders', 'list', '--patient', '8'], '--patient: It needs --client.'],
    [['orders', 'list', '--page', '2'], '--page: It goes with a text, --patient, --from or --to.'],
    [['orders', 'list', SHARED, '--status', 'ready'], '--refund-due: They go with --client alone'],
    [['orders', 'list', '--from', '2026-11-20', '--refund-due'], '--refund-due: They go with --client alone'],
    [['orders', 'list', '--from', '2026-11-24', '--to', '2026-11-23'], '--to: It must not be before --from.'],
    [['orders', 'list', '1', '--patient', '8', '--client', '1'], 'Give at most one of <text> and --patient.'],
    [['orders', 'list', SHARED, '--page', '0'], '--page: It must be 1 or more.'],
  ])('refuses %j', misunderstood);
});

describe('orders show', () => {
  it('shows the whole order, with links that open the documents', async () => {
    const prescriptions = [{ document: PDF, issue_date: '2026-11-20', expiring_date: '2027-01-31' }];
    const id = await placed({ order: { ...NEEDS_PRESCRIPTION, prescriptions, comments: 'Tocar dos veces' } });
    const { code, out } = await ops('orders', 'show', String(id), '--json');
    expect(code).toBe(0);
    const shown = JSON.parse(out);
    expect(shown).toMatchObject({
      id,
      client: desk.server.client.id,
      version: 1,
      comments: 'Tocar dos veces',
      order_status: 'pending_approval',
      payment_status: 'unpaid',
      payment_date: null,
      shipping_date: null,
      receiving_date: null,
      created_at: '2026-11-23T18:00:00.000Z',
      patient: { user: { first_name: 'Ana', last_name: 'Paz', email: 'ana@example.mx' } },
      shipping: { street: 'Calle de Durango', zipcode: '06700' },
      total: '137.00',
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
    expect(out).toContain('order_status            approved\n');
    expect(out).toMatch(/^comments +Urgente \[2J 1m/m);
    expect(out).toMatch(/^product +name +presentation +quantity/m);
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
    expect(out.startsWith(`\u001b[1m\u001b[31m${warning}\u001b[39m\u001b[22mpatient                 Luis Paz\n`)).toBe(
      true,
    );
    expect(out).not.toMatch(/^(medical_condition|age|sex) /m);
    expect((await ops('orders', 'show', String(id))).out.startsWith(`${warning}patient `)).toBe(true);
  });

  it.each(['show', 'move --to shipped', 'pay --status paid', 'verify-prescription', 'reject-prescription --reason no'])(
    'and %s refuse an order that does not exist',
    async (words) => {
      const [name = '', ...options] = words.split(' ');
      const unknown = refused('There is no order 99999999.\n');
      expect(await ops('orders', name, '99999999', ...options)).toEqual(unknown);
      expect(await attach(99_999_999)).toEqual(unknown);
      await misunderstood(['orders', name, 'RX-1', ...options], '<id> must be the id of an order, not "RX-1"');
    },
  );
});
