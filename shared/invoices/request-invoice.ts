import type { UserCaller } from '../access/authenticate.ts';
import { reserveLoginTry } from '../access/login-attempts.ts';
import type { InvoicingChoice } from '../api/orders/invoices.ts';
import type { Invoicing } from '../api/people/addresses.ts';
import { Refusal, refuseInvalid, unavailable, type ValidationError } from '../domain/refusal.ts';
import { isPatientErased, type Order, toViewer } from '../order/order.ts';
import { replaceOrderWrites } from '../order/order-writes.ts';
import { findOrder, nextVersion } from '../order/orders.ts';
import { invoiceLimitRefusal } from '../order/user-limits.ts';
import { invoicingWrite, patientWrites } from '../people/patients.ts';
import { parseInvoicing, toInvoicing, toPerson } from '../people/person.ts';
import { keepsRecords } from '../people/rules/roles.ts';
import { parseUser, type UserRecord } from '../people/users.ts';
import { retry } from '../runtime/async.ts';
import type { UserLimits } from '../runtime/config.ts';
import type { Ids } from '../store/ids.ts';
import { invoicingKey, userKey } from '../store/keys.ts';
import type { Table } from '../store/table.ts';
import { createAttempt, type InvoiceDeps } from './invoice-attempt.ts';
import { type IssueOutcome, issueInvoice } from './issue-document.ts';
import { invoiceRefusal } from './rules/invoice-status.ts';
import { validateReceiver } from './rules/tax-id.ts';

type Requesting = {
  readonly id: number;
  readonly receiver: InvoicingChoice;
  /** The receiver's path in the request body, for validation errors. */
  readonly receiverPath: ValidationError['path'];
  readonly caller: UserCaller;
  readonly sourceAddress: string;
  readonly now: Date;
};
type Deps = InvoiceDeps & { readonly ids: Ids; readonly limits: UserLimits };

// After a conflict, the rules are checked again on the fresh order.
const TRIES = 5;

/**
 * Issues the invoice of an existing order. The receiver is stored before the provider is called, so that an unknown outcome
 * can be looked up, and among the patient's records unless a doctor sent it. Throws Refusal `unavailable` if nothing is known
 * to be issued; another request never makes a second invoice.
 */
export async function requestInvoice(requesting: Requesting, deps: Deps): Promise<Order> {
  const order = await recordRequest(requesting, deps);
  const act = { by: { user: requesting.caller.user.id }, now: requesting.now };
  const issuing = await issueInvoice(order, 'told to the caller', act, deps);
  if (issuing.outcome === 'issued') return issuing.order;
  throw toIssueRefusal(issuing, requesting);
}

async function recordRequest(requesting: Requesting, deps: Deps): Promise<Order> {
  const order = await retry({ tries: TRIES, longestPauseMs: 0 }, async () => {
    const { after, writes } = await prepareRequest(requesting, deps);
    return (await deps.table.tryTransact(writes)) ? after : undefined;
  });
  if (!order) throw new Refusal('order_changed_meanwhile');
  return order;
}

async function prepareRequest(requesting: Requesting, deps: Deps) {
  const { table, business, limits } = deps;
  const { id, caller, now } = requesting;
  const limiting = invoiceLimitRefusal(table, { caller, limits, now, orderId: id });
  limiting.catch(() => undefined);
  const clientId = caller.client.id;
  const [before, actor] = await Promise.all([
    findOrder(table, { clientId, id, viewer: toViewer(caller.user) }),
    caller.confirmed,
  ]);
  // An erased order takes no personal data again.
  if (!before || isPatientErased(before)) throw new Refusal('not_found');
  const refusal = invoiceRefusal(before, now, business.timeZone);
  if (refusal) throw new Refusal(refusal);
  const [invoicing, patient, tooMany] = await Promise.all([
    prepareReceiver(requesting, before, actor, deps),
    getPatient(before, table),
    limiting,
  ]);
  if (tooMany) throw tooMany;
  return buildRequestWrites(before, requesting, { invoicing, patient, actor });
}

async function prepareReceiver(
  requesting: Requesting,
  order: Order,
  actor: UserRecord,
  deps: Deps,
): Promise<Invoicing> {
  const { receiver, receiverPath: path, now } = requesting;
  if (typeof receiver === 'number') return findReceiver(receiver, requesting, order, actor, deps.table);
  refuseInvalid(validateReceiver(receiver, path));
  const [id] = (await deps.ids.take('record', 1)) as [number];
  const time = now.toISOString();
  return toInvoicing(receiver, id, { created_at: time, updated_at: time, updated_by: actor.id });
}

/** Patients and employees may name a stored receiver. An unknown id counts as a wrong password, against guessing ids. */
async function findReceiver(
  id: number,
  { receiverPath: path, caller, sourceAddress, now }: Requesting,
  { clientId, patient }: Order,
  actor: UserRecord,
  table: Table,
): Promise<Invoicing> {
  const item = keepsRecords(actor) ? await table.get(invoicingKey(clientId, patient.id, id)) : undefined;
  if (item) return parseInvoicing(item);
  await reserveLoginTry(table, { client: caller.client.id, email: actor.email, sourceAddress }, now);
  throw new Refusal('invalid_input', { errors: [{ path, code: 'invoicing_unknown', values: { invoicing: id } }] });
}

async function getPatient({ clientId, patient }: Order, table: Table): Promise<UserRecord> {
  const item = await table.get(userKey(clientId, patient.id));
  if (!item) throw new Refusal('not_found');
  return parseUser(item);
}

type Parties = { readonly invoicing: Invoicing; readonly patient: UserRecord; readonly actor: UserRecord };

function buildRequestWrites(before: Order, { receiver, now }: Requesting, { invoicing, patient, actor }: Parties) {
  const time = now.toISOString();
  const isNewRecord = keepsRecords(actor) && typeof receiver !== 'number';
  const defaultInvoicing = patient.defaultInvoicing ?? (isNewRecord ? invoicing.id : null);
  const others = (before.invoiceRequests ?? []).filter(({ userId }) => userId !== actor.id);
  const changes = {
    patient: { ...before.patient, defaultInvoicing },
    invoicing,
    invoice: createAttempt(before, now),
    invoiceRequests: [...others, { userId: actor.id, at: time }],
    updatedBy: toPerson(actor),
    updatedAt: time,
  };
  const after = nextVersion(before, { ...before, ...changes });
  const act = { by: { user: actor.id }, now };
  const writes = [
    ...replaceOrderWrites(before, after, act, { what: 'invoice_requested' }),
    ...patientWrites(patient, { ...patient, defaultInvoicing }, time),
    ...(isNewRecord ? [invoicingWrite(patient, invoicing)] : []),
  ];
  return { after, writes };
}

/** A refusal that names no field of the receiver is an error of ours. */
function toIssueRefusal(issuing: Exclude<IssueOutcome, { outcome: 'issued' }>, { receiverPath }: Requesting): unknown {
  if (issuing.outcome === 'failed') return issuing.cause;
  if (issuing.outcome !== 'refused') return unavailable({ retryAfterSeconds: toRetryAfter(issuing) });
  const { errors, cause } = issuing;
  const placed = errors.map(({ field, ...message }) => ({ ...message, path: [...receiverPath, field] }));
  return errors.length > 0 ? new Refusal('invalid_input', { errors: placed, cause }) : cause;
}

const RETRY_AFTER_SECONDS = 5;

const toRetryAfter = (issuing: Extract<IssueOutcome, { outcome: 'unavailable' | 'unknown' }>): number =>
  (issuing.outcome === 'unavailable' && issuing.retryAfterSeconds) || RETRY_AFTER_SECONDS;
