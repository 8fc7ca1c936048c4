import type { Item } from '../table.ts';
import type { Order } from './order.ts';
import type { Actor, OrderEvent } from './order-parts.ts';

/**
 * The values of an event by place: what, when in milliseconds, version, who, then from and to or the prescriptions; the reason
 * is by its name, as any event may have one.
 */
type PackedEvent = readonly (string | number | { readonly reason: string })[];

const JOB = 0;

/** Returns the operators who stand in an order, each once: it names them by their places, as an ARN is longer than an event. */
export function listOperators({ history, prescriptions }: Pick<Order, 'history' | 'prescriptions'>): string[] {
  const judges = prescriptions.flatMap(({ verification, rejection }) => [verification?.by ?? [], rejection?.by ?? []]);
  return [...new Set([...history.flatMap(({ by }) => (isOperator(by) ? [by.operator] : [])), ...judges.flat()])];
}

/** Packs the history of an order. Who is the id of a user, 0 for a job, and -1, -2 and so on for the operators. */
export function packHistory(history: readonly OrderEvent[], operators: readonly string[]): PackedEvent[] {
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
export function unpackHistory({ history, operators = [] }: Item): unknown {
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
