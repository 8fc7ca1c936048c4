type Answered = { readonly id: number; readonly total: string; readonly order_status: string };
type Known = Pick<Answered, 'total' | 'order_status'>;

/** What was answered of the orders of a run, and which of them nobody is changing at the moment. */
export class Ledger {
  readonly orders = new Map<number, Known>();
  /** Idempotency keys of more than one order. */
  readonly doubled = new Set<string>();
  readonly #ids: number[] = [];
  readonly #unchanging: number[] = [];
  readonly #keyed = new Map<string, number>();

  placed({ id, total, order_status }: Answered, key?: string): void {
    if (key !== undefined && (this.#keyed.get(key) ?? id) !== id) this.doubled.add(key);
    if (key !== undefined) this.#keyed.set(key, id);
    if (this.orders.has(id)) return;
    this.orders.set(id, { total, order_status });
    this.#ids.push(id);
    this.#unchanging.push(id);
  }

  changed({ id, total, order_status }: Answered): void {
    this.orders.set(id, { total, order_status });
    if (order_status !== 'cancelled') this.#unchanging.push(id);
  }

  /** An order for one to change: of two who change it at once, one is refused, and rightly. */
  take(): number {
    const id = this.#unchanging.shift();
    if (id === undefined) throw new Error('there is no order left to change');
    return id;
  }

  /** Any order, whoever is changing it. */
  pick(nth: number): number {
    return this.#ids[nth % this.#ids.length] ?? Number.NaN;
  }
}
