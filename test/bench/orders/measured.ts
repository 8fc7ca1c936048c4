import type { HttpAnswer } from '../../support/http/http.ts';
import { type Figure, percentile } from '../figures.ts';
import type { Meter, Metered } from '../meter.ts';
import type { List } from './bench.ts';
import { type History, newestOrder } from './history.ts';

export const PAGE_SIZE = 20;
// Times are measured for histories from this length on, and have their bar at this length.
const TIMED_SIZE = 100_000;
const SLOWEST_MS = 3_000;

export type Sized = { readonly history: History; readonly list: List };
type Bars = { readonly trips?: number; readonly units?: number };
/** A page, and how many orders of its list come before it. */
type Asked = { readonly ask: () => Promise<HttpAnswer>; readonly skipped: number };

/** Measures queries against each of the histories. */
export class Measured {
  readonly figures: Figure[] = [];
  readonly #meter: Meter;
  readonly #sized: readonly Sized[];

  constructor(meter: Meter, sized: readonly Sized[]) {
    this.#meter = meter;
    this.#sized = sized;
  }

  async add(what: string, query: string, bars: Bars, page = (_pages: number) => 1): Promise<void> {
    await this.#measure(what, bars, async ({ list }) => {
      const { count } = (await list(query)).body;
      const number = page(Math.max(1, Math.ceil(count / PAGE_SIZE)));
      return { ask: () => list(`${query}&page=${number}`), skipped: (number - 1) * PAGE_SIZE };
    });
  }

  /** Measures what follows the orders of all pages before this one, or before the middle of a shorter history. */
  async addByCursor(what: string, query: string, page: number): Promise<void> {
    await this.#measure(what, { trips: 3, units: 45 }, async ({ history, list }) => {
      const before = Math.min((page - 1) * PAGE_SIZE, history.orders / 2);
      const cursor = page === 1 ? '' : await cursorBehind(list, query, newestOrder(history, before));
      return { ask: () => list(`${query}&cursor=${cursor}`), skipped: 0 };
    });
  }

  async #measure(what: string, bars: Bars, toAsked: (sized: Sized) => Promise<Asked>): Promise<void> {
    const answers: Metered<HttpAnswer>[] = [];
    const times: Figure[] = [];
    for (const sized of this.#sized) {
      const { ask, skipped } = await toAsked(sized);
      const answer = await measureWarm(this.#meter, ask);
      expectFullPage(what, answer.result, skipped);
      answers.push(answer);
      if (sized.history.orders >= TIMED_SIZE) times.push(await timeList(what, sized.history, ask));
    }
    const late = answers.filter(({ result }) => result.status === 503).length;
    const name = late === 0 ? what : `${what} (503 at the last ${late} sizes)`;
    this.figures.push(
      { what: name, value: answers.map(({ trips }) => trips), unit: 'round trips', ...barOf(bars.trips) },
      { what: name, value: answers.map(({ readUnits }) => readUnits), unit: 'read units', ...barOf(bars.units) },
      ...times,
    );
  }
}

/** Returns the cursor of a list by creation that goes on behind an order: another one's, with its position. */
async function cursorBehind(list: List, query: string, order: { createdAt: string; id: number }): Promise<string> {
  const { body } = await list(`${query}&cursor=&limit=1`);
  const cursor = new URL(body.next).searchParams.get('cursor') ?? '';
  const [listName] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  return Buffer.from(JSON.stringify([listName, order.createdAt, order.id])).toString('base64url');
}

const barOf = (bar: number | undefined) => (bar === undefined ? {} : { bar });

/** Measures a call after making it once, so that clients and caches are warm, and the orders shown are stored. */
async function measureWarm(meter: Meter, ask: () => Promise<HttpAnswer>): Promise<Metered<HttpAnswer>> {
  await ask();
  return meter.measure(ask);
}

/** Throws unless the page has as many orders as its count says: lists leave out an order that is not stored. */
function expectFullPage(what: string, { status, body }: HttpAnswer, skipped: number): void {
  if (status === 503) return;
  const expected = Math.min(PAGE_SIZE, body.count - skipped);
  if (status === 200 && expected > 0 && body.results.length === expected) return;
  throw new Error(`${what}: ${status}, ${body.results?.length} orders instead of ${expected} of ${body.count}`);
}

const FEWEST_RUNS = 3;
const MOST_RUNS = 40;
const TIMED_MS = 4_000;

/** Times calls for some seconds; a 503 after the deadline counts with the time it took. */
async function timeList(what: string, { orders }: History, ask: () => Promise<unknown>): Promise<Figure> {
  const times: number[] = [];
  const start = performance.now();
  while (times.length < FEWEST_RUNS || (times.length < MOST_RUNS && performance.now() - start < TIMED_MS)) {
    const before = performance.now();
    await ask();
    times.push(performance.now() - before);
  }
  const value = [percentile(times, 0.5), percentile(times, 0.95)];
  const name = `${what}: p50, p95 at ${orders}`;
  return { what: name, value, unit: 'ms', ...barOf(orders === TIMED_SIZE ? SLOWEST_MS : undefined) };
}
