import type { Cents } from '../../domain/money.ts';
import { startOfNextMonth } from '../../domain/working-day.ts';
import type { RefusalCode } from '../../messages/refusals.ts';
import type { OrderStatus, PaymentStatus } from '../../order/rules/status.ts';
import { isAwaitingPayment, isInProgress, isMailWaiting, isUnpaidInMonth, type PaidOrder } from './document-life.ts';
import { INVOICE_ACTIONS, type InvoiceAction } from './document-values.ts';
import { type GlobalPlace, isSoldGlobally } from './global/global-sale.ts';
import { findReplacement, isComplementDue, isValid, isWhollyCredited } from './owed-documents.ts';
import { findRelated, listDocuments, type OrderDocuments, type TaskName, type TaxDocument } from './tax-document.ts';

export type InvoiceableOrder = {
  readonly orderStatus: OrderStatus;
  readonly paymentStatus: PaymentStatus;
  readonly totalCents: Cents;
  readonly cfdi: string;
  readonly invoice: TaxDocument | null;
  /** The global invoice that contains it, if any. */
  readonly global?: GlobalPlace | null;
  readonly documents?: readonly TaxDocument[];
  readonly createdAt: string;
};

/** Returns the reason why no invoice can be requested now (the API's "Limits"), or null. */
export const invoiceRefusal = (order: InvoiceableOrder, now: Date, timeZone: string): RefusalCode | null =>
  issueRefusal(order) ?? (isWithinWindow(order, now, timeZone) ? null : 'invoice_window_closed');

type IssueRefusal = Extract<
  RefusalCode,
  'order_cancelled' | 'order_invoiced' | 'invoice_in_progress' | 'nothing_to_invoice' | 'payment_rejected'
>;

/** Returns the reason why no invoice can be issued, even after the window, or null. */
export function issueRefusal({ documents = [], ...order }: InvoiceableOrder): IssueRefusal | null {
  if (order.orderStatus === 'cancelled') return 'order_cancelled';
  if (order.cfdi !== '' || isSoldGlobally({ ...order, documents })) return 'order_invoiced';
  if (isInProgress(order.invoice)) return 'invoice_in_progress';
  if (order.totalCents === 0) return 'nothing_to_invoice';
  return order.paymentStatus === 'rejected' ? 'payment_rejected' : null;
}

/** Returns why a document cannot be issued anew, or null. The invoice to be replaced does not forbid its replacement. */
export function documentRefusal(
  { kind, relatedUuid }: Pick<TaxDocument, 'kind' | 'relatedUuid'>,
  order: InvoiceableOrder,
): IssueRefusal | null {
  if (kind !== 'invoice') return null;
  return issueRefusal(relatedUuid === null ? order : { ...order, cfdi: '', invoice: null });
}

const INVOICE_WINDOW_MS = 72 * 60 * 60 * 1_000;

type Placed = Pick<InvoiceableOrder, 'createdAt' | 'global'>;

/** True up to 72 hours after the order was placed, within the same local month (the API's "Limits"). */
export const isWithinWindow = (order: Placed, now: Date, timeZone: string): boolean =>
  now <= getWindowEnd(order, timeZone);

function getWindowEnd({ createdAt }: Placed, timeZone: string): Date {
  const placedAt = new Date(createdAt);
  const endOfMonth = startOfNextMonth(placedAt, timeZone).getTime() - 1;
  return new Date(Math.min(placedAt.getTime() + INVOICE_WINDOW_MS, endOfMonth));
}

/** Returns the end of a job's attempts, for a first invoice outside of a global one; the other documents are obligations. */
export const getIssueEnd = (
  { kind, relatedUuid }: Pick<TaxDocument, 'kind' | 'relatedUuid'>,
  order: Placed,
  timeZone: string,
): Date | null => (kind === 'invoice' && relatedUuid === null && !order.global ? getWindowEnd(order, timeZone) : null);

/**
 * List statuses, the most urgent first; an order is listed once, under the first that its documents have: jobs' work,
 * operators' actions, then the rest. `awaiting_payment`: an issued invoice must be paid within its month. `refused`: needs no
 * action.
 */
export const INVOICE_LIST_STATUSES = [
  'mail_due',
  'requested',
  'retrying',
  'cancelling',
  ...INVOICE_ACTIONS,
  'cancellation_pending',
  'awaiting_payment',
  'issued',
  'refused',
  'cancelled',
] as const;
export type InvoiceListStatus = (typeof INVOICE_LIST_STATUSES)[number];

type Documented = PaidOrder &
  OrderDocuments & {
    readonly orderStatus: OrderStatus;
    readonly totalCents: Cents;
    readonly global?: GlobalPlace | null;
    /** SAT's c_FormaPago of its payment, and the attempt that collected it. */
    readonly paymentForm?: string | null;
    readonly payment?: { readonly paidBy: number | null };
  };

/** Returns an order's list status and the document that has it; null without documents. */
export function findListed(order: Documented): { status: InvoiceListStatus; document: TaxDocument } | null {
  const entries = listDocuments(order).flatMap((document) =>
    listStatuses(document, order).map((status) => ({ status, document })),
  );
  const [first] = entries.sort((a, b) => rankStatus(a.status) - rankStatus(b.status));
  return first ?? null;
}

const rankStatus = (status: InvoiceListStatus): number => INVOICE_LIST_STATUSES.indexOf(status);

export const getListStatus = (order: Documented): InvoiceListStatus | null => findListed(order)?.status ?? null;

const listStatuses = (document: TaxDocument, order: Documented): InvoiceListStatus[] => [
  ...(isMailWaiting(document) ? (['mail_due'] as const) : []),
  ...getOpenActions(document, order),
  ...(isAwaitingPayment(document, order) ? (['awaiting_payment'] as const) : []),
  toListStatus(document),
];

function toListStatus({ status }: TaxDocument): InvoiceListStatus {
  if (status === 'cancellation_rejected') return 'issued';
  return status === 'not_issued' ? 'refused' : status;
}

export const listOpenActions = (order: Documented): InvoiceAction[] => {
  const open = listDocuments(order).flatMap((document) => getOpenActions(document, order));
  return INVOICE_ACTIONS.filter((action) => open.includes(action));
};

export function getOpenActions(document: TaxDocument, order: Documented): InvoiceAction[] {
  const { status, mail, handled, issuedCents } = document;
  const isActive = isValid(document) && !isBeingReplaced(document, order);
  const isMailed = isValid(document) || status === 'cancelled';
  const isOpen: Readonly<Record<InvoiceAction, boolean>> = {
    not_issued: status === 'not_issued' && isOwed(document, order),
    total_differs: isActive && issuedCents !== undefined,
    form_differs: isActive && hasOtherForm(document, order),
    cancellation_rejected: status === 'cancellation_rejected',
    pue_unpaid: isActive && isUnpaidInMonth(document, order) && !isWhollyCredited(document, order),
    complement_due: isComplementDue(document, order),
    mail_unconfirmed: isMailed && mail === 'unconfirmed',
    mail_given_up: isMailed && mail === 'given_up',
  };
  return INVOICE_ACTIONS.filter((action) => isOpen[action] && !handled.includes(action));
}

/** True for a PUE invoice whose order the payment provider collected in another form. */
const hasOtherForm = (
  { kind, paymentMethod, paymentForm }: TaxDocument,
  { payment, paymentForm: paidIn }: Documented,
) => kind === 'invoice' && paymentMethod === 'PUE' && typeof payment?.paidBy === 'number' && paidIn !== paymentForm;

/** True while a job issues the replacement; if that fails, the actions reopen. */
const isBeingReplaced = ({ stamp }: TaxDocument, order: Documented): boolean => {
  const replacement = findReplacement(order);
  return replacement !== undefined && replacement.relatedUuid === stamp?.uuid;
};

/** False for an invoice that its order no longer needs, and for a document that relates to a cancelled invoice. */
function isOwed(document: TaxDocument, order: Documented): boolean {
  if (document.kind === 'invoice')
    return order.orderStatus !== 'cancelled' && order.totalCents > 0 && !isSoldGlobally(order);
  return findRelated(order, document)?.status !== 'cancelled';
}

/** `payment`: mark an invoice as unpaid in its month. */
export type DueTask = TaskName | 'payment';

function listTasks(document: TaxDocument, order: PaidOrder): { task: DueTask; dueAt: string }[] {
  const { issue, cancel, mail, archive } = document.tasks;
  const times: Readonly<Record<DueTask, string | null | undefined>> = {
    issue: issue?.dueAt,
    cancel: cancel?.dueAt,
    payment: isAwaitingPayment(document, order) ? document.payBy : null,
    mail: isMailWaiting(document) ? mail?.dueAt : null,
    archive: archive?.dueAt,
  };
  return Object.entries(times).flatMap(([task, dueAt]) => (dueAt ? { task: task as DueTask, dueAt } : []));
}

export const listDueTasks = (document: TaxDocument, order: PaidOrder, now: Date): DueTask[] =>
  listTasks(document, order)
    .filter(({ dueAt }) => dueAt <= now.toISOString())
    .map(({ task }) => task);

export const getNextDue = (order: PaidOrder & OrderDocuments): string | null =>
  listDocuments(order)
    .flatMap((document) => listTasks(document, order).map(({ dueAt }) => dueAt))
    .sort()[0] ?? null;

export const markHandled = (document: TaxDocument, actions: readonly InvoiceAction[]): TaxDocument => ({
  ...document,
  handled: [...document.handled, ...actions],
});
