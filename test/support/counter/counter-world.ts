import { afterAll, beforeAll } from 'vitest';
import { type Counter, openCounter } from '../../../infra/counter/server/server.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { startBrowser } from '../engines/browser.ts';
import type { TestServer } from '../servers/test-server.ts';
import { type CounterPage, openPage } from './counter-page.ts';

/** The operator of a counter that a test opens. */
export const OPERATOR = 'Eva Farmacéutica';

/** The operator of a second counter. */
export const COLLEAGUE = 'Luis Químico';

/** This is noon on a Monday in Mexico City. */
export const NOON = new Date('2026-11-23T18:00:00.000Z');

/** Opens a counter on the table of the test server, which must be open. */
export const openTestCounter = (operator = OPERATOR): Promise<Counter> =>
  openCounter({ port: 0, operator, place: 'Local: prueba', isLocal: true });

type PageOptions = {
  /** The route in the page: `#/orders/42`. */
  readonly route?: string;
  /** Another address than that of the counter with its token. */
  readonly address?: string;
  readonly refreshMs?: number;
};

/** A server, a counter on it, and a browser for its pages. */
type CounterWorld<Server extends Closable> = Awaited<ReturnType<typeof openCounterWorld<Server>>>;
type Closable = { close(): Promise<void> };

/** Opens the world of a test file; given a time, the clock stands still at it until the world is closed. */
export async function openCounterWorld<Server extends Closable>(openServer: () => Promise<Server>, time?: Date) {
  setClock(time);
  const [browser, server] = await Promise.all([startBrowser(), openServer()]);
  const counter = await openTestCounter();
  const pages: CounterPage[] = [];
  return {
    server,
    counter,
    async open({ route, address = counter.address, refreshMs }: PageOptions = {}) {
      const opened = await openPage(browser, address, refreshMs);
      pages.push(opened);
      if (route) await opened.page.evaluate(`location.hash = ${JSON.stringify(route)}`);
      return opened;
    },
    /** Closes the pages too. Throws if one has complained of anything that the test has not taken. */
    async close() {
      setClock();
      const closed = await Promise.allSettled(pages.map((page) => page.close()));
      for (const each of [browser, counter, server]) await each.close();
      for (const result of closed) if (result.status === 'rejected') throw result.reason;
    },
  };
}

/** Opens the world of a test file; its parts are there when the first hook that follows runs. */
export function useCounterWorld<Server extends Closable>(...asked: Parameters<typeof openCounterWorld<Server>>) {
  const world = {} as CounterWorld<Server>;
  beforeAll(async () => {
    Object.assign(world, await openCounterWorld<Server>(...asked));
  });
  afterAll(() => world.close());
  return world;
}

/** Places an order of product 4 (58.00, on prescription) with these documents, or without any of product 1 (28.50). */
export async function placeOrder(
  server: TestServer,
  files: readonly Buffer[] = [],
  email = 'ana@example.mx',
  more: Readonly<Record<string, unknown>> = {},
) {
  const prescriptions = files.map((file) => ({ document: file.toString('base64'), issue_date: '2026-11-20' }));
  const details = [{ product: files.length > 0 ? 4 : 1, quantity: 1 }];
  return Number((await server.placeOrder(email, { details, prescriptions, ...more })).id);
}
