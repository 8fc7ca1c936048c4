import { productContract } from '../../shared/api/catalog/products.ts';
import { catalog, catalogReady } from '../../shared/deps.ts';
import { Refusal } from '../../shared/domain/refusal.ts';
import { anyKey } from '../../shared/http/credentials.ts';
import { route } from '../../shared/http/route.ts';
import { duringInit } from '../../shared/runtime/init.ts';

await duringInit(catalogReady);

export const handler = route(productContract, anyKey, async ({ path }) => {
  const product = (await catalog()).productDetail(path.id);
  if (!product) throw new Refusal('not_found');
  return { body: product };
});
