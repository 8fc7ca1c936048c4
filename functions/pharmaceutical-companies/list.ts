import { companiesContract } from '../../shared/api/catalog/named.ts';
import { catalog, catalogReady, duringInit } from '../../shared/deps.ts';
import { anyKey } from '../../shared/http/credentials.ts';
import { answerPage } from '../../shared/http/pagination.ts';
import { route } from '../../shared/http/route.ts';

await duringInit(catalogReady);

export const handler = route(companiesContract, anyKey, async (request) => {
  const published = await catalog();
  return answerPage(request, (query) => published.list('companies', query));
});
