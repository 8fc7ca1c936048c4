import type { Table } from '../../../shared/store/table.ts';

class Killed extends Error {
  override readonly name = 'Killed';
}

export type Life = {
  readonly table: Table;
  /** Passes a call to the outside on, unless the worker is dead. */
  call<Answer>(work: () => Promise<Answer>): Promise<Answer>;
  readonly isOver: boolean;
};

/**
 * Gives a worker a table with which it lives for so many calls: the last one is made, but its answer never arrives, and no
 * later one is made. The worker leaves everything behind as a process that is killed at that moment.
 */
export function liveFor(calls: number, table: Table): Life {
  let left = calls;
  const call = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    if (left <= 0) throw new Killed('no call is made after the end');
    left -= 1;
    const answer = await work();
    if (left <= 0) throw new Killed('the answer does not arrive');
    return answer;
  };
  const limited = new Proxy(table, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...input: unknown[]) => call(async () => value.apply(target, input));
    },
  });
  return {
    table: limited,
    call,
    get isOver() {
      return left <= 0;
    },
  };
}
