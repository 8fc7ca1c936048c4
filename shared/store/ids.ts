import * as z from 'zod';
import { type IdKind, idsKey } from './keys.ts';
import { parseItem } from './parse-item.ts';
import type { Table } from './table.ts';
import { toUpdate } from './update.ts';

// A block is taken in one update outside of transactions, so that no order waits for another one's id.
const BLOCK_SIZE: Readonly<Record<IdKind, number>> = { client: 1, order: 100, record: 1_000, webhook: 1 };

const block = z.object({ lastId: z.number() });

/** 0 before the first. */
export async function lastId(table: Table, kind: IdKind): Promise<number> {
  const item = await table.get(idsKey(kind));
  return item ? parseItem(block, item, 'ids').lastId : 0;
}

/** Issues unique positive integers, roughly increasing over all processes; an ending process loses the rest of its block. */
export class Ids {
  readonly #table: Table;
  readonly #blocks = new Map<IdKind, { next: number; end: number }>();
  readonly #refills = new Map<IdKind, Promise<void>>();

  constructor(table: Table) {
    this.#table = table;
  }

  /** Needs a network call only when the current block is used up. */
  async take(kind: IdKind, count: number): Promise<number[]> {
    const ids: number[] = [];
    while (ids.length < count) {
      const block = this.#blocks.get(kind);
      if (block && block.next < block.end) ids.push(block.next++);
      else await this.#refill(kind);
    }
    return ids;
  }

  async #refill(kind: IdKind): Promise<void> {
    const refill = this.#refills.get(kind) ?? this.#takeBlock(kind).finally(() => this.#refills.delete(kind));
    this.#refills.set(kind, refill);
    await refill;
  }

  async #takeBlock(kind: IdKind): Promise<void> {
    const size = BLOCK_SIZE[kind];
    const item = await this.#table.update(toUpdate(idsKey(kind), { add: { lastId: size } }));
    const { lastId: last } = parseItem(block, item, 'ids');
    this.#blocks.set(kind, { next: last - size + 1, end: last + 1 });
  }
}
