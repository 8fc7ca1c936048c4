type Answered = { readonly id: number; readonly total: string; readonly order_status: string };
type Known = Pick<Answered, 'total' | 'order_status'>;

/** Records the orders of a run as the server last answered them, and the orders that no request is changing now. */
export class Ledger {
  readonly orders = new Map<number, Known>();
  /** The idempotency keys that produced more than one order; a correct server leaves it empty. */
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

  /** Returns an order that no other request is changing, because the server refuses one of two concurrent changes. */
  take(): number {
    const id = this.#unchanging.shift();
    if (id === undefined) throw new Error('no order is left to change');
    return id;
  }

  /** Returns any order, even if another request is changing it. */
  pick(nth: number): number {
    return this.#ids[nth % this.#ids.length] ?? Number.NaN;
  }
}
