import { describe, expect, it } from 'vitest';
import { entryItem, type OrderEntry } from '../../../shared/store/order-lists/order-entries.ts';
import { walkEntries } from '../../../shared/store/order-lists/order-walk.ts';
import type { Item, Table } from '../../../shared/store/table.ts';

/*
 * Long views are walked from both ends. To write 12,000 entries takes the local engine half a minute, so here they come
 * from memory, page by page as a table gives them.
 */

const PAGE = 5_000;

const listEntry = (id: number, createdAt: string): OrderEntry => ({
  id,
  createdAt,
  orderStatus: 'approved',
  paymentStatus: 'unpaid',
  patientId: 1,
  searchName: 'ana paz',
  expectedDeliveryDate: null,
  maxDeliveryDate: null,
});
/** Holds two entries for each instant. */
const VIEW = Array.from({ length: 30_000 }, (_, index) =>
  entryItem('ENTRY', listEntry(index, new Date(Math.floor(index / 2) * 60_000).toISOString())),
);
const view = (orders: number): Item[] => VIEW.slice(0, orders);

/** Makes a table of these items in memory; `asked` receives the direction of each page read. */
function memoryTable(items: readonly Item[], asked: string[] = []): Table {
  const pages: Table['pages'] = async function* ({ isDescending, pageSize = PAGE }) {
    const ordered = isDescending ? items.toReversed() : items;
    for (let start = 0; start < Math.max(1, ordered.length); start += pageSize) {
      asked.push(isDescending ? 'newest' : 'oldest');
      yield ordered.slice(start, start + pageSize);
    }
  };
  return { pages } as Table;
}

const walk = (table: Table, isWanted = (_: OrderEntry): boolean => true) => walkEntries(table, 'ENTRY', isWanted);

describe('a walk through a view', () => {
  it.each([0, 1, 5_000, 5_001, 10_000, 10_001, 15_001])('finds each of %i orders once', async (orders) => {
    const found = await walk(memoryTable(view(orders)));
    expect(found.map(({ id }) => id).sort((a, b) => a - b)).toEqual(Array.from({ length: orders }, (_, id) => id));
  });

  it.each([3, 4_000, 7_000, 20_000])('finds each order once where %i have the same instant', async (crowd) => {
    const items = Array.from({ length: 20_000 }, (_, id) =>
      entryItem('ENTRY', listEntry(id, new Date(Math.floor(id / crowd) * 60_000).toISOString())),
    );
    const found = await walk(memoryTable(items));
    expect(found.map(({ id }) => id).sort((a, b) => a - b)).toEqual(Array.from({ length: 20_000 }, (_, id) => id));
  });

  it('returns only the wanted orders', async () => {
    const isWanted = ({ id }: OrderEntry) => id % 4_000 === 1;
    const found = await walk(memoryTable(view(12_002)), isWanted);
    expect(found.map(({ id }) => id).sort((a, b) => a - b)).toEqual([1, 4_001, 8_001, 12_001]);
  });

  it('reads one page of a short view', async () => {
    const asked: string[] = [];
    await walk(memoryTable(view(4_999), asked));
    expect(asked).toEqual(['newest']);
  });

  it('reads a long view from both ends, and no further than where they meet', async () => {
    const asked: string[] = [];
    await walk(memoryTable(VIEW, asked));
    // The view has six pages, and each end may request one page more before they meet.
    expect(asked.slice(0, 5)).toEqual(['newest', 'newest', 'oldest', 'newest', 'oldest']);
    expect(asked.length).toBeLessThanOrEqual(8);
  });
});
