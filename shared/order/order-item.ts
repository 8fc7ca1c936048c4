import { isDeepStrictEqual } from 'node:util';
import { storedPerson, toPerson } from '../people/person.ts';
import { orderKey } from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import type { Item } from '../store/table.ts';
import { listViewers, type Order, storedOrder } from './order.ts';
import type { Actor, OrderEvent, OrderLine, OrderPrescription } from './order-parts.ts';
import { packPayment, unpackPayment } from './stored-payment.ts';

/** The places of the fields in a stored line. A new field takes the next place; older orders then have none there. */
const LINE_PLACES = {
  id: 0,
  productId: 1,
  quantity: 2,
  priceCents: 3,
  subtotalCents: 4,
  discountCents: 5,
  ivaCents: 6,
  totalCents: 7,
  name: 8,
  presentation: 9,
  eanKey: 10,
  satKey: 11,
  satUnit: 12,
  ivaRateMicros: 13,
  requiresPrescription: 14,
  defaultImage: 15,
  isAntibiotic: 16,
  sanitaryFraction: 17,
} as const satisfies Record<keyof OrderLine, number>;
const LINE_FIELDS = Object.entries(LINE_PLACES) as [keyof OrderLine, number][];

function packLine(line: OrderLine): unknown[] {
  const values: unknown[] = [];
  for (const [field, place] of LINE_FIELDS) values[place] = line[field];
  return values;
}

const unpackLine = (values: readonly unknown[]): Item =>
  Object.fromEntries(LINE_FIELDS.map(([field, place]) => [field, values[place]]));

/**
 * Returns the item of an order, which is read and replaced as a whole. It names the viewers of the order, so that
 * ownership is part of the query. A person who stands in it twice is stored once.
 *
 * With 5 lines it has 2.8 KB; with the names of fields in each line and every copy of a person it had 4.1 KB. Each KB costs
 * 2 write units whenever the order changes, and beyond 4 KB a page of 20 orders costs 20 read units more.
 */
export function toOrderItem(order: Order): Item {
  const { lines, history, prescriptions, generatedBy, updatedBy, payment, ...rest } = order;
  const operators = listOperators(order);
  return toItem(orderKey(order.clientId, order.id), {
    ...rest,
    ...(isDeepStrictEqual(generatedBy, toPerson(order.patient)) ? {} : { generatedBy }),
    ...(isDeepStrictEqual(updatedBy, generatedBy) ? {} : { updatedBy }),
    lines: lines.map(packLine),
    prescriptions: prescriptions.map((prescription) => packPrescription(prescription, operators)),
    history: packHistory(history, operators),
    ...(payment && { payment: packPayment(payment) }),
    ...(operators.length > 0 && { operators }),
    viewers: listViewers(order),
  });
}

const storedItem = storedOrder.extend({
  generatedBy: storedPerson.optional(),
  updatedBy: storedPerson.optional(),
});

/** Parses a stored order, 50 lines of it in some 0.1 ms on two busy cores. Throws InvalidItem. */
export function parseOrder(item: Item): Order {
  const lines = Array.isArray(item.lines) ? item.lines.map(unpackLine) : item.lines;
  const packed = { lines, prescriptions: unpackPrescriptions(item), history: unpackHistory(item) };
  const collected = item.payment === undefined ? {} : { payment: unpackPayment(item.payment) };
  const order = parseItem(storedItem, { ...item, ...packed, ...collected }, 'order');
  const { generatedBy = toPerson(order.patient), updatedBy = generatedBy } = order;
  return { ...order, generatedBy, updatedBy };
}

const unpackPrescriptions = ({ prescriptions, operators = [] }: Item): unknown =>
  Array.isArray(prescriptions) && Array.isArray(operators)
    ? prescriptions.map((prescription) => unpackPrescription(prescription, operators))
    : prescriptions;

type Quantities = NonNullable<OrderPrescription['verification']>['lines'];

/**
 * Packs a prescription into values without names; an operator is its place among those of the order. With a verification for
 * five lines by somebody of IAM Identity Center it has 0.45 KB in place of 0.8.
 */
function packPrescription(prescription: OrderPrescription, operators: readonly string[]): unknown[] {
  const { verification, rejection, prescriber, pastRejections } = prescription;
  const packRejection = ({ at, by, reason }: NonNullable<typeof rejection>) => [at, operators.indexOf(by), reason];
  return [
    prescription.id,
    prescription.issueDate,
    prescription.expiringDate,
    prescription.documentKey,
    prescription.documentName,
    prescription.documentType,
    prescription.documentHash,
    prescription.createdAt,
    prescription.updatedAt,
    prescription.updatedBy,
    verification && [
      verification.at,
      operators.indexOf(verification.by),
      verification.isAgeAccepted ?? false,
      ...verification.lines.flatMap(({ productId, quantity }) => [productId, quantity]),
    ],
    rejection && packRejection(rejection),
    prescriber && [prescriber.name, prescriber.licence, prescriber.address],
    ...(pastRejections ? [pastRejections.map(packRejection)] : []),
  ];
}

/** Unpacks a stored prescription, which the schema of orders checks. */
function unpackPrescription(packed: unknown, operators: readonly unknown[]): unknown {
  if (!Array.isArray(packed)) return packed;
  const [id, issueDate, expiringDate, documentKey, documentName, documentType, documentHash, ...more] = packed;
  const [createdAt, updatedAt, updatedBy, verification, rejection, prescriber, pastRejections] = more;
  return {
    ...{ id, issueDate, expiringDate, documentKey, documentName, documentType, documentHash },
    verification: Array.isArray(verification) ? unpackVerification(verification, operators) : verification,
    rejection: Array.isArray(rejection) ? unpackRejection(rejection, operators) : rejection,
    prescriber: Array.isArray(prescriber) ? unpackPrescriber(prescriber) : prescriber,
    ...(Array.isArray(pastRejections) && {
      pastRejections: pastRejections.map((past) => unpackRejection(past, operators)),
    }),
    ...{ createdAt, updatedAt, updatedBy },
  };
}

function unpackVerification([at, by, isAgeAccepted, ...lines]: unknown[], operators: readonly unknown[]): Item {
  return {
    at,
    by: operators[Number(by)],
    lines: toQuantities(lines),
    ...(isAgeAccepted === true && { isAgeAccepted }),
  };
}

const toQuantities = (values: readonly unknown[]): Quantities =>
  Array.from({ length: values.length / 2 }, (_, index) => {
    return { productId: Number(values[2 * index]), quantity: Number(values[2 * index + 1]) };
  });

const unpackRejection = ([at, by, reason]: unknown[], operators: readonly unknown[]): Item => ({
  at,
  by: operators[Number(by)],
  reason,
});

const unpackPrescriber = ([name, licence, address]: unknown[]): Item => ({ name, licence, address });

/**
 * The values of an event by place: what, when in milliseconds, version, who, then from and to or the prescriptions; the reason
 * is by its name, as any event may have one.
 */
type PackedEvent = readonly (string | number | { readonly reason: string })[];

const JOB = 0;

/** Returns the operators who stand in an order, each once: it names them by their places, as an ARN is longer than an event. */
function listOperators({ history, prescriptions }: Pick<Order, 'history' | 'prescriptions'>): string[] {
  const judges = prescriptions.flatMap(({ verification, rejection, pastRejections = [] }) =>
    [verification, rejection, ...pastRejections].map((judgement) => judgement?.by ?? []),
  );
  return [...new Set([...history.flatMap(({ by }) => (isOperator(by) ? [by.operator] : [])), ...judges.flat()])];
}

/** Packs the history of an order. Who is the id of a user, 0 for a job, and -1, -2 and so on for the operators. */
function packHistory(history: readonly OrderEvent[], operators: readonly string[]): PackedEvent[] {
  const packActor = (by: Actor): number => {
    if (by === 'system') return JOB;
    return isOperator(by) ? -1 - operators.indexOf(by.operator) : by.user;
  };
  return history.map(({ what, at, version, by, from, to, prescriptions = [], reason }) => {
    const move = from === undefined || to === undefined ? [] : [from, to];
    const why = reason === undefined ? [] : [{ reason }];
    return [what, Date.parse(at), version, packActor(by), ...move, ...prescriptions, ...why];
  });
}

const isOperator = (by: Actor): by is Extract<Actor, { operator: string }> =>
  typeof by === 'object' && 'operator' in by;

/** Unpacks the history of a stored order, undefined if it was stored without one; the schema of orders checks it. */
function unpackHistory({ history, operators = [] }: Item): unknown {
  if (!Array.isArray(history) || !Array.isArray(operators)) return history;
  return history.map((event) => (Array.isArray(event) ? unpackEvent(event, operators) : event));
}

function unpackEvent([what, at, version, by, ...more]: unknown[], operators: readonly unknown[]): Item {
  const time = typeof at === 'number' ? new Date(at).toISOString() : undefined;
  return { what, at: time, version, by: unpackActor(by, operators), ...unpackDetails(more) };
}

function unpackActor(by: unknown, operators: readonly unknown[]): unknown {
  if (by === JOB) return 'system';
  return Number(by) < 0 ? { operator: operators[-1 - Number(by)] } : { user: by };
}

function unpackDetails(more: readonly unknown[]): Item {
  const reason = more.at(-1);
  if (typeof reason === 'object') return { ...unpackDetails(more.slice(0, -1)), ...reason };
  if (more.length === 0) return {};
  const [from, to] = more;
  return typeof from === 'string' ? { from, to } : { prescriptions: more };
}
