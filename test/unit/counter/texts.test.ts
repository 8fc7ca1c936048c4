import { describe, expect, it } from 'vitest';
import {
  actorText,
  eventText,
  isAttachable,
  isRejectable,
  type OrderEvent,
  patientText,
  recordText,
  refundDoneText,
  refundedText,
  rejectionText,
  type ShownOrder,
  unpaidWarning,
  verificationText,
  waitText,
} from '../../../infra/counter/page/order/order-texts.ts';
import {
  formatAge,
  formatCalendarDay,
  formatDateTime,
  formatMoney,
  formatPhone,
  mailTo,
  timeZone,
} from '../../../infra/counter/page/ui/format.ts';
import { parseFromFrame } from '../../../infra/counter/page/viewer/use-document.ts';

it.each([
  ['luz.mora@example.mx', 'mailto:luz.mora@example.mx'],
  ['luz?bcc=otro%40example.mx&x=1@example.mx', 'mailto:luz%3Fbcc%3Dotro%2540example.mx%26x%3D1@example.mx'],
  ['luz#a%b/c@example.mx', 'mailto:luz%23a%25b%2Fc@example.mx'],
])('the address of a mail to %s has this one receiver', (email, address) => {
  expect(mailTo(email)).toBe(address);
});

it.each([
  ['1991-11-23', 'F', '35 años, sexo femenino'],
  ['1991-11-24', 'M', '34 años, sexo masculino'],
  ['2024-11-24', null, '23 meses, sexo no indicado'],
  ['2024-11-23', null, '2 años, sexo no indicado'],
  ['2026-10-23', null, '1 mes, sexo no indicado'],
  ['2026-11-20', null, '0 meses, sexo no indicado'],
  [null, null, 'edad no indicada, sexo no indicado'],
] as const)('a patient born on %s of sex %s is told on 2026-11-23 as %s', (birthdate, sex, text) => {
  expect(patientText({ birthdate, sex }, '2026-11-23')).toBe(text);
});

it('what the record of a patient says is told as far as the order differs', () => {
  const none = { name: null, phone: null, sex: null, birthdate: null, medical_condition: null } as const;
  expect(recordText(none)).toBe('');
  const person = { name: 'Anna Paz', phone: '+525512345678', sex: 'M', birthdate: '1990-01-02' } as const;
  expect(recordText({ ...person, medical_condition: 'Asma' })).toBe(
    'Anna Paz, nacimiento 1990-01-02, sexo masculino, alergias y padecimientos: Asma, teléfono 55\u00a01234\u00a05678',
  );
});

it.each([
  ['unpaid', 'in_process', 'No está pagada: Sin pagar. Faltan $137.00 por cobrar.'],
  ['rejected', 'shipped', 'No está pagada: Pago rechazado. Faltan $137.00 por cobrar.'],
  ['processing', 'delivered', 'No está pagada: Pago por confirmar. Faltan $137.00 por cobrar.'],
  ['unpaid', 'approved', ''],
  ['unpaid', 'cancelled', ''],
  ['unpaid', 'shortage', ''],
  ['paid', 'in_process', ''],
  ['credit', 'delivered', ''],
  // An order that is picked up in a store may be paid there.
  ['unpaid', 'ready', '', {}],
  ['unpaid', 'delivered', 'No está pagada: Sin pagar. Faltan $137.00 por cobrar.', {}],
] as const)(
  'an order that is %s and goes to %s has this warning: %s',
  (payment_status, to, warning, store?: object) => {
    expect(unpaidWarning({ payment_status, store, total: '137.00' } as ShownOrder, to)).toBe(warning);
  },
);

describe('what is offered for a prescription', () => {
  const at = '2026-11-23T18:00:00.000Z';
  const prescriber = { name: 'Dra. Eva Luna', licence: null, address: null };

  it.each([
    ['verify or reject it, while the order is open', 'approved', {}, 7, 'Verificar receta', true],
    ['leave another order’s alone', 'approved', {}, 8, '', false],
    ['verify one that is rejected', 'approved', { rejected_at: at }, 7, 'Verificar receta', false],
    [
      'record after the delivery who prescribed it',
      'delivered',
      { verified_at: at },
      7,
      'Anotar quien prescribe',
      false,
    ],
    ['record that once', 'delivered', { verified_at: at, prescriber }, 7, '', false],
    ['leave that of a cancelled order alone', 'cancelled', {}, 7, '', false],
  ])('is to %s', (_, order_status, judged, id, verification, isToReject) => {
    const order = {
      order_status,
      prescriptions: [{ id: 7, verified_at: null, rejected_at: null, prescriber: null, ...judged }],
      next_actions: { verify: [{ prescription: 7 }], reject: [7] },
    } as unknown as ShownOrder;
    expect([verificationText(order, id), isRejectable(order, id)]).toEqual([verification, isToReject]);
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

it.each([
  ['card_declined', 'el banco no lo autorizó'],
  ['expired', 'venció sin que se pagara'],
  ['El cheque no tenía fondos', 'El cheque no tenía fondos'],
  ['toString', 'toString'],
])('a payment is rejected by reason of %s: %s', (reason, text) => {
  expect(rejectionText(reason)).toBe(text);
});

const PARTS = [
  { line: 7_001, quantity: 2, amount: '57.00' },
  { line: null, quantity: 0, amount: '79.00' },
];

it.each([
  ['succeeded', PARTS, '2 × Losartán, envío'],
  ['failed', PARTS, 'el proveedor no pudo devolverlo, 2 × Losartán, envío'],
  ['pending', [], 'pedido al proveedor'],
  ['succeeded', 'besides', 'dinero aparte del total'],
] as const)('money goes back that has %s: %j is %s', (status, of, text) => {
  const [parts, is_surplus] = of === 'besides' ? [[], true] : [[...of], false];
  const order = { details: [{ id: 7_001, product: 4, name: 'Losartán' }] } as never;
  expect(refundedText({ status, parts, is_surplus }, order)).toBe(text);
});

it.each([
  ['succeeded', 'registrado'],
  ['pending', 'pedido al proveedor de pagos, que aún no lo confirma'],
] as const)('the last refund of an order, which has %s, is told as %s', (status, text) => {
  const refunds = [{ status: 'pending' }, { status }] as never;
  expect(refundDoneText({ refunds })).toBe(text);
});

const event = (told: object): OrderEvent =>
  ({ what: 'created', at: '2026-11-23T18:00:00.000Z', version: 1, by: 'system', ...told }) as OrderEvent;

it.each([
  [{ what: 'moved', from: 'approved', to: 'in_process' }, 'Estado: Aprobada → En surtido'],
  [{ what: 'paid', from: 'unpaid', to: 'paid' }, 'Pago: Sin pagar → Pagada'],
  [
    { what: 'payment_rejected', from: 'unpaid', to: 'rejected', reason: 'insufficient_funds' },
    'Pago: Sin pagar → Pago rechazado: fondos insuficientes',
  ],
  [{ what: 'refunded', from: '0.00', to: '7.50' }, 'Reembolso: $0.00 → $7.50'],
  [{ what: 'prescription_rejected', prescriptions: [7], reason: 'Sin firma' }, 'Receta rechazada: 7: Sin firma'],
  [{ what: 'credit_note_retrying' }, 'Nota de crédito por intentarse de nuevo'],
  [{ what: 'invoice_cancelled' }, 'Factura cancelada'],
  [{ what: 'something_new' }, 'something_new'],
])('the history tells %j: %s', (told, text) => {
  expect(eventText(event(told))).toBe(text);
});

it.each([
  ['system', 'sistema'],
  [{ operator: 'Eva' }, 'Eva'],
  [{ user: 3 }, 'Ana Paz'],
  [{ user: 4 }, 'usuario 4'],
])('the history names who did it, %j, as %s', (by, name) => {
  const user = { id: 3, first_name: 'Ana', last_name: 'Paz', second_last_name: null };
  expect(actorText(event({ by }), { patient: { user }, generated_by: null, updated_by: null } as never)).toBe(name);
});

it('what an order waits for names the products that no prescription covers', () => {
  const uncovered = [{ product: 4, quantity: 1, verified: null }];
  const order = { details: [{ product: 4, name: 'Ibuprofeno 800 mg' }], next_actions: { uncovered } } as never;
  expect(waitText(order, 'verification')).toBe('Verificar receta (1 × Ibuprofeno 800 mg)');
  expect(waitText(order, 'payment')).toBe('Pago');
});

it.each([
  ['+525512345678', '55\u00a01234\u00a05678'],
  ['+529611234567', '961\u00a0123\u00a04567'],
  ['+14155550100', '+14155550100'],
])('the phone %s is written %s', (phone, shown) => {
  expect(formatPhone(phone)).toBe(shown);
});

it('amounts, ages and days are written as in Mexico, in the time zone of the shop', () => {
  timeZone.value = 'America/Mexico_City';
  expect(formatMoney('1234.5')).toBe('$1,234.50');
  expect([formatAge(119), formatAge(120), formatAge(2_880)]).toEqual(['119 min', '2 h', '2 días']);
  expect(formatDateTime('2026-11-24T05:59:00.000Z')).toBe('23 nov 2026, 23:59');
  expect(formatCalendarDay('2026-11-23')).toBe('23 nov 2026');
  timeZone.value = 'UTC';
});

it.each([
  [{ kind: 'ready' }, true],
  [{ kind: 'undrawn' }, true],
  [{ kind: 'opened', pages: 2 }, true],
  [null, false],
  ['ready', false],
  [{ kind: 'run' }, false],
  [{ kind: 'key', key: 'v' }, false],
  [{ kind: 'opened' }, false],
  [{ kind: 'opened', pages: '9' }, false],
  [{ kind: 'opened', pages: -1 }, false],
  [{ kind: 'toString' }, false],
])('a message %j of the frame of a document is understood: %s', (data, isUnderstood) => {
  expect(parseFromFrame(data)).toEqual(isUnderstood ? data : undefined);
});
