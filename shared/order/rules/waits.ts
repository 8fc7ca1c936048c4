import { localDate } from '../../domain/working-day.ts';
import { listOpenActions } from '../../invoices/rules/invoice-status.ts';
import { isRefundDue, isWhollyRefunded } from '../../payments/rules/refunds.ts';
import { findUncovered, hasExpired } from '../../prescriptions/rules/prescription.ts';
import { canAddPrescriptions, type OrderStatus, type PaymentStatus } from './status.ts';

/**
 * The things that an order may wait for: a `prescription` while there is none to verify, the `verification` of one, its `approval`,
 * `stock`, `preparation`, `shipment` and `receipt`, or its end once it is `refunded`; and whatever its step is, its `payment`, a
 * `refund`, and an act on its `invoice`.
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

/** The part of an order that says what it waits for. */
type Waiting = Parameters<typeof listOpenActions>[0] &
  Parameters<typeof isRefundDue>[0] & {
    readonly lines: Parameters<typeof findUncovered>[0];
    readonly prescriptions: readonly (Parameters<typeof findUncovered>[1][number] & { readonly rejection: unknown })[];
    readonly paymentMethod: { readonly collection?: unknown };
  };

/** Returns what an order waits for on the shop's local date `today`, its next step first; nothing if it is done. */
export const listWaits = (order: Waiting, today: string): OrderWait[] => [
  ...listSteps(order, today),
  ...(isPaymentAwaited(order) ? (['payment'] as const) : []),
  ...(isRefundDue(order) ? (['refund'] as const) : []),
  ...(listOpenActions(order).length > 0 ? (['invoice'] as const) : []),
];

/** The things that an order waits for until a local date (`YYYY-MM-DD`), which is included; null is for good. */
type WaitStep = { readonly until: string | null; readonly waits: readonly OrderWait[] };

// Comes after every date.
const END_OF_TIME = '~';

/**
 * Returns what an order waits for on every date from the first on, while nobody changes it. Time alone changes it only where
 * a prescription expires, after its last day.
 */
export function listWaitSteps(order: Waiting): WaitStep[] {
  const lastDays = [...new Set(order.prescriptions.flatMap(({ expiringDate }) => expiringDate ?? []))].sort();
  const steps: WaitStep[] = [
    ...lastDays.map((until) => ({ until, waits: listWaits(order, until) })),
    { until: null, waits: listWaits(order, END_OF_TIME) },
  ];
  return steps.filter(({ waits }, index) => waits.join() !== steps[index + 1]?.waits.join());
}

/** Returns what an order with these steps waits for on the shop's local date `today`. */
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

// Their next step needs every prescription verified (LGS art. 226).
const PRESCRIBED: readonly OrderStatus[] = ['quoted', 'pending_approval', 'approved'];

function listSteps(order: Waiting, today: string): OrderWait[] {
  const step = STEPS[order.orderStatus];
  if (step === undefined) return [];
  if (isWhollyRefunded(order)) return ['refunded'];
  const { lines, prescriptions, paymentMethod } = order;
  if (!PRESCRIBED.includes(order.orderStatus) || findUncovered(lines, prescriptions, today).length === 0) {
    // An order that is collected online is prepared once it is paid.
    const isForPayment = order.orderStatus === 'approved' && paymentMethod.collection !== undefined;
    return isForPayment && isPaymentAwaited(order) ? [] : [step];
  }
  const isVerifiable = prescriptions.some((each) => each.rejection === null && !hasExpired(each, today));
  return [isVerifiable ? 'verification' : 'prescription'];
}

const AWAITED: readonly PaymentStatus[] = ['unpaid', 'processing', 'in_process', 'rejected'];

const isPaymentAwaited = ({ orderStatus, paymentStatus }: Pick<Waiting, 'orderStatus' | 'paymentStatus'>): boolean =>
  orderStatus !== 'cancelled' && AWAITED.includes(paymentStatus);

/** The part of an order that says by when it has to be dealt with; dates are UTC instants. */
type Promised = {
  readonly orderStatus: OrderStatus;
  readonly expectedDeliveryDate: string | null;
  readonly maxDeliveryDate: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/**
 * Returns the instant by which an open order has to be dealt with: when its delivery is expected, or once it is on its way,
 * when it must be there at the latest. Without a promise it is the instant of its creation, and for a cancelled order, whose
 * refund waits, that of its last change.
 */
export function getDueAt(order: Promised): string {
  const { expectedDeliveryDate: expected, maxDeliveryDate: latest, createdAt, updatedAt } = order;
  if (order.orderStatus === 'cancelled') return updatedAt;
  return (order.orderStatus === 'shipped' ? (latest ?? expected) : (expected ?? latest)) ?? createdAt;
}

// Nothing else can go on before these are done, so that they do not wait for the day of the delivery.
const DUE_AT_ONCE: readonly OrderWait[] = ['verification', 'approval'];

type Due = { readonly orderStatus: OrderStatus; readonly waits: readonly OrderWait[]; readonly dueAt: string };

/**
 * True if somebody has to deal with an order on the shop's local date `today`: at once while it waits for verification or
 * approval, or for a prescription that its client cannot send, else from the day of `dueAt` on (see `getDueAt`). An order that
 * waits for nothing is never due.
 */
export function isDueOn({ orderStatus, waits, dueAt }: Due, today: string, timeZone: string): boolean {
  if (waits.some((wait) => DUE_AT_ONCE.includes(wait))) return true;
  if (waits.includes('prescription') && !canAddPrescriptions(orderStatus)) return true;
  return waits.length > 0 && localDate(new Date(dueAt), timeZone) <= today;
}
