import { quoteContract } from '../../shared/api/orders/quotes.ts';
import { catalog, catalogReady } from '../../shared/deps.ts';
import { anyKey } from '../../shared/http/auth.ts';
import { route } from '../../shared/http/route.ts';
import { business } from '../../shared/runtime/business.ts';
import { duringInit } from '../../shared/runtime/init.ts';
import { quote } from '../../shared/usecases/quotes/quote.ts';

await duringInit(catalogReady);

export const handler = route(quoteContract, anyKey, async ({ body, now, say }) => {
  const quotation = quote(body, { catalog: await catalog(), business: business(), now });
  const errors = Object.entries(quotation.errors).map(([field, message]) => [field, say(message)]);
  return { body: { ...quotation, errors: Object.fromEntries(errors) } };
});
