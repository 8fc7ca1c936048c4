import { expect } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { publishToTestServer } from '../engines/catalog-bucket.ts';
import type { TestServer } from '../servers/test-server.ts';
import { catalogFolder, type smallCatalog } from './small-catalog.ts';

const DAY_MS = 86_400_000;

/** Returns a function that publishes a catalog, which the server serves when it returns, and sets the clock. */
export function republisher(server: TestServer, from: Date) {
  // A warm server looks for a new version 30 s after it last did so, so that each look is later than all before.
  let lookedAt = from.getTime();
  return async (records: ReturnType<typeof smallCatalog>, time: Date): Promise<void> => {
    await publishToTestServer(catalogFolder(records));
    lookedAt += DAY_MS;
    setClock(new Date(lookedAt));
    expect((await server.request('GET', '/api/products/?limit=1')).status).toBe(200);
    setClock(time);
  };
}
