import { productContract } from '../../shared/api/catalog/products.ts';
import { catalog } from '../../shared/deps.ts';
import { Refusal } from '../../shared/domain/refusal.ts';
import { anyKey } from '../../shared/http/auth.ts';
import { route } from '../../shared/http/route.ts';

export const handler = route(productContract, anyKey, async ({ path }) => {
  const product = (await catalog()).productDetail(path.id);
  if (!product) throw new Refusal('not_found');
  return { body: product };
});
