import { describe, expect, it } from 'vitest';
import { countDays, listLastDays, listTicks, nameLimit } from '../../../infra/counter/page/figures/chart-data.ts';
import { encodeCode128 } from '../../../infra/counter/page/order/code128.ts';
import {
  actorText,
  isAttachable,
  isRejectable,
  type OrderEvent,
  type ShownOrder,
  unpaidWarning,
  verificationText,
} from '../../../infra/counter/page/order/texts.ts';
import { formatAge, formatDateTime, mailTo, timeZone } from '../../../infra/counter/page/ui/format.ts';
import { parseFromFrame } from '../../../infra/counter/page/viewer/use-document.ts';

it.each([
  ['luz.mora@example.mx', 'mailto:luz.mora@example.mx'],
  ['luz?bcc=otro%40example.mx&x=1@example.mx', 'mailto:luz%3Fbcc%3Dotro%2540example.mx%26x%3D1@example.mx'],
  ['luz#a%b/c@example.mx', 'mailto:luz%23a%25b%2Fc@example.mx'],
])('the address of a mail to %s has this one receiver', (email, address) => {
  expect(mailTo(email)).toBe(address);
});

it.each([
  ['unpaid', 'in_process', true],
  ['rejected', 'shipped', true],
  ['processing', 'delivered', true],
  ['unpaid', 'approved', false],
  ['unpaid', 'cancelled', false],
  ['paid', 'in_process', false],
  ['credit', 'delivered', false],
  // An order that is picked up in a store may be paid there.
  ['unpaid', 'ready', false, {}],
  ['unpaid', 'delivered', true, {}],
] as const)(
  'of an order that is %s and goes to %s its payment is warned: %s',
  (payment_status, to, isWarned, store?) => {
    const warning = unpaidWarning({ payment_status, store, total: '137.00' } as unknown as ShownOrder, to);
    expect(warning.includes('$137.00')).toBe(isWarned);
  },
);

describe('what is offered for a prescription', () => {
  const at = '2026-11-23T18:00:00.000Z';
  const prescriber = { name: 'Dra. Eva Luna', licence: null, address: null };

  it.each([
    ['verify or reject it, while the order is open', 'approved', {}, 7, true, true],
    ['leave another order’s alone', 'approved', {}, 8, false, false],
    ['verify one that is rejected', 'approved', { rejected_at: at }, 7, true, false],
    ['record after the delivery who prescribed it', 'delivered', { verified_at: at }, 7, true, false],
    ['record that once', 'delivered', { verified_at: at, prescriber }, 7, false, false],
    ['leave that of a cancelled order alone', 'cancelled', {}, 7, false, false],
  ])('is to %s', (_, order_status, judged, id, isToVerify, isToReject) => {
    const order = {
      order_status,
      prescriptions: [{ id: 7, verified_at: null, rejected_at: null, prescriber: null, ...judged }],
      next_actions: { verify: [{ prescription: 7 }], reject: [7] },
    } as unknown as ShownOrder;
    expect([verificationText(order, id) !== '', isRejectable(order, id)]).toEqual([isToVerify, isToReject]);
  });

  it.each([
    ['pending_approval', true, null, true],
    ['delivered', true, null, false],
    ['pending_approval', false, null, false],
    ['pending_approval', true, at, false],
  ])(
    'is to add one to a %s order, which requires one (%s), of a patient erased at %s: %s',
    (order_status, requires_prescription, deleted_at, expected) => {
      const order = { order_status, details: [{ requires_prescription }], patient: { user: { deleted_at } } };
      expect(isAttachable(order as never)).toBe(expected);
    },
  );
});

const event = (changes: object): OrderEvent =>
  ({ what: 'created', at: '2026-11-23T18:00:00.000Z', version: 1, by: 'system', ...changes }) as OrderEvent;

it.each([
  ['system', 'sistema'],
  [{ operator: 'Eva' }, 'Eva'],
  [{ user: 3 }, 'Ana Paz'],
  [{ user: 4 }, 'usuario 4'],
])('the history names who did it, %j, as %s', (by, name) => {
  const user = { id: 3, first_name: 'Ana', last_name: 'Paz', second_last_name: null };
  expect(actorText(event({ by }), { patient: { user }, generated_by: null, updated_by: null } as never)).toBe(name);
});

it('ages and times are written as in Mexico, in the time zone of the shop', () => {
  timeZone.value = 'America/Mexico_City';
  expect([formatAge(119), formatAge(120), formatAge(2_880)]).toEqual(['119 min', '2 h', '2 días']);
  expect(formatDateTime('2026-11-24T05:59:00.000Z')).toBe('23 nov 2026, 23:59');
  timeZone.value = 'UTC';
});

it.each([
  [{ kind: 'ready' }, true],
  [{ kind: 'opened', pages: 2 }, true],
  [null, false],
  [{ kind: 'run' }, false],
  [{ kind: 'opened', pages: '9' }, false],
  [{ kind: 'opened', pages: -1 }, false],
  [{ kind: 'toString' }, false],
])('a message %j of the frame of a document is understood: %s', (data, isUnderstood) => {
  expect(parseFromFrame(data)).toEqual(isUnderstood ? data : undefined);
});

it('a folio is printed as Code 128', () => {
  // The values of R, X, - and 1 are 50, 56, 13 and 17; the check is (104 + 1×50 + 2×56 + 3×13 + 4×17) mod 103 = 64.
  expect(encodeCode128('RX-1').join('')).toBe(
    ['211214', '231131', '331121', '122132', '123221', '111422', '2331112'].join(''),
  );
});

describe('the lines of an axis', () => {
  it.each([
    [0, [0, 1]],
    [4, [0, 1, 2, 3, 4]],
    [5, [0, 2, 4, 6]],
    [97, [0, 50, 100]],
    [12_345_678, [0, 5_000_000, 10_000_000, 15_000_000]],
  ])('up to %d are round', (highest, ticks) => {
    expect(listTicks(highest, 4)).toEqual(ticks);
  });
});

describe('a range of days', () => {
  it.each([
    [1, '2026-11-30'],
    [30, '2026-11-01'],
  ])('of the last %d begins on %s and ends today in the shop, which is another day than in UTC', (count, from) => {
    const evening = new Date('2026-12-01T05:59:00.000Z');
    expect(listLastDays(count, evening, 'America/Mexico_City')).toEqual({ from, to: '2026-11-30' });
  });

  it.each([
    ['2026-11-30', '2026-11-30', 1],
    ['2026-08-01', '2026-10-31', 92],
    ['2026-11-30', '2026-11-29', 0],
    ['', '2026-11-29', Number.NaN],
  ])('from %s to %s has %d days', (from, to, count) => {
    expect(countDays({ from, to })).toBe(count);
  });
});

it.each([
  [119, '119 min'],
  [121, '3 h'],
  [2_821, '2 días'],
])('%d minutes are %s', (minutes, name) => {
  expect(nameLimit(minutes)).toBe(name);
});
