import { requestInvoiceContract, requestInvoiceInFullContract } from '../../shared/api/orders/invoices.ts';
import {
  documents,
  duringInit,
  ids,
  invoicing,
  mail,
  orderReady,
  sourcesFor,
  table,
  writerByToken,
} from '../../shared/deps.ts';
import { type ProxyHandler, route } from '../../shared/http/route.ts';
import { requestInvoice } from '../../shared/invoices/request-invoice.ts';
import { representOrder, representOrderReference } from '../../shared/order/answers/order.ts';
import { business, userLimits } from '../../shared/runtime/config.ts';

await duringInit(...orderReady);

const deps = () => {
  const stores = { table: table(), ids: ids(), documents: documents() };
  return { ...stores, business: business(), limits: userLimits(), invoicing, mail };
};

const byFields = route(requestInvoiceContract, writerByToken, async ({ path, body, ...request }) => {
  const sources = await sourcesFor(request.caller.client);
  const order = await requestInvoice({ ...request, id: path.id, receiver: body, receiverPath: [] }, deps());
  return { body: await representOrderReference(order, request.caller.user, sources) };
});

const byRecord = route(requestInvoiceInFullContract, writerByToken, async ({ path, body, ...request }) => {
  const sources = await sourcesFor(request.caller.client);
  const invoiceRequest = { ...request, id: path.id, receiver: body.invoicing, receiverPath: ['invoicing'] };
  return { body: await representOrder(await requestInvoice(invoiceRequest, deps()), request.caller.user, sources) };
});

export const handler: ProxyHandler = (event, context) =>
  (event.httpMethod === 'PUT' ? byRecord : byFields)(event, context);
