import { productsContract } from '../../shared/api/catalog/products.ts';
import { catalog, catalogReady, duringInit } from '../../shared/deps.ts';
import { anyKey } from '../../shared/http/credentials.ts';
import { answerPage } from '../../shared/http/pagination.ts';
import { route } from '../../shared/http/route.ts';

await duringInit(catalogReady);

export const handler = route(productsContract, anyKey, async (request) => {
  const published = await catalog();
  return answerPage(request, published.products);
});
