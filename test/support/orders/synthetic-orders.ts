import type * as z from 'zod';
import { type Order, storedOrder } from '../../../shared/order/order.ts';
import type { OrderLine, OrderPrescription } from '../../../shared/order/order-parts.ts';
import { markApproved } from '../../../shared/order/rules/status.ts';
import type { Person } from '../../../shared/people/person.ts';
import { ADDRESS } from './samples.ts';

const TIME = '2026-01-02T18:00:00.000Z';
const times = { createdAt: TIME, updatedAt: TIME };
const catalogTimes = { created_at: TIME, updated_at: TIME };

const person = (id: number, role: Person['role'], name: Partial<Person> = {}): Person => ({
  id,
  role,
  email: `user-${id}@example.mx`,
  firstName: 'Ana',
  lastName: 'Paz',
  secondLastName: null,
  phone: '',
  sex: null,
  birthdate: null,
  medicalCondition: '',
  createdBy: null,
  dateJoined: TIME,
  ...times,
  ...name,
});

/** A prescription with this document, which nobody has verified. */
export const unverifiedPrescription = (id: number, documentKey: string): OrderPrescription => ({
  id,
  issueDate: '2026-01-01',
  expiringDate: null,
  documentKey,
  documentName: 'receta.pdf',
  documentType: 'application/pdf',
  documentHash: `hash of ${documentKey}`,
  ...{ verification: null, rejection: null, prescriber: null, updatedBy: null },
  ...times,
});

const line = (id: number, { quantity, image }: { quantity: number; image: string | null }): OrderLine => ({
  id,
  productId: 1,
  quantity,
  priceCents: 2_850,
  subtotalCents: 2_850 * quantity,
  discountCents: 0,
  ivaCents: 0,
  ivaRateMicros: 0,
  totalCents: 2_850 * quantity,
  name: 'Paracetamol 500 mg',
  presentation: 'Caja con 20 tabletas',
  eanKey: '7501000000013',
  satKey: '51142001',
  satUnit: 'H87',
  requiresPrescription: false,
  isAntibiotic: false,
  sanitaryFraction: null,
  defaultImage: image,
});

const shipping: Order['shipping'] = {
  ...ADDRESS,
  ...{ id: 1, name: '', additional_info: '', latitude: null, longitude: null, updated_by: null },
  ...catalogTimes,
};

type Asked = Partial<Omit<Order, 'patient' | 'generatedBy'>> & {
  readonly id: number;
  readonly patient?: Partial<Person> & { readonly id: number };
  /** The id of the doctor who placed the order; by default an insurance employee placed it. */
  readonly doctor?: number;
  /** The quantity of each line. */
  readonly quantities?: readonly number[];
};

/** Returns a stored order without calling the service; every field has a fixed default. */
export function syntheticOrder({ patient = { id: 10 }, doctor, quantities = [1, 2, 1], ...asked }: Asked): Order {
  const placedBy = doctor === undefined ? person(5, 'insurance_employee') : person(doctor, 'doctor');
  const lines = quantities.map((quantity, index) => {
    return line(asked.id * 100 + index, { quantity, image: `https://images.demo.example/products/${index}.webp` });
  });
  const subtotalCents = lines.reduce((sum, { totalCents }) => sum + totalCents, 0);
  const order: z.input<typeof storedOrder> = {
    clientId: 1,
    origin: 'demo',
    carrier: null,
    patient: {
      ...person(patient.id, 'patient', patient),
      referredBy: null,
      defaultShipping: null,
      defaultInvoicing: null,
    },
    sentPerson: {},
    generatedBy: placedBy,
    updatedBy: placedBy,
    shipping,
    isShippingSent: true,
    store: null,
    invoicing: null,
    paymentMethod: {
      ...{ id: 1, name: 'Tarjeta', fee: '0.036', fixed_fee: '3.00', ...catalogTimes },
      ...({ initial_payment_status: 'unpaid', sat_payment_form: '04' } as const),
    },
    shippingMethod: {
      ...{ id: 1, company: 'Paquetería', method: 'default', pickup: false, ...catalogTimes },
      ...{ min_delivery_days: 3, max_delivery_days: 5 },
    },
    ...({ coupon: null, orderStatus: 'approved', paymentStatus: 'unpaid' } as const),
    ...{ subtotalCents, discountCents: 0, ivaCents: 0, totalCents: subtotalCents + 7_900 },
    ...{ shippingPriceCents: 7_900, shippingDiscountCents: 0, shippingIvaRateMicros: 160_000 },
    ...{ rateDiscountCents: 0, shippingCostCents: null },
    expectedDeliveryDate: '2026-01-08T23:00:00.000Z',
    maxDeliveryDate: '2026-01-12T23:00:00.000Z',
    ...{ paymentDate: null, shippingDate: null, receivingDate: null },
    ...{ comments: '', cfdi: '', invoice: null },
    ...times,
    version: 1,
    lines,
    linesAt: TIME,
    prescriptions: [],
    ...markApproved(undefined, asked.orderStatus ?? 'approved', TIME),
    ...asked,
  };
  // The schema adds the defaults of newer fields.
  return storedOrder.parse(order);
}
