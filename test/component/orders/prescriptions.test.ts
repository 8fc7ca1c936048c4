import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import {
  done,
  LATER,
  misunderstood,
  NEEDS_PRESCRIPTION,
  OPERATOR,
  openDesk,
  ops,
  refused,
} from '../../support/operators/desk.ts';
import { operate } from '../../support/operators/operator.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';
import { folioOf, PDF, PNG } from '../../support/orders/samples.ts';
import { listStoredDocuments } from '../../support/orders/stored-documents.ts';

const desk = openDesk();
const { attach, file, force, newPrescription, placed, stored } = desk;

describe('a product that requires a prescription', () => {
  const missing = (id: number) =>
    refused(`Order ${id} has no verified prescription that is still valid for: 1 × product 4.\n`);
  const move = (id: number, to: string) => ops('orders', 'move', String(id), '--to', to);

  it('is neither approved nor prepared without a verified prescription', async () => {
    const id = await placed({ order: NEEDS_PRESCRIPTION });
    expect(await move(id, 'approved')).toEqual(missing(id));
    await attach(id);
    expect(await move(id, 'approved')).toEqual(missing(id));
    await force(id, { orderStatus: 'delayed' });
    expect(await move(id, 'in_process')).toEqual(missing(id));
    await ops('orders', 'verify-prescription', String(id), '--accept-copy');
    expect(await move(id, 'in_process')).toMatchObject({ code: 0 });
  });

  it('is approved with a valid one, until its last day in Mexico ends', async () => {
    const id = await placed({ order: NEEDS_PRESCRIPTION });
    await attach(id, desk.pdf, '--expiring-date', '2026-11-30');
    await ops('orders', 'verify-prescription', String(id), '--accept-copy');
    setClock(new Date('2026-12-01T06:00:00.000Z'));
    expect(await move(id, 'approved')).toEqual(missing(id));
    setClock(new Date('2026-12-01T05:59:59.999Z'));
    expect(await move(id, 'approved')).toMatchObject({ code: 0 });
  });

  it('is approved in the quantity that was verified, and in no larger one', async () => {
    const id = await placed({ order: NEEDS_PRESCRIPTION });
    await attach(id);
    await ops('orders', 'verify-prescription', String(id), '--accept-copy');
    const { lines } = await stored(id);
    await force(id, { lines: lines.map((line) => ({ ...line, quantity: 2 })) });
    expect(await move(id, 'approved')).toEqual(
      refused(`Order ${id} has no verified prescription that is still valid for: 2 × product 4 (verified: 1).\n`),
    );
    await force(id, { lines });
    expect(await move(id, 'approved')).toMatchObject({ code: 0 });
  });
});

const ofBytes = (bytes: number) => {
  return Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(bytes - 15), Buffer.from('%%EOF\n')]);
};

describe('orders attach-prescription', () => {
  it('adds the file as the last prescription, under its name', async () => {
    const prescriptions = [{ document: PNG, issue_date: '2026-11-20' }];
    const id = await placed({ order: { prescriptions } });
    const before = await stored(id);
    setClock(LATER);
    const { code, out } = await attach(id, desk.pdf, '--expiring-date', '2026-12-31');
    const after = await stored(id);
    const added = after.prescriptions[1];
    expect([code, out]).toEqual([0, `Prescription ${added?.id} is attached to order ${id}, not verified yet.\n`]);
    expect(after.prescriptions).toEqual([
      before.prescriptions[0],
      {
        id: expect.any(Number),
        issueDate: '2026-11-20',
        expiringDate: '2026-12-31',
        documentKey: expect.stringMatching(/^prescriptions\/[0-9a-f-]{36}$/),
        documentName: 'Receta de Ana.pdf',
        documentType: 'application/pdf',
        // sha256sum of the file, in base64url.
        documentHash: 'z6MYHB7jbovOXjn4SVn0VY6nujLA5FOairPIzoxxbsY',
        verification: null,
        rejection: null,
        prescriber: null,
        createdAt: '2026-11-24T15:30:00.000Z',
        updatedAt: '2026-11-24T15:30:00.000Z',
        updatedBy: null,
      },
    ]);
    expect((await getStoredEvents(id)).at(-1)).toMatchObject({
      what: 'prescription_attached',
      version: 2,
      prescriptions: [added?.id],
    });
    const unchanged = { ...before, prescriptions: after.prescriptions };
    expect(after).toEqual({ ...unchanged, updatedAt: '2026-11-24T15:30:00.000Z', version: 2 });
    expect(await listStoredDocuments()).toContain(added?.documentKey);
  });

  it('adds files up to 4 MB in all, and refuses what is a byte more', async () => {
    const id = await placed();
    expect((await attach(id, await file('grande.pdf', ofBytes(3 * 1024 * 1024)))).code).toBe(0);
    const refused = await attach(id, await file('larga.pdf', ofBytes(1024 * 1024 + 1)));
    expect([refused.code, refused.err]).toEqual([
      1,
      'order: The documents of an order may have up to 4 MB together.\n',
    ]);
    expect((await attach(id, await file('justa.pdf', ofBytes(1024 * 1024)))).code).toBe(0);
    expect((await stored(id)).prescriptions.length).toBe(2);
  });

  it.each([
    [
      'a text file',
      Buffer.from('%PDF by name only'),
      [],
      'file: It must be a complete PDF, JPEG or PNG file, without scripts or other files inside.\n',
    ],
    ['a file that is a byte too long', ofBytes(3 * 1024 * 1024 + 1), [], 'file: Each document may have up to 3 MB.\n'],
    [
      'dates out of order',
      Buffer.from(PDF, 'base64'),
      ['--issue-date', '2026-11-24', '--expiring-date', '2026-11-22'],
      'issue_date: The date may not be later than today, 2026-11-23 (America/Mexico_City).\n' +
        'expiring_date: The date may not be earlier than today, 2026-11-23 (America/Mexico_City).\n' +
        'expiring_date: The date may not be before the issue date.\n',
    ],
  ])('refuses %s, and keeps nothing', async (name, content, dates, err) => {
    const id = await placed();
    const before = [await stored(id), await listStoredDocuments()];
    expect(await attach(id, await file(`${name}.pdf`, content), ...dates)).toEqual(refused(err));
    expect([await stored(id), await listStoredDocuments()]).toEqual(before);
  });

  it('accepts a tenth prescription and refuses an eleventh', async () => {
    const prescriptions = Array.from({ length: 9 }, () => ({ document: PDF, issue_date: '2026-11-20' }));
    const id = await placed({ order: { prescriptions } });
    expect(await attach(id)).toMatchObject({ code: 0 });
    const before = await listStoredDocuments();
    expect(await attach(id)).toEqual(refused('order: At most 10 prescriptions an order.\n'));
    expect((await stored(id)).prescriptions).toHaveLength(10);
    expect(await listStoredDocuments()).toEqual(before);
  });

  it('refuses a date that does not exist', async () => {
    const { err } = await attach(1, desk.pdf, '--expiring-date', '2026-02-29');
    expect(err).toMatch(/^--expiring-date: It must be an existing date YYYY-MM-DD\.\n/);
  });

  it('removes the documents of the attempts that lost a race, and no others', async () => {
    const id = await placed();
    const before = await listStoredDocuments();
    const said = await Promise.all(Array.from({ length: 8 }, () => attach(id)));
    const keys = (await stored(id)).prescriptions.map(({ documentKey }) => documentKey);
    expect(said.filter(({ code }) => code === 0)).toHaveLength(keys.length);
    const fresh = (await listStoredDocuments()).filter((key) => !before.includes(key));
    expect(fresh.sort()).toEqual(keys.sort());
  });
});

describe('orders verify-prescription', () => {
  let id: number;
  const areVerified = async () => (await stored(id)).prescriptions.map(({ verification }) => verification !== null);
  const verify = (...more: string[]) => ops('orders', 'verify-prescription', String(id), ...more);
  let prescriptions: { document: string; issue_date: string }[];
  beforeEach(() => {
    prescriptions = [newPrescription(), newPrescription()];
  });

  it('verifies all prescriptions, once', async () => {
    id = await placed({ order: { prescriptions } });
    setClock(LATER);
    expect(await verify()).toEqual(done(`Every prescription of order ${id} is verified now.\n`));
    expect(await areVerified()).toEqual([true, true]);
    const verified = await stored(id);
    expect(verified.prescriptions[0]?.updatedAt).toBe('2026-11-24T15:30:00.000Z');
    expect(await verify()).toMatchObject({ code: 0 });
    expect(await stored(id)).toEqual(verified);
  });

  it('records who verified what, and again when the order has changed', async () => {
    id = await placed({ order: { ...NEEDS_PRESCRIPTION, prescriptions } });
    expect(await verify()).toEqual(done(`Every prescription of order ${id} is verified now for: 1 × product 4.\n`));
    const verified = (quantity: number, at: string) => ({ at, by: OPERATOR, lines: [{ productId: 4, quantity }] });
    const verifications = async () => (await stored(id)).prescriptions.map(({ verification }) => verification);
    const first = verified(1, '2026-11-23T18:00:00.000Z');
    expect(await verifications()).toEqual([first, first]);
    const { lines } = await stored(id);
    await force(id, { lines: [...lines, ...lines] });
    setClock(LATER);
    const [one] = (await stored(id)).prescriptions;
    expect(await verify('--prescription', String(one?.id))).toEqual(
      done(`Prescription ${one?.id} of order ${id} is verified now for: 2 × product 4.\n`),
    );
    expect(await verifications()).toEqual([verified(2, '2026-11-24T15:30:00.000Z'), first]);
    const { out } = await ops('orders', 'show', String(id), '--json');
    expect(JSON.parse(out).prescriptions[0]).toMatchObject({
      is_verified: true,
      verified_at: '2026-11-24T15:30:00.000Z',
      verified_by: OPERATOR,
      verified_for: [{ product: 4, quantity: 2 }],
    });
    const shown = await operate('terminal', 'orders', 'show', String(id));
    expect(shown.out).toContain('2 × product 4');
  });

  it('refuses one that has expired, from the day after its last one in Mexico', async () => {
    const order = {
      prescriptions: [...prescriptions, { ...newPrescription(), expiring_date: '2026-11-24' }],
    };
    id = await placed({ order });
    const expired = (await stored(id)).prescriptions[2]?.id;
    setClock(new Date('2026-11-25T06:00:00.000Z'));
    expect(await verify()).toEqual(
      refused(
        `Prescription ${expired} of order ${id} expired on 2026-11-24 and cannot be verified; ` +
          '--prescription verifies another one.\n',
      ),
    );
    expect(await areVerified()).toEqual([false, false, false]);
    setClock(new Date('2026-11-25T05:59:59.999Z'));
    expect(await verify()).toMatchObject({ code: 0 });
  });

  it('refuses a prescription that the order does not have, and an order without any', async () => {
    id = await placed({ order: { prescriptions } });
    expect(await verify('--prescription', '99999999')).toEqual(refused(`Order ${id} has no such prescription.\n`));
    expect(await areVerified()).toEqual([false, false]);
    id = await placed();
    expect(await verify()).toEqual(refused(`Order ${id} has no such prescription.\n`));
  });

  it('records who wrote it, later too, and then it stays verified as it was', async () => {
    id = await placed({ order: { ...NEEDS_PRESCRIPTION, prescriptions: [newPrescription()] } });
    const named = ['--prescriber', 'Dra. Eva Luna', '--licence', '01234567'];
    expect(await verify()).toMatchObject({ code: 0 });
    const [before] = (await stored(id)).prescriptions;
    setClock(LATER);
    expect(await verify(...named, '--prescriber-address', 'Orizaba 8, 06700 CDMX')).toMatchObject({ code: 0 });
    const after = await stored(id);
    expect(after.prescriptions).toEqual([
      {
        ...before,
        prescriber: { name: 'Dra. Eva Luna', licence: '01234567', address: 'Orizaba 8, 06700 CDMX' },
        updatedAt: '2026-11-24T15:30:00.000Z',
      },
    ]);
    expect((await getStoredEvents(id)).slice(-2)).toMatchObject([
      { what: 'prescription_verified', version: 2, prescriptions: [before?.id] },
      { what: 'prescriber_recorded', version: 3, by: { operator: OPERATOR }, prescriptions: [before?.id] },
    ]);
    expect(await verify()).toMatchObject({ code: 0 });
    expect(await stored(id)).toEqual(after);
    const { out } = await operate('terminal', 'orders', 'show', String(id));
    expect(out).toContain('Dra. Eva Luna, 01234567, Orizaba 8, 06700 CDMX');
  });

  it('asks which of several prescriptions the prescriber wrote', async () => {
    id = await placed({ order: { prescriptions } });
    const named = ['--prescriber', 'Dra. Eva Luna', '--licence', '1234567'];
    expect(await verify(...named)).toEqual(
      refused(`Order ${id} has 2 prescriptions: --prescription says which one the prescriber wrote.\n`),
    );
    expect(await areVerified()).toEqual([false, false]);
    const second = (await stored(id)).prescriptions[1]?.id;
    expect(await verify(...named, '--prescription', String(second))).toMatchObject({ code: 0 });
    expect((await stored(id)).prescriptions.map(({ prescriber }) => prescriber)).toEqual([
      null,
      { name: 'Dra. Eva Luna', licence: '1234567', address: null },
    ]);
  });

  it.each([
    [['--prescriber', 'Dra. Luna', '--licence', '123456'], '--licence: It must be the number of a cédula profesional'],
    [['--prescriber', 'Dra. Luna', '--licence', '123456789'], '--licence: It must have at most 8 characters.'],
    [['--prescriber', 'Dra. Luna', '--licence', 'A234567'], '--licence: It must be the number of a cédula profesional'],
    [['--licence', '1234567'], '--licence: It goes with --prescriber.'],
    [['--prescriber-address', 'Orizaba 8'], '--prescriber-address: It goes with --prescriber.'],
    [['--prescriber', ' '], '--prescriber: This field may not be blank.'],
  ])('refuses %j', async (options, complaint) => {
    await misunderstood(['orders', 'verify-prescription', '1', ...options], complaint);
  });

  it('refuses one older than 180 days in Mexico, unless its age is accepted, which the history says', async () => {
    // The 180th day after 27 May is 23 November, the 181st begins at 06:00 UTC.
    id = await placed({ order: { prescriptions: [{ ...newPrescription(), issue_date: '2026-05-27' }] } });
    const old = (await stored(id)).prescriptions[0]?.id;
    setClock(new Date('2026-11-24T06:00:00.000Z'));
    expect(await verify()).toEqual(
      refused(
        `Prescription ${old} of order ${id} was issued on 2026-05-27, more than 180 days ago: ` +
          '--accept-age verifies it all the same.\n',
      ),
    );
    expect(await areVerified()).toEqual([false]);
    expect(await verify('--accept-age')).toEqual(done(`Every prescription of order ${id} is verified now.\n`));
    expect((await getStoredEvents(id)).slice(1)).toMatchObject([
      { what: 'prescription_verified', prescriptions: [old] },
      { what: 'prescription_age_accepted', by: { operator: OPERATOR }, prescriptions: [old] },
    ]);
    expect(await verify()).toMatchObject({ code: 0 });
  });

  it('verifies one of exactly 180 days, of which the history says nothing more', async () => {
    id = await placed({ order: { prescriptions: [{ ...newPrescription(), issue_date: '2026-05-27' }] } });
    setClock(new Date('2026-11-24T05:59:59.999Z'));
    expect(await verify('--accept-age')).toMatchObject({ code: 0 });
    expect((await getStoredEvents(id)).map(({ what }) => what)).toEqual(['created', 'prescription_verified']);
  });

  it('takes the age from the setting of the stage', async () => {
    id = await placed({ order: { prescriptions: [{ ...newPrescription(), issue_date: '2026-11-20' }] } });
    vi.stubEnv('PRESCRIPTION_MAXIMUM_AGE_DAYS', '2');
    expect((await verify()).err).toContain('more than 2 days ago');
    vi.stubEnv('PRESCRIPTION_MAXIMUM_AGE_DAYS', '3');
    expect(await verify()).toMatchObject({ code: 0 });
    vi.unstubAllEnvs();
  });

  it('refuses a document that stands in another order, judged there or not, unless that is accepted', async () => {
    const same = newPrescription();
    const idsOf = async (order: number) => (await stored(order)).prescriptions.map((each) => each.id);
    const first = await placed({ order: { prescriptions: [same] } });
    id = first;
    expect(await verify()).toEqual(done(`Every prescription of order ${first} is verified now.\n`));
    const rejected = await placed({ order: { prescriptions: [same] } });
    await ops('orders', 'reject-prescription', String(rejected), '--reason', 'Ya surtida');
    const open = await placed({ order: { prescriptions: [same] } });
    id = await placed({ order: { prescriptions: [newPrescription(), same, same] } });
    const [[one], [two], [three]] = [await idsOf(first), await idsOf(rejected), await idsOf(open)];
    const [, second, third] = await idsOf(id);
    // An order is shown with whose orders the others are.
    let whose = ' for Ana Paz';
    const others = (of = 0) => [
      `Prescription ${of} is the same document as prescription ${one} of order ${first}${whose}.`,
      `Prescription ${of} is the same document as prescription ${two} of order ${rejected}${whose}, which was rejected.`,
      `Prescription ${of} is the same document as prescription ${three} of order ${open}${whose}, which nobody has verified.`,
    ];
    const twice = (state: string) => [
      `Prescription ${second} is the same document as prescription ${third} of order ${id}${whose}${state}.`,
      ...others(second),
      `Prescription ${third} is the same document as prescription ${second} of order ${id}${whose}${state}.`,
      ...others(third),
    ];
    const shown = await ops('orders', 'show', String(id));
    expect(shown.out).toContain(`\n${twice(', which nobody has verified').join('\n')}\n`);
    whose = '';
    expect(await verify()).toEqual(
      refused(
        `The document of prescription ${second} of order ${id} stands in another order too (${first}, ${rejected}, ${open}): ` +
          '--accept-copy verifies it all the same.\n',
      ),
    );
    expect(await areVerified()).toEqual([false, false, false]);
    const { code, out } = await verify('--accept-copy');
    expect([code, out.split('\n').slice(0, 2)]).toEqual([
      0,
      [`Every prescription of order ${id} is verified now.`, twice(', which nobody has verified')[0]],
    ]);
    // A verified prescription is not asked about again.
    const json = await verify('--prescription', String(second), '--prescriber', 'Dra. Eva Luna', '--json');
    const OF_ANA = { patient: 'Ana Paz', placed_at: '2026-11-23T18:00:00.000Z', order_status: 'approved' };
    expect(JSON.parse(json.out).copies).toEqual(
      expect.arrayContaining([
        { prescription: second, order: id, copy: third, is_rejected: false, is_waiting: false, ...OF_ANA },
        { prescription: second, order: rejected, copy: two, is_rejected: true, is_waiting: false, ...OF_ANA },
        { prescription: third, order: open, copy: three, is_rejected: false, is_waiting: true, ...OF_ANA },
      ]),
    );
  });
});

describe('orders reject-prescription', () => {
  const reject = (id: number, ...more: string[]) =>
    ops('orders', 'reject-prescription', String(id), '--reason', 'Sin firma', ...more);
  const covered = { ...NEEDS_PRESCRIPTION };

  it('says why, in the history and in what operators read, and leaves the order where it is', async () => {
    const id = await placed({ order: { ...covered, prescriptions: [newPrescription()], comments: 'Tocar dos veces' } });
    const before = await stored(id);
    const [prescription] = before.prescriptions;
    setClock(LATER);
    expect(await reject(id)).toEqual(done(`Prescription ${prescription?.id} of order ${id} is rejected.\n`));
    const at = '2026-11-24T15:30:00.000Z';
    const by = { operator: OPERATOR };
    expect(await stored(id)).toEqual({
      ...before,
      prescriptions: [{ ...prescription, rejection: { at, by: OPERATOR, reason: 'Sin firma' }, updatedAt: at }],
      updatedAt: at,
      version: 2,
    });
    const said = { what: 'prescription_rejected', prescriptions: [prescription?.id], reason: 'Sin firma' };
    expect((await getStoredEvents(id)).at(-1)).toMatchObject({ ...said, at, version: 2, by });
    const shown = JSON.parse((await ops('orders', 'show', String(id), '--json')).out);
    expect(shown).toMatchObject({
      order_status: 'pending_approval',
      comments: 'Tocar dos veces',
      prescriptions: [{ is_verified: false, rejected_at: at, rejected_by: OPERATOR, rejection_reason: 'Sin firma' }],
    });
    const { out } = await operate('terminal', 'orders', 'show', String(id));
    expect(out).toContain(`${prescription?.id}: Sin firma`);
  });

  it('of an approved order keeps it from being prepared, until the prescription is verified by its id', async () => {
    const id = await placed({ order: { ...covered, prescriptions: [newPrescription()] } });
    const only = String((await stored(id)).prescriptions[0]?.id);
    const move = (to: string) => ops('orders', 'move', String(id), '--to', to);
    await ops('orders', 'verify-prescription', String(id));
    expect(await move('approved')).toMatchObject({ code: 0 });
    expect(await reject(id)).toMatchObject({ code: 0 });
    expect(await stored(id)).toMatchObject({ orderStatus: 'approved', prescriptions: [{ verification: null }] });
    expect(await move('in_process')).toEqual(
      refused(`Order ${id} has no verified prescription that is still valid for: 1 × product 4.\n`),
    );
    expect(await ops('orders', 'verify-prescription', String(id))).toEqual(
      refused(`Every prescription of order ${id} was rejected; --prescription verifies one all the same.\n`),
    );
    expect(await ops('orders', 'verify-prescription', String(id), '--prescription', only)).toMatchObject({ code: 0 });
    expect((await stored(id)).prescriptions[0]).toMatchObject({ rejection: null, verification: { by: OPERATOR } });
    expect(await move('in_process')).toMatchObject({ code: 0 });
    expect(await reject(id)).toEqual(
      refused(
        `Medicines of order ${id} were dispensed under prescription ${only}; ` +
          'an order that is moved back to shortage takes them back.\n',
      ),
    );
  });

  it('outlives a verification and another rejection of the same prescription', async () => {
    const id = await placed({ order: { ...covered, prescriptions: [newPrescription()] } });
    const only = String((await stored(id)).prescriptions[0]?.id);
    setClock(LATER);
    const at = LATER.toISOString();
    await reject(id);
    await ops('orders', 'verify-prescription', String(id), '--prescription', only);
    const past = { rejected_at: at, rejected_by: OPERATOR, reason: 'Sin firma' };
    const show = async () => JSON.parse((await ops('orders', 'show', String(id), '--json')).out).prescriptions[0];
    expect(await show()).toMatchObject({ verified_at: at, rejected_at: null, past_rejections: [past] });
    await ops('orders', 'reject-prescription', String(id), '--reason', 'Ilegible');
    await ops('orders', 'reject-prescription', String(id), '--reason', 'Vencida');
    expect(await show()).toMatchObject({
      verified_at: null,
      rejection_reason: 'Vencida',
      past_rejections: [past, { ...past, reason: 'Ilegible' }],
    });
    expect((await stored(id)).prescriptions[0]).toMatchObject({
      rejection: { at, by: OPERATOR, reason: 'Vencida' },
      pastRejections: [
        { at, by: OPERATOR, reason: 'Sin firma' },
        { at, by: OPERATOR, reason: 'Ilegible' },
      ],
    });
  });

  it('leaves the rejected one out when the others are verified', async () => {
    const id = await placed({ order: { prescriptions: [newPrescription(), newPrescription()] } });
    const [first, second] = (await stored(id)).prescriptions;
    expect(await reject(id)).toEqual(
      refused(`Order ${id} has 2 prescriptions: --prescription says which one is rejected.\n`),
    );
    expect(await reject(id, '--prescription', String(first?.id))).toMatchObject({ code: 0 });
    expect(await ops('orders', 'verify-prescription', String(id))).toEqual(
      done(`Every prescription of order ${id} that was not rejected is verified now.\n`),
    );
    expect((await stored(id)).prescriptions).toMatchObject([
      { id: first?.id, verification: null },
      { id: second?.id, verification: { by: OPERATOR } },
    ]);
    expect(await reject(id, '--prescription', '99999999')).toEqual(refused(`Order ${id} has no such prescription.\n`));
  });

  it('refuses a version that is not the present one, and a missing or blank reason', async () => {
    const id = await placed({ order: { prescriptions: [newPrescription()] } });
    expect((await reject(id, '--version', '2')).err).toContain(`it is at version 1 now, not at 2`);
    await misunderstood(['orders', 'reject-prescription', '1'], '--reason: This field is required.');
    const blank = ['orders', 'reject-prescription', '1', '--reason', ' '];
    await misunderstood(blank, '--reason: This field may not be blank.');
    expect((await stored(id)).version).toBe(1);
  });
});

describe('dispensing export', () => {
  // Of the demonstration: an antibiotic, ibuprofen on a prescription, and paracetamol without one.
  const details = [
    { product: 15, quantity: 2 },
    { product: 4, quantity: 1 },
    { product: 1, quantity: 3 },
    // Neither is dispensed.
    { product: 15, quantity: 0 },
    { product: 6, quantity: 0 },
  ];
  const HEAD =
    'Fecha de dispensación,Folio,Denominación,Presentación,Cantidad,Antibiótico,Fracción,Receta,Fecha de la receta,' +
    'Nombre de quien prescribe,Cédula profesional,Domicilio de quien prescribe,Verificada por,Verificada el,Anulada el\r\n';
  // The last minute of February and the first of March in Mexico City.
  const END_OF_FEBRUARY = new Date('2027-03-01T05:59:30.000Z');
  const MARCH = new Date('2027-03-01T06:00:00.000Z');
  const PRESCRIBER = { name: '=Dra. Eva "Luna"', licence: '1234567', address: 'Orizaba 8, CDMX' };
  const named = [
    ...['--prescriber', PRESCRIBER.name, '--licence', PRESCRIBER.licence],
    ...['--prescriber-address', PRESCRIBER.address],
  ];

  const must = async (name: string, id: number, ...options: string[]) =>
    expect(await ops('orders', name, String(id), ...options)).toMatchObject({ code: 0 });

  async function dispense(at: Date, ...prescriber: string[]) {
    setClock(at);
    const prescription = { ...newPrescription(), issue_date: '2027-02-20' };
    // The earlier token is over by then.
    const token = await desk.server.login('aseguradora@demo.example');
    const id = await placed({ order: { details, prescriptions: [prescription] }, token });
    await must('verify-prescription', id, ...prescriber);
    await must('move', id, '--to', 'approved');
    await must('move', id, '--to', 'in_process');
    return { id, prescription: (await stored(id)).prescriptions[0]?.id };
  }
  const linesOf = (csv: string) => csv.split('\r\n').slice(1, -1);

  it('has the prescribed medicines of a local month, under which prescription, and whether they went back', async () => {
    const one = await dispense(END_OF_FEBRUARY, ...named);
    const two = await dispense(MARCH, ...named.slice(0, 4));
    await must('move', one.id, '--to', 'shortage');
    await must('move', one.id, '--to', 'approved');
    setClock(new Date('2027-03-02T18:00:00.000Z'));
    await must('move', one.id, '--to', 'in_process');

    const whom = `${one.prescription},2027-02-20,"'=Dra. Eva ""Luna""",1234567,"Orizaba 8, CDMX",${OPERATOR},2027-02-28`;
    expect(await ops('dispensing', 'export', '--month', '2027-02')).toEqual(
      done(
        `${HEAD}2027-02-28,${folioOf(one.id)},Amoxicilina 500 mg,Caja con 12 cápsulas,2,Sí,IV,${whom},2027-03-01\r\n` +
          `2027-02-28,${folioOf(one.id)},Ibuprofeno 800 mg,Caja con 10 tabletas,1,No,IV,${whom},2027-03-01\r\n`,
      ),
    );

    const march = await ops('dispensing', 'export', '--month', '2027-03', '--antibiotics');
    expect(linesOf(march.out)).toEqual([
      `2027-03-01,${folioOf(two.id)},Amoxicilina 500 mg,Caja con 12 cápsulas,2,Sí,IV,${two.prescription},2027-02-20,` +
        `"'=Dra. Eva ""Luna""",1234567,,${OPERATOR},2027-03-01,`,
      `2027-03-02,${folioOf(one.id)},Amoxicilina 500 mg,Caja con 12 cápsulas,2,Sí,IV,${whom},`,
    ]);
    expect(march.err).toBe(
      "1 of the antibiotics lack the prescriber's name, licence or address; orders verify-prescription records them.\n",
    );

    await must('verify-prescription', two.id, ...named);
    const json = await ops('dispensing', 'export', '--month', '2027-03', '--antibiotics', '--json');
    expect(JSON.parse(json.out).lines[0]).toEqual({
      date: '2027-03-01',
      order: two.id,
      folio: folioOf(two.id),
      product: 15,
      name: 'Amoxicilina 500 mg',
      presentation: 'Caja con 12 cápsulas',
      quantity: 2,
      is_antibiotic: true,
      sanitary_fraction: 'IV',
      prescriptions: [
        {
          id: two.prescription,
          issue_date: '2027-02-20',
          prescriber: PRESCRIBER,
          verified_on: '2027-03-01',
          verified_by: OPERATOR,
        },
      ],
      taken_back_on: null,
    });
    const { out } = await operate('terminal', 'orders', 'show', String(two.id));
    expect(out).toMatch(/^15 +Amoxicilina 500 mg .*prescription +IV, antibiotic +\d+$/m);
    expect(out).toMatch(/^dispensed_at +2027-03-01T06:00:00.000Z$/m);
  });

  it('goes to a file, as a spreadsheet reads it', async () => {
    const path = join(desk.folder, 'registro.csv');
    expect(await ops('dispensing', 'export', '--month', '2027-04', '--out', path)).toEqual(
      done(`No lines of 2027-04 in ${path}.\n`),
    );
    expect(await readFile(path, 'utf8')).toBe(`\ufeff${HEAD}`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.each(['2027-13', '2027-1', 'marzo'])('refuses the month %s', async (month) => {
    await misunderstood(['dispensing', 'export', '--month', month], '--month: It must be a month of the form YYYY-MM.');
  });
});
