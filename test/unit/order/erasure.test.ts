import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { erase, erases, isErased } from '../../../shared/domain/erasure.ts';
import { toErasureDay, withoutPatient } from '../../../shared/erasure/erase-order.ts';
import { type Order, storedOrder } from '../../../shared/order/order.ts';
import { taxDocument } from '../../support/invoices/tax-documents.ts';
import { INVOICING } from '../../support/orders/samples.ts';
import { syntheticOrder, unverifiedPrescription } from '../../support/orders/synthetic-orders.ts';

const note = z.object({
  id: z.number(),
  title: erases(z.string(), ''),
  author: erases(z.string().nullable(), null),
  phone: erases(z.string().exactOptional(), undefined),
  pages: z.array(z.object({ text: erases(z.string(), ''), number: z.number() })).readonly(),
  links: erases(z.array(z.string()), []),
});

it('the erasure of a stored thing replaces each field that says so, and removes those that its schema does not know', () => {
  const stored = {
    id: 7,
    title: 'Receta',
    author: 'Ana',
    phone: '55',
    pages: [{ text: 'a', number: 1 }],
    links: ['b'],
  };
  const bare = { id: 7, title: '', author: null, pages: [], links: [] };
  expect(erase(note, stored)).toEqual({ ...bare, pages: [{ text: '', number: 1 }] });
  expect(erase<object>(note, { ...bare, nickname: 'Anita' })).toEqual(bare);
});

type Kept = Record<string, string>;

/** Returns the fields of a schema of which nothing is said, by the object that they stand in. */
function listKept(schema: z.ZodType, path: readonly string[] = [], kept: Kept = {}): Kept {
  if (isErased(schema)) return kept;
  if (schema instanceof z.ZodObject) {
    const shape = schema.shape as Record<string, z.ZodType>;
    for (const [field, own] of Object.entries(shape)) listKept(own, [...path, field], kept);
    return kept;
  }
  if ('unwrap' in schema) return listKept((schema as z.ZodNullable<z.ZodType>).unwrap(), path, kept);
  const parent = path.slice(0, -1).join('.') || 'order';
  kept[parent] = [kept[parent], path.at(-1)].filter(Boolean).join(' ');
  return kept;
}

const DAY = toErasureDay(new Date('2026-01-19T18:00:00.000Z'), 'America/Mexico_City');

describe('an order whose patient is erased', () => {
  const stored = (more: Partial<Order> = {}) => ({ ...syntheticOrder({ id: 7 }), ...more });

  it('keeps these fields and no others: a new one says here that it stays, or in its schema what erases it', () => {
    expect(listKept(storedOrder)).toEqual(KEPT);
  });

  it('keeps who else placed and changed it, and the receiver of its invoice while tax law needs it', () => {
    const { updatedBy, createdAt: created_at, updatedAt: updated_at, patient } = stored();
    const invoicing = { ...INVOICING, id: 3, latitude: '19.417555', longitude: null, updated_by: 10 };
    const invoiced = stored({
      ...{
        cfdi: '58e93bd8e86eb318b0197456',
        invoicing: { ...invoicing, created_at, updated_at } as Order['invoicing'],
      },
      ...{ comments: 'Plantado', prescriptions: [unverifiedPrescription(1, 'key')], sentPerson: { phone: '55' } },
    });
    const left = withoutPatient(invoiced, DAY);
    expect(left).toMatchObject({ updatedBy, generatedBy: updatedBy, cfdi: '58e93bd8e86eb318b0197456' });
    expect(left).toMatchObject({ sentPerson: {}, shipping: null, prescriptions: [], comments: '' });
    expect(left.patient).toMatchObject({ id: 10, email: '', firstName: '', lastName: '' });
    expect(left.invoicing).toMatchObject({
      ...{ full_name: 'ANA PAZ LUNA', rfc: 'PALA800101AB1', zipcode: '06700', cfdi_use: 'G03', fiscal_regime: '612' },
      ...{ street: '', exterior_number: '', neighborhood: '', city: '', state: '', country: '', email: '' },
      ...{ latitude: null, longitude: null },
    });
    expect(storedOrder.parse(left)).toEqual(left);
    const own = { ...invoiced, cfdi: '', generatedBy: patient, updatedBy: patient };
    expect(withoutPatient(own, DAY)).toMatchObject({ invoicing: null, updatedBy: { email: '', firstName: '' } });
  });

  it('keeps the copies of its credit notes of a global invoice, which has no receiver, as long as tax law requires', () => {
    const note = taxDocument({
      kind: 'credit',
      status: 'issued',
      issuedAt: '2026-01-05T18:00:00.000Z',
      globalZipcode: '06700',
      kept: ['files'],
    });
    const global = { period: '2025-12', part: 1 };
    const sold = stored({ cfdi: '', invoicing: null, invoice: null, documents: [note], global });
    const erased = withoutPatient(sold, DAY);
    expect(erased).toMatchObject({
      documents: [{ kept: ['files'] }],
      retained: { documents: [], documentsUntil: null, receiverUntil: null, copiesUntil: '2032-04-30' },
    });
    const later = toErasureDay(new Date('2032-05-01T06:00:00.000Z'), 'America/Mexico_City');
    expect(withoutPatient(erased, later)).toMatchObject({ documents: [{ kept: [] }], retained: null });
  });
});

const USER = 'id role createdBy dateJoined createdAt updatedAt deletedAt';
const DOCUMENT = [
  'kind status key providerId amountCents paymentMethod paymentForm relatedUuid cancelledAt requestedAt',
  'issuedAt globalZipcode mail kept handled issuedCents retries payBy isOverdue',
].join(' ');
const listDocument = (field: string): Kept => ({
  [field]: DOCUMENT,
  [`${field}.stamp`]: 'uuid series folio at',
  ...Object.fromEntries(
    ['archive', 'cancel', 'issue', 'mail'].map((task) => [`${field}.tasks.${task}`, 'tries dueAt']),
  ),
  [`${field}.cancellation`]: 'motive substitution',
  [`${field}.parts`]: 'line quantity cents',
});
const KEPT: Kept = {
  order: [
    'id clientId origin isShippingSent orderStatus approvedAt paymentStatus paymentForm subtotalCents',
    'discountCents ivaCents shippingPriceCents shippingDiscountCents shippingIvaRateMicros',
    'rateDiscountCents shippingCostCents totalCents expectedDeliveryDate maxDeliveryDate paymentDate',
    'shippingDate receivingDate insuranceRefundStatus cfdi createdAt updatedAt version linesAt',
  ].join(' '),
  carrier: 'id name createdAt updatedAt',
  patient: `${USER} referredBy`,
  generatedBy: USER,
  updatedBy: USER,
  store: [
    'id street exterior_number neighborhood city state country zipcode phone name interior_number',
    'additional_info latitude longitude created_at updated_at company_name business_hours is_sat_branch',
    'time_zone',
  ].join(' '),
  paymentMethod: 'id created_at updated_at name fee fixed_fee initial_payment_status sat_payment_form collection',
  shippingMethod: 'id created_at updated_at company method min_delivery_days max_delivery_days pickup',
  stock: 'store',
  'stock.products': 'product quantity',
  coupon: 'id code description value has_free_shipping max_redemptions max_redemptions_per_patient',
  'payment.attempts': [
    'number referenceId collection amountCents createdAt firstRequestedAt expiresAt returnUrl customer status providerId',
    'receivedCents superseded',
  ].join(' '),
  'payment.attempts.dispute': 'status amountCents isHandled',
  payment: 'customer paidBy unmatchedCents handledCents isAccountWatched',
  refunds: 'cents form at isSurplus',
  'refunds.parts': 'line quantity cents',
  'refunds.provided': 'number attempt status isHandled',
  dispensed: 'at under',
  'dispensed.lots': 'line lot expiry quantity',
  invoiceRequests: 'userId at',
  ...listDocument('invoice'),
  ...listDocument('documents'),
  global: 'period part',
  'global.returned': 'line quantity cents',
  lines: [
    'id productId quantity priceCents subtotalCents discountCents ivaCents ivaRateMicros totalCents name',
    'presentation eanKey satKey satUnit requiresPrescription isAntibiotic sanitaryFraction defaultImage',
  ].join(' '),
  'retained.documents': 'id documentKey documentType documentHash scan isRejected',
  retained: 'documentsUntil receiverUntil copiesUntil',
};
