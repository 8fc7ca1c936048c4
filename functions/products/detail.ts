import { productContract } from '../../shared/api/products.ts';
import { Refusal } from '../../shared/domain/fault.ts';
import { anyKey } from '../../shared/http/auth.ts';
import { route } from '../../shared/http/route.ts';
import { catalog } from '../../shared/runtime/deps.ts';

export const handler = route(productContract, anyKey, async ({ path }) => {
  const product = (await catalog()).productDetail(path.id);
  if (!product) throw new Refusal('not_found');
  return { body: product };
});
