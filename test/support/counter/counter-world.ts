import { type Counter, openCounter } from '../../../infra/counter/server/server.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { startBrowser } from '../engines/browser.ts';
import { type CounterPage, DESK, openPage, type Screen } from './counter-page.ts';

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
  readonly screen?: Screen;
  /** The route in the page: `#/orders/42`. */
  readonly route?: string;
  /** Another address than that of the counter with its token. */
  readonly address?: string;
  readonly refreshMs?: number;
};

/** A server, a counter on it, and a browser for its pages. */
export type CounterWorld<Server extends Closable> = Awaited<ReturnType<typeof openCounterWorld<Server>>>;
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
    async open({ screen = DESK, route, address = counter.address, refreshMs }: PageOptions = {}) {
      const opened = await openPage(browser, address, screen, refreshMs);
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
