import type { InvoicingChoice } from '../../api/invoices.ts';
import { invoiceRefusal } from '../../domain/invoices/order-invoice.ts';
import { validateReceiver } from '../../domain/invoices/tax-id.ts';
import { Refusal, refuseInvalid, unavailable, type ValidationError } from '../../domain/refusal.ts';
import type { Ids } from '../../store/ids.ts';
import { invoicingKey, userKey } from '../../store/keys.ts';
import { changeInvoiceWrites, isCommitted } from '../../store/orders/order-writes.ts';
import { findOrder, type Order, personOf, viewerOf } from '../../store/orders/orders.ts';
import { type InvoicingRecord, invoicingRecord } from '../../store/people/addresses.ts';
import { invoicingWrite, patientWrites } from '../../store/people/patients.ts';
import { type UserRecord, userOfItem } from '../../store/people/users.ts';
import type { Table, Write } from '../../store/table.ts';
import type { UserCaller } from '../access/authenticate.ts';
import { actorOf } from '../orders/order-people.ts';
import { invoicingRecordOf } from '../orders/sent-records.ts';
import { answerBy, attemptOf, type InvoiceDeps, type Issuing, issueInvoice } from './issue-invoice.ts';

type Requesting = {
  readonly id: number;
  readonly receiver: InvoicingChoice;
  /** Where the receiver stands in the request, for its errors. */
  readonly receiverPath: ValidationError['path'];
  readonly caller: UserCaller;
  readonly now: Date;
};
type Deps = InvoiceDeps & { readonly ids: Ids };

// Whoever changes the order meanwhile is done after one of these, and the rules are asked anew.
const TRIES = 5;

/**
 * Issues the invoice of an order that is there already. The receiver is kept with the order and among the patient's
 * records before the provider is called, as on creation, so that what it says can be settled later. Refused with
 * `unavailable` when nothing is known to have been issued: asking again never makes a second invoice.
 */
export async function requestInvoice(requesting: Requesting, deps: Deps): Promise<Order> {
  const deadline = answerBy();
  const order = await recordRequest(requesting, deps);
  const issuing = await issueInvoice(order, { now: requesting.now, deadline }, deps);
  if (issuing.outcome === 'issued') return issuing.order;
  throw refusalOf(issuing, requesting);
}

async function recordRequest(requesting: Requesting, deps: Deps): Promise<Order> {
  for (let tries = 0; tries < TRIES; tries++) {
    const { after, writes } = await requested(requesting, deps);
    if (await isCommitted(deps.table, writes)) return after;
  }
  throw new Refusal('order_changed_meanwhile');
}

async function requested(requesting: Requesting, { table, ids, business }: Deps) {
  const { id, caller, now } = requesting;
  const clientId = caller.client.id;
  const [before, actorItem] = await Promise.all([
    findOrder(table, { clientId, id, viewer: viewerOf(caller.user) }),
    table.get(userKey(clientId, caller.user.id)),
  ]);
  const actor = actorOf(actorItem);
  if (!before) throw new Refusal('not_found');
  const refusal = invoiceRefusal(before, now, business.timeZone);
  if (refusal) throw new Refusal(refusal);
  const [invoicing, patient] = await Promise.all([
    receiverOf(requesting, before, actor, { table, ids }),
    patientOf(before, table),
  ]);
  return requestWrites({ before, invoicing, patient, actor, now });
}

/** The record of the receiver: the stored one of this patient, or a new one. */
async function receiverOf(
  { receiver, receiverPath: path, now }: Requesting,
  { clientId, patient }: Order,
  actor: UserRecord,
  { table, ids }: { readonly table: Table; readonly ids: Ids },
): Promise<InvoicingRecord> {
  if (typeof receiver === 'number') {
    const stored = await table.get(invoicingKey(clientId, patient.id, receiver));
    if (!stored) refuseInvalid([{ path, code: 'invoicing_unknown', values: { invoicing: receiver } }]);
    return invoicingRecord.parse(stored);
  }
  refuseInvalid(validateReceiver(receiver, path));
  const [id] = (await ids.take('record', 1)) as [number];
  const time = now.toISOString();
  return invoicingRecordOf(receiver, id, { createdAt: time, updatedAt: time, updatedBy: actor.id });
}

async function patientOf({ clientId, patient }: Order, table: Table): Promise<UserRecord> {
  const item = await table.get(userKey(clientId, patient.id));
  // Erased since: there is nobody left to invoice to.
  if (!item) throw new Refusal('not_found');
  return userOfItem(item);
}

type Requested = {
  readonly before: Order;
  readonly invoicing: InvoicingRecord;
  readonly patient: UserRecord;
  readonly actor: UserRecord;
  readonly now: Date;
};

function requestWrites({ before, invoicing, patient, actor, now }: Requested): { after: Order; writes: Write[] } {
  const time = now.toISOString();
  // The first becomes the default; later ones do not replace it.
  const defaultInvoicing = patient.defaultInvoicing ?? invoicing.id;
  const after: Order = {
    ...before,
    patient: { ...before.patient, defaultInvoicing },
    invoicing,
    invoice: attemptOf(before, now),
    updatedBy: personOf(actor),
    updatedAt: time,
    version: before.version + 1,
  };
  const writes = [
    ...changeInvoiceWrites(before, after),
    ...patientWrites(patient, { ...patient, defaultInvoicing }, time),
    invoicingWrite(patient, invoicing),
  ];
  return { after, writes };
}

/** A refusal of what the receiver did not send is a defect of ours. */
function refusalOf(issuing: Exclude<Issuing, { outcome: 'issued' }>, { receiverPath }: Requesting): unknown {
  if (issuing.outcome !== 'refused') return unavailable({ retryAfterSeconds: 5 });
  const { errors, cause } = issuing;
  const placed = errors.map(({ field, ...message }) => ({ ...message, path: [...receiverPath, field] }));
  return errors.length > 0 ? new Refusal('invalid_input', { errors: placed, cause }) : cause;
}
