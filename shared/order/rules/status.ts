import { type Cents, sumCents } from '../../domain/money.ts';
import type { Role } from '../../people/rules/roles.ts';

/** Values of `order_status`, exact and in the order of the interface. */
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

/** Values of `payment_status`, exact and in the order of the interface. */
export const PAYMENT_STATUSES = ['unpaid', 'credit', 'paid', 'in_process', 'processing', 'rejected'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** Values of `patient_order_status`, exact and in the order of the interface. */
export const PATIENT_ORDER_STATUSES = ['in_process', 'shipped', 'delivered', 'cancelled'] as const;
export type PatientOrderStatus = (typeof PATIENT_ORDER_STATUSES)[number];

/** Values of `insurance_refund_status`, exact and in the order of the interface; an order begins with the first. */
export const INSURANCE_REFUND_STATUSES = [
  'not_started',
  'missing_data',
  'sent_to_broker',
  'sent_to_insurer',
  'approved_by_insurer',
] as const;

/** True if an order waits for nobody any more. */
export const isFinished = (status: OrderStatus): boolean => status === 'delivered' || status === 'cancelled';

/** The payment of an order: its status, and when it was paid. */
type Payment = { readonly paymentStatus: PaymentStatus; readonly paymentDate: string | null };

/**
 * Returns the payment with which an order of this total begins at an instant, and begins again when a change makes it cost
 * something or nothing: nothing is collected of a total of 0, which is paid at once; else it is what its method says.
 */
export const startPayment = (totalCents: Cents, initial: PaymentStatus, at: string): Payment =>
  totalCents === 0 ? { paymentStatus: 'paid', paymentDate: at } : { paymentStatus: initial, paymentDate: null };

type Statuses = { readonly orderStatus: OrderStatus; readonly paymentStatus: PaymentStatus };

/** The statuses of a refund; `requested`: the payment provider was asked, and its answer is not recorded yet. */
export const REFUND_STATUSES = ['requested', 'pending', 'failed', 'succeeded'] as const;

type ProvidedRefund = { readonly provided?: { readonly status: (typeof REFUND_STATUSES)[number] } };

/** Money that was paid back of an order; `provided` if the payment provider gives it, `isSurplus` if it came beside the total. */
export type Refund = ProvidedRefund & { readonly cents: Cents; readonly isSurplus?: true };

/** The part of an order that says what was paid back of it. */
type Refunded = { readonly refunds?: readonly Refund[] };

/** Returns how a refund stands for who waits for it; what an operator gave back by hand has gone back. */
export function getRefundStatus({ provided }: ProvidedRefund): 'pending' | 'succeeded' | 'failed' {
  if (!provided) return 'succeeded';
  return provided.status === 'requested' ? 'pending' : provided.status;
}

/** True unless the payment provider failed to give a refund. */
export const isGivenBack = ({ provided }: ProvidedRefund): boolean => provided?.status !== 'failed';

/** True if an operator gave a refund, or the payment provider has accepted to give it: then it is to be credited. */
export const isRefundAccepted = (refund: ProvidedRefund): boolean =>
  isGivenBack(refund) && refund.provided?.status !== 'requested';

/** Returns all that was given back of an order, with what had come beside its total. */
export const sumGivenBack = ({ refunds = [] }: Refunded): Cents =>
  sumCents(refunds.filter(isGivenBack).map(({ cents }) => cents));

/** Returns what was paid back of the sale of an order. */
export const sumRefunds = ({ refunds = [] }: Refunded): Cents =>
  sumGivenBack({ refunds: refunds.filter(({ isSurplus }) => !isSurplus) });

/**
 * Returns the status that the patient sees: shipped, delivered and cancelled as they are, everything else `in_process`.
 */
export function patientOrderStatus(status: OrderStatus): PatientOrderStatus {
  return PATIENT_ORDER_STATUSES.find((told) => told === status) ?? 'in_process';
}

/** Returns the status of a new order: a pharmacist approves it first if a line requires a prescription (LGS art. 226). */
export const firstOrderStatus = (
  lines: readonly { readonly requiresPrescription: boolean }[],
): 'pending_approval' | 'approved' =>
  lines.some(({ requiresPrescription }) => requiresPrescription) ? 'pending_approval' : 'approved';

/** Returns the first approval of an order after a move: null while it waits for it, absent if it never waited. */
export function markApproved(approvedAt: string | null | undefined, to: OrderStatus, time: string) {
  if (to === 'pending_approval') return { approvedAt: approvedAt ?? null };
  return to === 'approved' && approvedAt === null ? { approvedAt: time } : {};
}

const CANCELLABLE: readonly OrderStatus[] = ['quoted', 'pending_approval', 'approved', 'shortage'];

/** True if a client may cancel: production and dispatch have not begun (rule of the interface). */
export function isCancellable(status: OrderStatus): boolean {
  return CANCELLABLE.includes(status);
}

/** True if a client may send prescriptions: the order waits for approval. */
export const canAddPrescriptions = (status: OrderStatus): boolean => status === 'pending_approval';

const CHANGEABLE_STATUSES: readonly OrderStatus[] = ['quoted', 'approved'];

/** True if a client may replace the products (rule of the interface). */
export function canChangeDetails(status: OrderStatus): boolean {
  return CHANGEABLE_STATUSES.includes(status);
}

/** A user, and the user who placed an order. */
type Parties = {
  readonly user: { readonly id: number; readonly role: Role };
  readonly placedBy: { readonly id: number };
};

/** True if a user answers for the credit of an order: they placed it, or are an employee of the client. */
export const answersForCredit = ({ user, placedBy }: Parties): boolean =>
  user.role === 'insurance_employee' || user.id === placedBy.id;

const UNPAID_STATUSES: readonly PaymentStatus[] = ['unpaid', 'rejected'];

/**
 * True if the sum of an order may still change: nobody has paid it or is paying it. The sum of an order on credit is
 * changed by those who answer for it.
 */
export const canChangeSum = (status: PaymentStatus, parties: Parties): boolean =>
  UNPAID_STATUSES.includes(status) || (status === 'credit' && answersForCredit(parties));

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

/**
 * True if an operator may move an order from one status to another; staying is not a move. The use case checks that
 * prescriptions are verified before `approved` and `in_process`.
 */
export function canMoveOrder(from: OrderStatus, to: OrderStatus): boolean {
  return ORDER_MOVES[from].includes(to);
}

const STOPS: readonly OrderStatus[] = ['quoted', 'delayed', 'shortage', 'cancelled'];

/** True if a move to this status takes an order further, towards its patient; the others stop it or take it back. */
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

/**
 * True if an operator may move the payment of an order from one status to another; staying is not a move. A payment of a
 * cancelled order can only fail any more, or come all the same, and is then to go back.
 */
export function canMovePayment({ orderStatus, paymentStatus: from }: Statuses, to: PaymentStatus): boolean {
  return PAYMENT_MOVES[from].includes(to) && (orderStatus !== 'cancelled' || LAST_STATUSES.includes(to));
}

const FOLIO_DIGITS = 8;

/** Returns the folio of an order id: `RX-00000042`, at most 19 of the interface's 20 characters. */
export function formatFolio(orderId: number): string {
  return `RX-${String(orderId).padStart(FOLIO_DIGITS, '0')}`;
}

/** Returns the order id of a folio, or of an id as it is; undefined for any other text. */
export function parseFolio(text: string): number | undefined {
  const [, id] = /^(?:RX-)?0*([1-9]\d{0,14})$/i.exec(text) ?? [];
  return id === undefined ? undefined : Number(id);
}
