import { localDate } from '../../domain/working-day.ts';
import { listOpenActions } from '../../invoices/rules/invoice-status.ts';
import { isRefundDue, isWhollyRefunded } from '../../payments/rules/payment-exceptions.ts';
import { findUncovered, hasExpired, isThreat } from '../../prescriptions/rules/prescription.ts';
import { canAddPrescriptions, type OrderStatus, type PaymentStatus } from './status.ts';

/**
 * The waits of an order: `prescription` while none can be verified, `refunded` for its end after a full refund;
 * `payment`, `refund` and an act on its `invoice` whatever its step.
 */
export const ORDER_WAITS = [
  'prescription',
  'verification',
  'approval',
  'stock',
  'preparation',
  'shipment',
  'receipt',
  'refunded',
  'payment',
  'refund',
  'invoice',
] as const;
export type OrderWait = (typeof ORDER_WAITS)[number];

type Waiting = Parameters<typeof listOpenActions>[0] &
  Parameters<typeof isRefundDue>[0] & {
    readonly lines: Parameters<typeof findUncovered>[0];
    readonly prescriptions: readonly (Parameters<typeof findUncovered>[1][number] & { readonly rejection: unknown })[];
    readonly paymentMethod: { readonly collection?: unknown };
    readonly store: unknown;
  };

/** Returns what an order waits for on the shop's local date `today`, the next step first; nothing if it is done. */
export const listWaits = (order: Waiting, today: string): OrderWait[] => [
  ...listSteps(order, today),
  ...(isPaymentAwaited(order) ? (['payment'] as const) : []),
  ...(isRefundDue(order) ? (['refund'] as const) : []),
  ...(listOpenActions(order).length > 0 ? (['invoice'] as const) : []),
];

/** Valid through a local date (`YYYY-MM-DD`), or for good if null. */
type WaitStep = { readonly until: string | null; readonly waits: readonly OrderWait[] };

// Sorts after every date.
const END_OF_TIME = '~';

/** Returns what an order waits for on each date while nobody changes it: only the expiry of a prescription makes a difference. */
export function listWaitSteps(order: Waiting): WaitStep[] {
  const lastDays = [...new Set(order.prescriptions.flatMap(({ expiringDate }) => expiringDate ?? []))].sort();
  const steps: WaitStep[] = [
    ...lastDays.map((until) => ({ until, waits: listWaits(order, until) })),
    { until: null, waits: listWaits(order, END_OF_TIME) },
  ];
  return steps.filter(({ waits }, index) => waits.join() !== steps[index + 1]?.waits.join());
}

export const findWaits = (steps: readonly WaitStep[], today: string): readonly OrderWait[] =>
  steps.find(({ until }) => until === null || today <= until)?.waits ?? [];

const STEPS: Readonly<Partial<Record<OrderStatus, OrderWait>>> = {
  quoted: 'approval',
  pending_approval: 'approval',
  approved: 'preparation',
  shortage: 'stock',
  in_process: 'preparation',
  delayed: 'preparation',
  ready: 'shipment',
  shipped: 'receipt',
};

// Their next step requires that every prescription is verified (LGS art. 226).
const PRESCRIBED: readonly OrderStatus[] = ['quoted', 'pending_approval', 'approved'];

function listSteps(order: Waiting, today: string): OrderWait[] {
  const step = STEPS[order.orderStatus];
  if (step === undefined) return [];
  if (isWhollyRefunded(order)) return ['refunded'];
  if (order.orderStatus === 'ready' && order.store !== null) return ['receipt'];
  const { lines, prescriptions, paymentMethod } = order;
  if (!PRESCRIBED.includes(order.orderStatus) || findUncovered(lines, prescriptions, today).length === 0) {
    // An order collected online is prepared once it is paid.
    const isForPayment = order.orderStatus === 'approved' && paymentMethod.collection !== undefined;
    return isForPayment && isPaymentAwaited(order) ? [] : [step];
  }
  const isVerifiable = prescriptions.some(
    (item) => item.rejection === null && !isThreat(item) && !hasExpired(item, today),
  );
  return [isVerifiable ? 'verification' : 'prescription'];
}

const AWAITED: readonly PaymentStatus[] = ['unpaid', 'processing', 'in_process', 'rejected'];

const isPaymentAwaited = ({ orderStatus, paymentStatus }: Pick<Waiting, 'orderStatus' | 'paymentStatus'>): boolean =>
  orderStatus !== 'cancelled' && AWAITED.includes(paymentStatus);

type Promised = {
  readonly orderStatus: OrderStatus;
  readonly expectedDeliveryDate: string | null;
  readonly maxDeliveryDate: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/**
 * Returns the instant by which an order needs attention: its expected delivery, or the latest once it is shipped, or its
 * creation without either; for a cancelled order, whose refund waits, its last change.
 */
export function getDueAt(order: Promised): string {
  const { expectedDeliveryDate: expected, maxDeliveryDate: latest, createdAt, updatedAt } = order;
  if (order.orderStatus === 'cancelled') return updatedAt;
  return (order.orderStatus === 'shipped' ? (latest ?? expected) : (expected ?? latest)) ?? createdAt;
}

// The work of the pharmacy; what waits for money or the patient is due on its day.
const DUE_AT_ONCE: readonly OrderWait[] = ['verification', 'approval', 'preparation', 'shipment', 'refund'];

type Due = { readonly orderStatus: OrderStatus; readonly waits: readonly OrderWait[]; readonly dueAt: string };

/**
 * True if an order needs attention on the shop's local date `today`: at once while it waits for the pharmacy, or for a
 * prescription that its client cannot send, else from the day of `dueAt`.
 */
export function isDueOn({ orderStatus, waits, dueAt }: Due, today: string, timeZone: string): boolean {
  if (waits.some((wait) => DUE_AT_ONCE.includes(wait))) return true;
  if (waits.includes('prescription') && !canAddPrescriptions(orderStatus)) return true;
  return waits.length > 0 && localDate(new Date(dueAt), timeZone) <= today;
}
