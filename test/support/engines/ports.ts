import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

const VARIABLES = ['PORT', 'DYNAMODB_PORT', 'S3_PORT', 'SES_PORT'] as const;

/** Returns a free port for each port variable of the server. */
export async function freePorts(): Promise<Record<(typeof VARIABLES)[number], string>> {
  const probes = VARIABLES.map(() => createServer().listen(0, '127.0.0.1'));
  await Promise.all(probes.map((probe) => once(probe, 'listening')));
  const [port, table, objects, mail] = probes.map((probe) => String((probe.address() as AddressInfo).port));
  await Promise.all(probes.map((probe) => once(probe.close(), 'close')));
  return { PORT: `${port}`, DYNAMODB_PORT: `${table}`, S3_PORT: `${objects}`, SES_PORT: `${mail}` };
}
