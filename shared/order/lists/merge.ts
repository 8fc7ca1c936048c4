import type { Item, Table } from '../../store/table.ts';
import type { CreationRange } from './delivery-delays.ts';
import { type FoundEntry, pagesOf, type Source, toFound, toQuery } from './sources.ts';

class SourceReader {
  readonly source: Source;
  readonly #pages: AsyncGenerator<Item[]>;
  #page: Item[] = [];
  #index = 0;

  constructor(source: Source, pages: AsyncGenerator<Item[]>) {
    this.source = source;
    this.#pages = pages;
  }

  get head(): Item | undefined {
    return this.#page[this.#index];
  }

  /** Returns true at the end of a page: `fetch` must load the next item. */
  advance(): boolean {
    this.#index += 1;
    return this.#index >= this.#page.length;
  }

  async fetch(): Promise<void> {
    this.#index = 0;
    do {
      const { value, done } = await this.#pages.next();
      this.#page = value ?? [];
      if (done) return;
    } while (this.#page.length === 0);
  }
}

export type Part = {
  readonly range: CreationRange;
  readonly skipped: number;
  readonly size: number;
  readonly isForward: boolean;
};

/** Merges sources by creation and returns a part of the result; reads the sources in parallel and only as far as needed. */
export async function takeMerged(table: Table, sources: readonly Source[], part: Part): Promise<FoundEntry[]> {
  const { range, skipped, size, isForward } = part;
  const end = skipped + size;
  const pageSize = Math.ceil(skipped / sources.length) + size;
  const paging = { range, isForward, pageSize };
  const readers = sources.map((source) => new SourceReader(source, pagesOf(table, source, paging)));
  await Promise.all(readers.map((reader) => reader.fetch()));
  const entries: FoundEntry[] = [];
  let place = 0;
  let previous: unknown;
  while (place < end) {
    const next = nearest(readers, isForward);
    if (!next?.head) break;
    // An order that moved between pairs of statuses meanwhile may be in both.
    const isNew = next.head.sk !== previous;
    previous = next.head.sk;
    if (isNew && place >= skipped) entries.push(toFound(next.head, next.source));
    if (isNew) place += 1;
    if (next.advance() && place < end) await next.fetch();
  }
  return entries;
}

function nearest(readers: readonly SourceReader[], isForward: boolean): SourceReader | undefined {
  let best: SourceReader | undefined;
  for (const reader of readers) {
    if (!reader.head) continue;
    if (!best?.head || String(reader.head.sk) < String(best.head.sk) === isForward) best = reader;
  }
  return best;
}

// Finds a page even if half of the newest entries are unwanted, at 2 read units a source for a page of 20.
const READ_PER_SHOWN = 2;
// A page that would take more than about 4 read units a source is merged instead.
const MOST_READ = 100;

/** Returns a part of `all` without `others`, or undefined if it lies too deep or would contain too many of them. */
export async function takeOthers(
  table: Table,
  all: Source,
  others: readonly Source[],
  part: Part,
): Promise<FoundEntry[] | undefined> {
  const { range, skipped, size, isForward } = part;
  const count = READ_PER_SHOWN * (skipped + size);
  if (count > MOST_READ) return undefined;
  const read = async (source: Source) => table.first(toQuery(source, { range, isForward }), count);
  const [items, ...unwanted] = await Promise.all([read(all), ...others.map(read)]);
  const unwantedKeys = new Set(unwanted.flat().map(({ sk }) => sk));
  const wanted = items.filter(({ sk }) => !unwantedKeys.has(sk));
  const isEnd = items.length < count;
  if (!isEnd && wanted.length < skipped + size) return undefined;
  return wanted.slice(skipped, skipped + size).map((item) => toFound(item, all));
}
