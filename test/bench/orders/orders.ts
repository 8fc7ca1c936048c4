import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { publishDemoCatalog } from '../../../infra/local/seed.ts';
import type { Figure } from '../figures.ts';
import { withEngines } from '../frame.ts';
import { benchCosts } from './costs.ts';
import { benchLists } from './lists.ts';
import { hashHistoryFormat } from './stored-history.ts';

const LOCAL = join(import.meta.dirname, '../../../.local');

/** Measures what lists of long histories, new orders and single orders cost in DynamoDB, with warm handlers. */
export const benchOrders = async (): Promise<Figure[]> =>
  withEngines(await historyDirectory(), async (bench) => {
    await publishDemoCatalog();
    return [...(await benchCosts(bench)), ...(await benchLists(bench))];
  });

/** Returns the directory of the stored histories, which are reused until the stored format changes. */
async function historyDirectory(): Promise<string> {
  await mkdir(LOCAL, { recursive: true });
  const name = `bench-orders-${hashHistoryFormat()}`;
  const outdated = (await readdir(LOCAL)).filter((each) => each.startsWith('bench-orders') && each !== name);
  for (const each of outdated) await rm(join(LOCAL, each), { recursive: true });
  return join(LOCAL, name);
}
