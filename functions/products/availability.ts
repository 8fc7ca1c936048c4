import { availabilityContract } from '../../shared/api/catalog/stores.ts';
import { catalog, catalogReady, duringInit, table } from '../../shared/deps.ts';
import { anyKey } from '../../shared/http/credentials.ts';
import { route } from '../../shared/http/route.ts';
import { listAvailability } from '../../shared/stock/stock.ts';

await duringInit(catalogReady);

export const handler = route(availabilityContract, anyKey, async ({ path }) => ({
  body: await listAvailability(path.id, { catalog: await catalog(), table: table() }),
}));
