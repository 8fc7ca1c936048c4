import { productContract } from '../../shared/api/catalog/products.ts';
import { catalogFor, catalogReady, duringInit, findClient } from '../../shared/deps.ts';
import { Refusal } from '../../shared/domain/refusal.ts';
import { anyKey } from '../../shared/http/credentials.ts';
import { route } from '../../shared/http/route.ts';

await duringInit(catalogReady);

export const handler = route(productContract, anyKey, async ({ path, caller: { gatewayKeyId } }) => {
  // Products are shown without the table too, and then without their costs.
  const client = await findClient(gatewayKeyId).catch(() => undefined);
  const product = (await catalogFor(client ?? { seesCosts: false })).productDetail(path.id);
  if (!product) throw new Refusal('not_found');
  return { body: product };
});
