import { substitutesContract } from '../../shared/api/catalog/products.ts';
import { catalog, catalogReady, duringInit } from '../../shared/deps.ts';
import { Refusal } from '../../shared/domain/refusal.ts';
import { anyKey } from '../../shared/http/credentials.ts';
import { answerPage } from '../../shared/http/pagination.ts';
import { route } from '../../shared/http/route.ts';

await duringInit(catalogReady);

export const handler = route(substitutesContract, anyKey, async (request) => {
  const published = await catalog();
  return answerPage(request, (query) => {
    const page = published.substitutes(request.path.id, query);
    if (!page) throw new Refusal('not_found');
    return page;
  });
});
