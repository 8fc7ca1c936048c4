import { beforeEach, describe, expect, it, vi } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import {
  LATER,
  misunderstood,
  NEEDS_PRESCRIPTION,
  OPERATOR,
  openOperatorWorld,
  ops,
} from '../../support/operators/operator-world.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';
import { PDF, PNG } from '../../support/orders/samples.ts';
import { listStoredDocuments } from '../../support/orders/stored-orders.ts';

/* What operators do with the prescriptions of an order. `unit/prescriptions` and `unit/ordering` have the rules as tables. */

const world = openOperatorWorld();
const { attach, file, force, newPrescription, placed, stored } = world;

const LATER_AT = '2026-11-24T15:30:00.000Z';
const DONE = { code: 0 };
const refusedWith = (...words: (string | number)[]) => ({
  code: 1,
  out: '',
  err: expect.stringMatching(new RegExp(words.join('.*'))),
});
const move = (id: number, to: string) => ops('orders', 'move', String(id), '--to', to);
const verify = (id: number, ...more: string[]) => ops('orders', 'verify-prescription', String(id), ...more);
const reject = (id: number, ...more: string[]) =>
  ops('orders', 'reject-prescription', String(id), '--reason', 'Sin firma', ...more);
const prescriptionsOf = async (id: number) => (await stored(id)).prescriptions;
const idsOf = async (id: number) => (await prescriptionsOf(id)).map((each) => each.id);
const areVerified = async (id: number) => (await prescriptionsOf(id)).map(({ verification }) => verification !== null);
const show = async (id: number) => JSON.parse((await ops('orders', 'show', String(id), '--json')).out);
const eventsOf = async (id: number) => (await getStoredEvents(id)).map(({ what, version }) => [what, version]);

describe('orders attach-prescription', () => {
  it('adds the file as the last prescription, under its name', async () => {
    const id = await placed({ order: { prescriptions: [{ document: PNG, issue_date: '2026-11-20' }] } });
    const before = await stored(id);
    setClock(LATER);
    expect(await attach(id, world.pdf, '--expiring-date', '2026-12-31')).toMatchObject(DONE);
    const after = await stored(id);
    const added = after.prescriptions[1];
    expect(after).toEqual({ ...before, prescriptions: after.prescriptions, updatedAt: LATER_AT, version: 2 });
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
        ...{ verification: null, rejection: null, prescriber: null, updatedBy: null },
        createdAt: LATER_AT,
        updatedAt: LATER_AT,
      },
    ]);
    const attached = { what: 'prescription_attached', version: 2, prescriptions: [added?.id] };
    expect((await getStoredEvents(id)).at(-1)).toMatchObject(attached);
    expect(await listStoredDocuments()).toContain(added?.documentKey);
  });

  it('refuses a text file that is too long and of dates out of order, and keeps nothing', async () => {
    const id = await placed();
    const before = [await stored(id), await listStoredDocuments()];
    const long = await file('larga.pdf', Buffer.alloc(3 * 1024 * 1024 + 1, 'x'));
    const { code, err } = await attach(id, long, '--issue-date', '2026-11-24', '--expiring-date', '2026-11-22');
    const fields = [...err.matchAll(/^(\w+):/gm)].map(([, field]) => field);
    expect([code, fields]).toEqual([1, ['issue_date', 'expiring_date', 'expiring_date', 'file', 'file']]);
    expect([await stored(id), await listStoredDocuments()]).toEqual(before);
  });

  it('accepts a tenth prescription and refuses an eleventh, and a date that does not exist', async () => {
    const prescriptions = Array.from({ length: 9 }, () => ({ document: PDF, issue_date: '2026-11-20' }));
    const id = await placed({ order: { prescriptions } });
    expect(await attach(id)).toMatchObject(DONE);
    const before = await listStoredDocuments();
    expect(await attach(id)).toMatchObject(refusedWith('order'));
    expect([(await idsOf(id)).length, await listStoredDocuments()]).toEqual([10, before]);
    expect((await attach(1, world.pdf, '--expiring-date', '2026-02-29')).err).toMatch(/^--expiring-date: /);
  });

  it('removes the documents of the attempts that lost a race, and no others', async () => {
    const id = await placed();
    const before = await listStoredDocuments();
    const said = await Promise.all(Array.from({ length: 8 }, () => attach(id)));
    const keys = (await prescriptionsOf(id)).map(({ documentKey }) => documentKey);
    expect(said.filter(({ code }) => code === 0)).toHaveLength(keys.length);
    const fresh = (await listStoredDocuments()).filter((key) => !before.includes(key));
    expect(fresh.sort()).toEqual(keys.sort());
  });
});

describe('orders verify-prescription', () => {
  let two: { document: string; issue_date: string }[];
  beforeEach(() => {
    two = [newPrescription(), newPrescription()];
  });

  it('records who verified what, once, and again when the order has changed', async () => {
    const id = await placed({ order: { ...NEEDS_PRESCRIPTION, prescriptions: two } });
    expect(await verify(id)).toMatchObject(DONE);
    const verified = (quantity: number, at: string) => ({ at, by: OPERATOR, lines: [{ productId: 4, quantity }] });
    const verifications = async () => (await prescriptionsOf(id)).map(({ verification }) => verification);
    const first = verified(1, '2026-11-23T18:00:00.000Z');
    expect(await verifications()).toEqual([first, first]);
    setClock(LATER);
    const before = await stored(id);
    expect(await verify(id)).toMatchObject(DONE);
    expect(await stored(id)).toEqual(before);
    await force(id, { lines: [...before.lines, ...before.lines] });
    const [one] = await prescriptionsOf(id);
    expect(await verify(id, '--prescription', String(one?.id))).toMatchObject(DONE);
    expect(await verifications()).toEqual([verified(2, LATER_AT), first]);
    expect((await prescriptionsOf(id))[0]?.updatedAt).toBe(LATER_AT);
    expect((await show(id)).prescriptions[0]).toMatchObject({
      is_verified: true,
      verified_at: LATER_AT,
      verified_by: OPERATOR,
      verified_for: [{ product: 4, quantity: 2 }],
    });
  });

  it('lets the order be approved until its prescription ends', async () => {
    const id = await placed({ order: NEEDS_PRESCRIPTION });
    const missing = refusedWith(1, 'product 4');
    await attach(id, world.pdf, '--expiring-date', '2026-11-30');
    await verify(id, '--accept-copy');
    setClock(new Date('2026-12-01T06:00:00.000Z'));
    expect(await move(id, 'approved')).toMatchObject(missing);
    expect(await verify(id, '--accept-copy')).toMatchObject(refusedWith('expired', '2026-11-30'));
    setClock(new Date('2026-12-01T05:59:59.999Z'));
    expect(await move(id, 'approved')).toMatchObject(DONE);
  });

  it('records who wrote one of them, later too, and then it stays verified as it was', async () => {
    const id = await placed({ order: { ...NEEDS_PRESCRIPTION, prescriptions: two } });
    const named = ['--prescriber', 'Dra. Eva Luna', '--licence', '01234567'];
    expect(await verify(id, ...named)).toMatchObject(refusedWith('2 prescriptions'));
    expect(await verify(id, '--prescription', '99999999')).toMatchObject(refusedWith('no such prescription'));
    expect(await areVerified(id)).toEqual([false, false]);
    await verify(id);
    const [first, second] = await prescriptionsOf(id);
    setClock(LATER);
    const one = ['--prescription', String(second?.id), ...named, '--prescriber-address', 'Orizaba 8, CDMX'];
    for (const _ of ['once', 'again']) expect(await verify(id, ...one)).toMatchObject(DONE);
    const prescriber = { name: 'Dra. Eva Luna', licence: '01234567', address: 'Orizaba 8, CDMX' };
    expect(await prescriptionsOf(id)).toEqual([first, { ...second, prescriber, updatedAt: LATER_AT }]);
    expect((await getStoredEvents(id)).slice(1)).toMatchObject([
      { what: 'prescription_verified', version: 2, prescriptions: [first?.id, second?.id] },
      { what: 'prescriber_recorded', version: 3, by: { operator: OPERATOR }, prescriptions: [second?.id] },
    ]);
  });

  it.each([
    ['--licence', ['--prescriber', 'Dra. Luna', '--licence', '123456']],
    ['--licence', ['--prescriber', 'Dra. Luna', '--licence', 'A234567']],
    ['--licence', ['--licence', '1234567']],
    ['--prescriber', ['--prescriber', ' ']],
  ])('names %s in %j', async (option, options) => {
    await misunderstood(['orders', 'verify-prescription', '1', ...options], `${option}: `);
  });

  it('refuses one older than 180 days in Mexico, a setting, unless its age is accepted, which the history says', async () => {
    // The 180th day after 27 May is 23 November, the 181st begins at 06:00 UTC.
    const old = () => placed({ order: { prescriptions: [{ ...newPrescription(), issue_date: '2026-05-27' }] } });
    const [id, another] = [await old(), await old()];
    setClock(new Date('2026-11-24T06:00:00.000Z'));
    expect(await verify(id)).toMatchObject(refusedWith('2026-05-27', 180));
    expect(await verify(id, '--accept-age')).toMatchObject(DONE);
    expect(await eventsOf(id)).toEqual([
      ['created', 1],
      ['prescription_verified', 2],
      ['prescription_age_accepted', 2],
    ]);
    expect(await verify(id)).toMatchObject(DONE);
    setClock(new Date('2026-11-24T05:59:59.999Z'));
    vi.stubEnv('PRESCRIPTION_MAXIMUM_AGE_DAYS', '179');
    expect(await verify(another)).toMatchObject(refusedWith('2026-05-27', 179));
    vi.unstubAllEnvs();
    expect(await verify(another, '--accept-age')).toMatchObject(DONE);
    expect(await eventsOf(another)).toEqual([
      ['created', 1],
      ['prescription_verified', 2],
    ]);
  });

  it('refuses a document that stands in another order, judged there or not, unless that is accepted', async () => {
    const same = newPrescription();
    const first = await placed({ order: { prescriptions: [same] } });
    expect(await verify(first)).toMatchObject(DONE);
    const rejected = await placed({ order: { prescriptions: [same] } });
    await reject(rejected);
    const open = await placed({ order: { prescriptions: [same] } });
    const id = await placed({ order: { prescriptions: [newPrescription(), same, same] } });
    const [[one], [two], [three]] = [await idsOf(first), await idsOf(rejected), await idsOf(open)];
    const [, second, third] = await idsOf(id);
    expect((await ops('orders', 'show', String(id))).out).toContain(
      `Prescription ${second} is the same document as prescription ${one} of order ${first} for Ana Paz.`,
    );
    expect(await verify(id)).toMatchObject(refusedWith(second ?? '', `${first}, ${rejected}, ${open}`));
    expect(await areVerified(id)).toEqual([false, false, false]);
    expect(await verify(id, '--accept-copy')).toMatchObject({ code: 0 });
    // A verified prescription is not asked about again.
    const json = await verify(id, '--prescription', String(second), '--prescriber', 'Dra. Eva Luna', '--json');
    const OF_ANA = { patient: 'Ana Paz', placed_at: '2026-11-23T18:00:00.000Z', order_status: 'approved' };
    expect(JSON.parse(json.out).copies).toEqual(
      expect.arrayContaining([
        { prescription: second, order: id, copy: third, is_rejected: false, is_waiting: false, ...OF_ANA },
        { prescription: second, order: first, copy: one, is_rejected: false, is_waiting: false, ...OF_ANA },
        { prescription: second, order: rejected, copy: two, is_rejected: true, is_waiting: false, ...OF_ANA },
        { prescription: third, order: open, copy: three, is_rejected: false, is_waiting: true, ...OF_ANA },
      ]),
    );
  });
});

describe('orders reject-prescription', () => {
  it('says why, in the history and in what operators read, and leaves the order where it is', async () => {
    const id = await placed({ order: { ...NEEDS_PRESCRIPTION, prescriptions: [newPrescription()] } });
    const before = await stored(id);
    const [prescription] = before.prescriptions;
    expect(await reject(id, '--version', '2')).toMatchObject(refusedWith('version 1 now, not at 2'));
    setClock(LATER);
    expect(await reject(id)).toMatchObject(DONE);
    const rejection = { at: LATER_AT, by: OPERATOR, reason: 'Sin firma' };
    expect(await stored(id)).toEqual({
      ...before,
      prescriptions: [{ ...prescription, rejection, updatedAt: LATER_AT }],
      updatedAt: LATER_AT,
      version: 2,
    });
    expect((await getStoredEvents(id)).at(-1)).toMatchObject({
      ...{ what: 'prescription_rejected', prescriptions: [prescription?.id], reason: 'Sin firma' },
      ...{ at: LATER_AT, version: 2, by: { operator: OPERATOR } },
    });
    const shown = { is_verified: false, rejected_at: LATER_AT, rejected_by: OPERATOR, rejection_reason: 'Sin firma' };
    expect((await show(id)).prescriptions).toMatchObject([shown]);
  });

  it('keeps an approved order from being prepared, until the prescription is verified by its id', async () => {
    const id = await placed({ order: { ...NEEDS_PRESCRIPTION, prescriptions: [newPrescription()] } });
    const only = String((await idsOf(id))[0]);
    expect(await verify(id)).toMatchObject(DONE);
    expect(await move(id, 'approved')).toMatchObject(DONE);
    expect(await reject(id)).toMatchObject(DONE);
    expect(await stored(id)).toMatchObject({ orderStatus: 'approved', prescriptions: [{ verification: null }] });
    expect(await move(id, 'in_process')).toMatchObject(refusedWith('product 4'));
    expect(await verify(id)).toMatchObject(refusedWith('rejected'));
    expect(await verify(id, '--prescription', only)).toMatchObject(DONE);
    expect(await prescriptionsOf(id)).toMatchObject([{ rejection: null, verification: { by: OPERATOR } }]);
    expect(await move(id, 'in_process')).toMatchObject(DONE);
    expect(await reject(id)).toMatchObject(refusedWith('dispensed', only));
  });

  it('outlives a verification and another rejection of the same prescription', async () => {
    const id = await placed({ order: { ...NEEDS_PRESCRIPTION, prescriptions: [newPrescription()] } });
    const only = String((await idsOf(id))[0]);
    await reject(id);
    await verify(id, '--prescription', only);
    for (const reason of ['Ilegible', 'Vencida']) await reject(id, '--reason', reason);
    const told = (reason: string) => ({ at: '2026-11-23T18:00:00.000Z', by: OPERATOR, reason });
    const pastRejections = [told('Sin firma'), told('Ilegible')];
    expect(await prescriptionsOf(id)).toMatchObject([
      { verification: null, rejection: told('Vencida'), pastRejections },
    ]);
    expect((await show(id)).prescriptions[0]).toMatchObject({
      ...{ verified_at: null, rejection_reason: 'Vencida' },
      past_rejections: [{ reason: 'Sin firma' }, { reason: 'Ilegible', rejected_by: OPERATOR }],
    });
  });

  it('leaves the rejected one out when the others are verified', async () => {
    const id = await placed({ order: { prescriptions: [newPrescription(), newPrescription()] } });
    const [first, second] = await idsOf(id);
    expect(await reject(id)).toMatchObject(refusedWith('2 prescriptions'));
    expect(await reject(id, '--prescription', String(first))).toMatchObject(DONE);
    expect(await verify(id)).toMatchObject(DONE);
    expect(await prescriptionsOf(id)).toMatchObject([
      { id: first, verification: null },
      { id: second, verification: { by: OPERATOR } },
    ]);
    expect(await reject(id, '--prescription', '99999999')).toMatchObject(refusedWith('no such prescription'));
  });

  it('needs a reason', async () => {
    await misunderstood(['orders', 'reject-prescription', '1'], '--reason: ');
    await misunderstood(['orders', 'reject-prescription', '1', '--reason', ' '], '--reason: ');
  });
});
