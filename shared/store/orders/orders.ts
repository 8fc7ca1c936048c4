import type {
  CatalogCoupon,
  CatalogPaymentMethod,
  CatalogShippingMethod,
  CatalogStore,
} from '../../catalog/catalog.ts';
import type { OrderInvoice } from '../../domain/invoices/order-invoice.ts';
import type { Cents } from '../../domain/money.ts';
import type { OrderStatus, PaymentStatus } from '../../domain/order.ts';
import type { DocumentType } from '../../domain/prescriptions/prescription.ts';
import type { LineFigures } from '../../domain/pricing.ts';
import type { Role } from '../../domain/role.ts';
import type { Client } from '../access/clients.ts';
import { doctorViewer, orderKey, patientViewer, type Viewer } from '../keys.ts';
import type { InvoicingRecord, ShippingRecord } from '../people/addresses.ts';
import type { Person, UserRecord } from '../people/users.ts';
import type { Item, Table } from '../table.ts';

/** The person that an order is for, as the order shows them. */
export type OrderPatient = Person & {
  readonly referredBy: number | null;
  readonly defaultShipping: number | null;
  readonly defaultInvoicing: number | null;
};

/** What the user who placed the order wrote of the patient: all that a doctor sees besides the names. */
export type SentPerson = Partial<Pick<Person, 'phone' | 'secondLastName' | 'sex' | 'birthdate' | 'medicalCondition'>>;

export type OrderLine = LineFigures & {
  readonly id: number;
  readonly productId: number;
  readonly quantity: number;
  readonly priceCents: Cents;
  readonly name: string;
  readonly presentation: string;
  readonly eanKey: string;
  readonly satKey: string;
  readonly satUnit: string;
  readonly hasIva: boolean;
  readonly requiresPrescription: boolean;
  readonly defaultImage: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
};

export type OrderPrescription = {
  readonly id: number;
  readonly issueDate: string;
  readonly expiringDate: string | null;
  readonly documentKey: string;
  readonly documentName: string;
  readonly documentType: DocumentType;
  readonly isVerified: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly updatedBy: number | null;
};

/** What an order keeps of a coupon: what it shows, not when it is valid. */
export type OrderCoupon = Pick<CatalogCoupon, 'id' | 'code' | 'description' | 'value' | 'has_free_shipping'>;

/** An order as of its last change, with copies of the people and records that it shows; amounts in cents. */
export type Order = {
  readonly id: number;
  readonly clientId: number;
  readonly origin: string;
  readonly carrier: Client['carrier'];
  readonly patient: OrderPatient;
  readonly sentPerson: SentPerson;
  readonly generatedBy: Person;
  readonly updatedBy: Person;
  readonly shipping: ShippingRecord | null;
  /** False of the patient's default address, which is not for a doctor to read. */
  readonly isShippingSent: boolean;
  readonly store: CatalogStore | null;
  /** Whom it is invoiced to, or was last asked to be. */
  readonly invoicing: InvoicingRecord | null;
  readonly paymentMethod: CatalogPaymentMethod;
  readonly shippingMethod: CatalogShippingMethod;
  readonly coupon: OrderCoupon | null;
  readonly orderStatus: OrderStatus;
  readonly paymentStatus: PaymentStatus;
  readonly subtotalCents: Cents;
  readonly discountCents: Cents;
  readonly ivaCents: Cents;
  readonly shippingPriceCents: Cents;
  readonly shippingDiscountCents: Cents;
  /** The temporary discount of the rate: what is left of `shippingDiscountCents` without a coupon. */
  readonly rateDiscountCents: Cents;
  readonly shippingCostCents: Cents | null;
  readonly totalCents: Cents;
  readonly expectedDeliveryDate: string | null;
  readonly maxDeliveryDate: string | null;
  readonly paymentDate: string | null;
  readonly shippingDate: string | null;
  readonly receivingDate: string | null;
  readonly comments: string;
  /** The provider's id of the invoice; '' while there is none. */
  readonly cfdi: string;
  /** The latest attempt to invoice it. */
  readonly invoice: OrderInvoice | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly version: number;
  readonly lines: readonly OrderLine[];
  readonly prescriptions: readonly OrderPrescription[];
};

/** The copy of a person that an order keeps. */
export const personOf = (user: UserRecord): Person => ({
  id: user.id,
  role: user.role,
  email: user.email,
  firstName: user.firstName,
  lastName: user.lastName,
  secondLastName: user.secondLastName,
  phone: user.phone,
  sex: user.sex,
  birthdate: user.birthdate,
  medicalCondition: user.medicalCondition,
  createdBy: user.createdBy,
  dateJoined: user.dateJoined,
  createdAt: user.createdAt,
  updatedAt: user.updatedAt,
});

const VIEWER: Readonly<Record<Role, (id: number) => Viewer>> = {
  patient: patientViewer,
  doctor: doctorViewer,
  insurance_employee: () => 'client',
};
/** Whose view of the client's orders a user has. */
export const viewerOf = (user: { readonly id: number; readonly role: Role }): Viewer => VIEWER[user.role](user.id);

/** A patient sees their own orders, a doctor those they created, the client's insurance employees all of them. */
export const viewersOf = ({ patient, generatedBy }: Order): Viewer[] => [
  'client',
  patientViewer(patient.id),
  ...(generatedBy.role === 'doctor' ? [doctorViewer(generatedBy.id)] : []),
];

/**
 * An order is one item: it is read and replaced whole, so that it is never half an order. With 50 lines and 10
 * prescriptions it has some 30 KB of the 400 that an item may have. It says who may see it, which makes its owner a part
 * of the query that reads it.
 */
export const orderItem = (order: Order): Item => ({
  ...orderKey(order.clientId, order.id),
  ...order,
  viewers: viewersOf(order),
});

/** The order of a stored item. */
export function orderOfItem(item: Item): Order {
  const { pk: _, sk: __, viewers: ___, ...order } = item;
  return order as Order;
}

/** One order of a client, whoever looks; one read. */
export async function orderOf(
  table: Table,
  { clientId, id }: Pick<Order, 'clientId' | 'id'>,
): Promise<Order | undefined> {
  const item = await table.get(orderKey(clientId, id));
  return item && orderOfItem(item);
}

/** One order of a client with all that belongs to it, if this viewer may see it; one query of one partition. */
export async function findOrder(
  table: Table,
  asked: { clientId: number; id: number; viewer: Viewer },
): Promise<Order | undefined> {
  const { pk } = orderKey(asked.clientId, asked.id);
  const mayBeSeen = { filter: 'contains(viewers, :viewer)', values: { ':viewer': asked.viewer } };
  const [item] = await table.all({ pk, ...mayBeSeen });
  return item && orderOfItem(item);
}
