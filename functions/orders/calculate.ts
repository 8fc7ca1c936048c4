import { quoteContract } from '../../shared/api/orders/quotes.ts';
import { catalog, catalogReady, duringInit, sealKeys } from '../../shared/deps.ts';
import { anyKey } from '../../shared/http/credentials.ts';
import { route } from '../../shared/http/route.ts';
import { holdQuote } from '../../shared/quotes/hold.ts';
import { quote, representQuote } from '../../shared/quotes/quote.ts';
import { business, holdConfig } from '../../shared/runtime/config.ts';

await duringInit(catalogReady);

export const handler = route(quoteContract, anyKey, async ({ body, caller, now, say }) => {
  const quotation = quote(body, { catalog: await catalog(), business: business(), now });
  if (!body.hold) return { body: representQuote(quotation, say) };
  const lifetimeMinutes = holdConfig().PRICE_HOLD_MINUTES;
  const asking = { gatewayKeyId: caller.gatewayKeyId, now };
  const { hold, problems } = await holdQuote(quotation, asking, { sealKeys, lifetimeMinutes });
  return { body: { ...representQuote({ ...quotation, problems }, say), hold } };
});
