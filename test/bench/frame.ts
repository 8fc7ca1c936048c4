import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngines } from '../../infra/local/engines/engines.ts';
import { localEnvironment } from '../../infra/local/environment.ts';
import { type ApiKeys, openApiKeys } from '../../infra/local/gateway/api-keys.ts';
import { createStores } from '../../infra/local/seed.ts';
import { addGatewayKey, type Client, createClient, findClientOfKey } from '../../shared/access/clients.ts';
import { ids, table } from '../../shared/deps.ts';
import { freePorts } from '../support/engines/ports.ts';
import type { Caller } from '../support/http/http.ts';
import { createInvoke } from '../support/http/invoke.ts';
import { type Meter, openMeter } from './meter.ts';

export type Bench = {
  readonly keys: ApiKeys;
  readonly invoke: Caller;
  readonly meter: Meter;
  /** The folder of the local engine. */
  readonly directory: string;
};

/** Runs work on engines of its own, whose calls the meter counts; a named folder keeps its data. */
export async function withEngines<Result>(
  kept: string | undefined,
  work: (bench: Bench) => Promise<Result>,
): Promise<Result> {
  const directory = kept ?? (await mkdtemp(join(tmpdir(), 'bench-')));
  const env = { ...process.env, ...(await freePorts()), LOCAL_DIR: directory };
  const engines = await startEngines(env);
  const meter = await openMeter(String(engines.dynamoDbUrl));
  try {
    const own = { AWS_ENDPOINT_URL_DYNAMODB: meter.url, POWERTOOLS_LOG_LEVEL: 'SILENT' };
    Object.assign(process.env, localEnvironment({ ...env, ...own }), own);
    await createStores('plain');
    const keys = openApiKeys(join(directory, 'api-keys.json'));
    return await work({ keys, invoke: createInvoke(keys), meter, directory });
  } finally {
    await meter.close();
    await engines.stop();
    if (kept === undefined) await rm(directory, { recursive: true });
  }
}

export async function findOrCreateClient({ keys }: Bench, value: string): Promise<Client> {
  const key = keys.find(value) ?? keys.create({ name: value, value, enabled: true });
  const known = await findClientOfKey(table(), key.id);
  if (known) return known;
  const terms = { name: value, origin: 'bench', paymentMethods: [1, 2], carrierName: null };
  const client = await createClient(table(), ids(), terms, new Date());
  await addGatewayKey(table(), client.id, key.id);
  return client;
}
