import { storesContract } from '../../shared/api/catalog/stores.ts';
import { catalog, catalogReady, duringInit } from '../../shared/deps.ts';
import { anyKey } from '../../shared/http/credentials.ts';
import { answerPage } from '../../shared/http/pagination.ts';
import { route } from '../../shared/http/route.ts';
import { representStores } from '../../shared/order/answers/published.ts';

await duringInit(catalogReady);

export const handler = route(storesContract, anyKey, async (request) => {
  const published = await catalog();
  return answerPage(request, (query) => representStores(published.list('stores', query)));
});
