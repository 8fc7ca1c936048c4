import { getTaxRetentionEnd } from '../../domain/invoices/tax-records.ts';
import { localDate } from '../../domain/working-day.ts';
import type { Order, OrderPatient } from '../../store/orders/orders.ts';
import type { InvoicingRecord } from '../../store/people/addresses.ts';
import type { Person } from '../../store/people/users.ts';

/** The day of the erasure, and where the shop is, whose days count. */
export type ErasureDay = { readonly today: string; readonly timeZone: string };

/**
 * An order without what tells who its patient is: ids, figures, products and statuses stay, and so does the receiver of its
 * invoice as long as tax law needs it. An order that is without them already stays as it is.
 */
export function withoutPatient(order: Order, day: ErasureDay): Order {
  const nameless = (person: Person) => (person.id === order.patient.id ? withoutData(person) : person);
  return {
    ...order,
    patient: namelessPatient(order.patient),
    sentPerson: {},
    generatedBy: nameless(order.generatedBy),
    updatedBy: nameless(order.updatedBy),
    shipping: null,
    invoicing: order.invoicing && keptUntil(order, day) ? receiverOf(order.invoicing) : null,
    // Why a provider refused it may quote whom it was for.
    invoice: order.invoice && { ...order.invoice, reason: null },
    comments: '',
    prescriptions: [],
  };
}

/** Until when the receiver of an order's invoice is kept (`YYYY-MM-DD`); null when nothing was invoiced or that day is over. */
export function keptUntil({ cfdi, createdAt }: Order, { today, timeZone }: ErasureDay): string | null {
  if (cfdi === '') return null;
  const until = getTaxRetentionEnd(localDate(new Date(createdAt), timeZone));
  return today <= until ? until : null;
}

const withoutData = (person: Person): Person => ({
  ...person,
  email: '',
  firstName: '',
  lastName: '',
  secondLastName: null,
  phone: '',
  sex: null,
  birthdate: null,
  medicalCondition: '',
});

const namelessPatient = (patient: OrderPatient): OrderPatient => ({
  ...patient,
  ...withoutData(patient),
  defaultShipping: null,
  defaultInvoicing: null,
});

/** No more of a receiver than a CFDI 4.0 names (Anexo 20): name, RFC, zip code, regime and use. */
const receiverOf = (record: InvoicingRecord): InvoicingRecord => ({
  ...record,
  street: '',
  exteriorNumber: '',
  neighborhood: '',
  city: '',
  state: '',
  country: '',
  email: '',
  latitude: null,
  longitude: null,
});
