import type { Item } from '../table.ts';
import type { Actor, OrderEvent } from './order-parts.ts';

type PackedHistory = {
  /** The values of each event by place: what, when in milliseconds, version, who, then from and to or the prescriptions. */
  readonly history: readonly (string | number)[][];
  readonly operators?: readonly string[];
};

const JOB = 0;

/**
 * Packs the history of an order. Who is the id of a user, 0 for a job, and -1, -2 and so on for the operators, each of whom
 * is stored once: an ARN is longer than an event.
 */
export function packHistory(history: readonly OrderEvent[]): PackedHistory {
  const operators = [...new Set(history.flatMap(({ by }) => (isOperator(by) ? [by.operator] : [])))];
  const packActor = (by: Actor): number => {
    if (by === 'system') return JOB;
    return isOperator(by) ? -1 - operators.indexOf(by.operator) : by.user;
  };
  const packed = history.map(({ what, at, version, by, from, to, prescriptions = [] }) => {
    const move = from === undefined || to === undefined ? [] : [from, to];
    return [what, Date.parse(at), version, packActor(by), ...move, ...prescriptions];
  });
  return { history: packed, ...(operators.length > 0 && { operators }) };
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
  if (more.length === 0) return {};
  const [from, to] = more;
  return typeof from === 'string' ? { from, to } : { prescriptions: more };
}
