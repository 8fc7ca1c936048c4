import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startEngines } from '../../infra/local/engines/engines.ts';
import { localEnvironment } from '../../infra/local/environment.ts';
import { openApiKeys } from '../../infra/local/gateway/api-keys.ts';
import { createStores, publishDemoCatalog } from '../../infra/local/seed.ts';
import { freePorts } from '../support/engines/ports.ts';
import { createInvoke } from '../support/http/invoke.ts';
import type { Figure } from './figures.ts';
import { openMeter } from './meter.ts';
import type { Bench } from './orders/bench.ts';
import { benchCosts } from './orders/costs.ts';
import { benchLists } from './orders/lists.ts';
import { hashHistoryFormat } from './orders/stored-history.ts';

const LOCAL = join(import.meta.dirname, '../../.local');

/** Measures what lists of long histories, new orders and single orders cost in DynamoDB, with warm handlers. */
export async function benchOrders(): Promise<Figure[]> {
  const directory = await historyDirectory();
  const env = { ...process.env, ...(await freePorts()), LOCAL_DIR: directory };
  const engines = await startEngines(env, console.error);
  const meter = await openMeter(String(engines.dynamoDbUrl));
  try {
    const own = { AWS_ENDPOINT_URL_DYNAMODB: meter.url, POWERTOOLS_LOG_LEVEL: 'SILENT' };
    Object.assign(process.env, localEnvironment({ ...env, ...own }), own);
    await createStores('plain');
    await publishDemoCatalog();
    const keys = openApiKeys(join(directory, 'api-keys.json'));
    const bench: Bench = { keys, invoke: createInvoke(keys), meter, directory };
    return [...(await benchCosts(bench)), ...(await benchLists(bench))];
  } finally {
    await meter.close();
    await engines.stop();
  }
}

/** Returns the directory of the stored histories, which are reused until the stored format changes. */
async function historyDirectory(): Promise<string> {
  await mkdir(LOCAL, { recursive: true });
  const name = `bench-orders-${hashHistoryFormat()}`;
  const outdated = (await readdir(LOCAL)).filter((each) => each.startsWith('bench-orders') && each !== name);
  for (const each of outdated) await rm(join(LOCAL, each), { recursive: true });
  return join(LOCAL, name);
}
