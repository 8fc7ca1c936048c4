import { type Cents, sumCents } from '../../domain/money.ts';
import type { Role } from '../../people/rules/roles.ts';

// The values of the interface, exact and in its order.

export const ORDER_STATUSES = [
  'quoted',
  'pending_approval',
  'approved',
  'in_process',
  'ready',
  'shipped',
  'delivered',
  'cancelled',
  'delayed',
  'shortage',
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const PAYMENT_STATUSES = ['unpaid', 'credit', 'paid', 'in_process', 'processing', 'rejected'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

const PATIENT_ORDER_STATUSES = ['in_process', 'shipped', 'delivered', 'cancelled'] as const;
export type PatientOrderStatus = (typeof PATIENT_ORDER_STATUSES)[number];

/** An order begins with the first. */
export const INSURANCE_REFUND_STATUSES = [
  'not_started',
  'missing_data',
  'sent_to_broker',
  'sent_to_insurer',
  'approved_by_insurer',
] as const;
export type InsuranceRefundStatus = (typeof INSURANCE_REFUND_STATUSES)[number];

export const isFinished = (status: OrderStatus): boolean => status === 'delivered' || status === 'cancelled';

type Payment = { readonly paymentStatus: PaymentStatus; readonly paymentDate: string | null };

/** A total of 0 is paid at once. Also starts the payment again when a total becomes 0 or ceases to be. */
export const startPayment = (totalCents: Cents, initial: PaymentStatus, at: string): Payment =>
  totalCents === 0 ? { paymentStatus: 'paid', paymentDate: at } : { paymentStatus: initial, paymentDate: null };

type Statuses = { readonly orderStatus: OrderStatus; readonly paymentStatus: PaymentStatus };

/** `requested`: the payment provider's answer is not recorded yet. */
export const REFUND_STATUSES = ['requested', 'pending', 'failed', 'succeeded'] as const;

type ProvidedRefund = { readonly provided?: { readonly status: (typeof REFUND_STATUSES)[number] } };

/** A refund; `provided` if the payment provider gives it, `isSurplus` if it returns money beyond the total. */
export type Refund = ProvidedRefund & { readonly cents: Cents; readonly isSurplus?: true };

type Refunded = { readonly refunds?: readonly Refund[] };

/** Refunds by hand have succeeded. */
export function getRefundStatus({ provided }: ProvidedRefund): 'pending' | 'succeeded' | 'failed' {
  if (!provided) return 'succeeded';
  return provided.status === 'requested' ? 'pending' : provided.status;
}

export const isGivenBack = ({ provided }: ProvidedRefund): boolean => provided?.status !== 'failed';

/** True if an operator gave a refund or the payment provider accepted it, so that a credit note is due. */
export const isRefundAccepted = (refund: ProvidedRefund): boolean =>
  isGivenBack(refund) && refund.provided?.status !== 'requested';

/** Returns the sum of all refunds, including money beyond the total. */
export const sumGivenBack = ({ refunds = [] }: Refunded): Cents =>
  sumCents(refunds.filter(isGivenBack).map(({ cents }) => cents));

/** Returns the refunded part of the sale. */
export const sumRefunds = ({ refunds = [] }: Refunded): Cents =>
  sumGivenBack({ refunds: refunds.filter(({ isSurplus }) => !isSurplus) });

export const patientOrderStatus = (status: OrderStatus): PatientOrderStatus =>
  PATIENT_ORDER_STATUSES.find((shown) => shown === status) ?? 'in_process';

/** A pharmacist must approve an order with a line that requires a prescription (LGS art. 226). */
export const firstOrderStatus = (
  lines: readonly { readonly requiresPrescription: boolean }[],
): 'pending_approval' | 'approved' =>
  lines.some(({ requiresPrescription }) => requiresPrescription) ? 'pending_approval' : 'approved';

/** Returns the first approval after a move: null while the order waits for it, absent if it never waited. */
export function markApproved(approvedAt: string | null | undefined, to: OrderStatus, time: string) {
  if (to === 'pending_approval') return { approvedAt: approvedAt ?? null };
  return to === 'approved' && approvedAt === null ? { approvedAt: time } : {};
}

const CANCELLABLE: readonly OrderStatus[] = ['quoted', 'pending_approval', 'approved', 'shortage'];

/** True if a client may cancel: preparation and dispatch have not begun (rule of the interface). */
export const isCancellable = (status: OrderStatus): boolean => CANCELLABLE.includes(status);

export const canAddPrescriptions = (status: OrderStatus): boolean => status === 'pending_approval';

/** True if a client may replace the products (rule of the interface). */
export const canChangeDetails = (status: OrderStatus): boolean => status === 'quoted' || status === 'approved';

type Parties = {
  readonly user: { readonly id: number; readonly role: Role };
  readonly placedBy: { readonly id: number };
};

export const answersForCredit = ({ user, placedBy }: Parties): boolean =>
  user.role === 'insurance_employee' || user.id === placedBy.id;

/** True if the total may still change: the order is neither paid nor being paid, or is on credit for which the user answers. */
export const canChangeSum = (status: PaymentStatus, parties: Parties): boolean =>
  status === 'unpaid' || status === 'rejected' || (status === 'credit' && answersForCredit(parties));

const ORDER_MOVES: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  quoted: ['pending_approval', 'approved'],
  pending_approval: ['quoted', 'approved', 'cancelled'],
  approved: ['quoted', 'in_process', 'shortage', 'cancelled'],
  in_process: ['ready', 'delayed', 'shortage'],
  ready: ['shipped', 'delayed'],
  shipped: ['delivered'],
  delivered: [],
  cancelled: [],
  delayed: ['in_process', 'ready', 'shipped'],
  shortage: ['approved', 'cancelled'],
};

type Movable = Pick<Statuses, 'orderStatus'> & { readonly store: unknown };

/**
 * True if an operator may move an order, as far as statuses go; the use case checks the prescriptions. An order that its
 * patient collects at a store is never shipped: it goes from `ready` to `delivered`.
 */
export function canMoveOrder({ orderStatus: from, store }: Movable, to: OrderStatus): boolean {
  if (store === null) return ORDER_MOVES[from].includes(to);
  return to !== 'shipped' && (ORDER_MOVES[from].includes(to) || (from === 'ready' && to === 'delivered'));
}

const STOPS: readonly OrderStatus[] = ['quoted', 'delayed', 'shortage', 'cancelled'];

/** True if a move to this status brings an order closer to its patient. */
export const isFurther = (to: OrderStatus): boolean => !STOPS.includes(to);

const PAYMENT_MOVES: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  unpaid: ['credit', 'processing', 'in_process', 'paid'],
  credit: ['paid'],
  paid: [],
  in_process: ['paid', 'rejected'],
  processing: ['in_process', 'paid', 'rejected'],
  rejected: ['unpaid', 'processing'],
};

const LAST_STATUSES: readonly PaymentStatus[] = ['unpaid', 'rejected', 'paid'];

/** True if an operator may move a payment. That of a cancelled order may still fail, or arrive and then be refunded. */
export const canMovePayment = ({ orderStatus, paymentStatus: from }: Statuses, to: PaymentStatus): boolean =>
  PAYMENT_MOVES[from].includes(to) && (orderStatus !== 'cancelled' || LAST_STATUSES.includes(to));

const FOLIO_DIGITS = 8;

/** Returns the folio of an order id: `RX-00000042`, at most 19 of the interface's 20 characters. */
export const formatFolio = (orderId: number): string => `RX-${String(orderId).padStart(FOLIO_DIGITS, '0')}`;

/** Accepts folios and plain ids. */
export function parseFolio(text: string): number | undefined {
  const [, id] = /^(?:RX-)?0*([1-9]\d{0,14})$/i.exec(text) ?? [];
  return id === undefined ? undefined : Number(id);
}
