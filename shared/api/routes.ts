import { categoriesContract, companiesContract, diseasesContract } from './catalog/named.ts';
import { productContract, productsContract, substitutesContract } from './catalog/products.ts';
import { availabilityContract, storesContract } from './catalog/stores.ts';
import type { Authentication, Contract, DescribedContract, Method } from './contract.ts';
import { eventsContract, orderEventsContract } from './events/events.ts';
import { requestInvoiceContract, requestInvoiceInFullContract } from './orders/invoices.ts';
import { ordersContract } from './orders/order-list.ts';
import { paymentMethodsContract } from './orders/order-parts.ts';
import { addPrescriptionsContract, createOrderContract, orderContract, updateOrderContract } from './orders/orders.ts';
import { PROVIDER_CALL_PATH, payOrderContract, providerCallContract } from './orders/payments.ts';
import { quoteContract } from './orders/quotes.ts';
import { exportContract } from './people/export.ts';
import { requestPasswordContract, setPasswordContract } from './people/password.ts';
import { profileContract, tokenContract, updateProfileContract } from './people/people.ts';

export type Route = {
  readonly method: Method;
  readonly path: `/api/${string}/`;
  readonly authentication: Exclude<Authentication, 'none'>;
  readonly contract: DescribedContract;
  /** The file that exports `handler`; methods of one path that do the same share one. */
  readonly handler: `functions/${string}.ts`;
};

/** A route for callers that are no clients. */
type CallRoute = Omit<Route, 'authentication' | 'contract'> & {
  readonly authentication: 'none';
  readonly contract: Contract;
};

export type ServedRoute = Route | CallRoute;

/** A GET route answers HEAD too, as if without its body (RFC 9110, 9.3.2). */
export const servedMethods = ({ method }: Pick<Route, 'method'>): readonly string[] =>
  method === 'GET' ? ['GET', 'HEAD'] : [method];

const row = (method: Method, path: Route['path'], contract: DescribedContract, handler: Route['handler']): Route => ({
  method,
  path,
  authentication: contract.authentication,
  contract,
  handler,
});

const REQUEST_INVOICE = '/api/orders/{id}/request-invoice/';

/** Read by the stack, the local gateway, the OpenAPI document and the tests. */
export const routes: readonly Route[] = [
  row('POST', '/api/token/', tokenContract, 'functions/token/issue.ts'),
  row('POST', '/api/password/', requestPasswordContract, 'functions/password/request.ts'),
  row('PUT', '/api/password/', setPasswordContract, 'functions/password/set.ts'),
  row('POST', '/api/orders/calculate/', quoteContract, 'functions/orders/calculate.ts'),
  row('POST', '/api/orders/resources/', createOrderContract, 'functions/orders/create.ts'),
  row('GET', '/api/orders/', ordersContract, 'functions/orders/list.ts'),
  row('GET', '/api/orders/{id}/', orderContract, 'functions/orders/detail.ts'),
  row('PATCH', '/api/orders/{id}/', updateOrderContract, 'functions/orders/update.ts'),
  row('POST', '/api/orders/{id}/payment/', payOrderContract, 'functions/orders/pay.ts'),
  row('POST', '/api/orders/{id}/prescriptions/', addPrescriptionsContract, 'functions/orders/add-prescriptions.ts'),
  row('PATCH', REQUEST_INVOICE, requestInvoiceContract, 'functions/orders/request-invoice.ts'),
  row('PUT', REQUEST_INVOICE, requestInvoiceInFullContract, 'functions/orders/request-invoice.ts'),
  row('GET', '/api/orders/{id}/events/', orderEventsContract, 'functions/orders/events.ts'),
  row('GET', '/api/events/', eventsContract, 'functions/events/list.ts'),
  row('GET', '/api/products/', productsContract, 'functions/products/list.ts'),
  row('GET', '/api/products/{id}/', productContract, 'functions/products/detail.ts'),
  row('GET', '/api/products/{id}/substitutes/', substitutesContract, 'functions/products/substitutes.ts'),
  row('GET', '/api/products/{id}/availability/', availabilityContract, 'functions/products/availability.ts'),
  row('GET', '/api/categories/', categoriesContract, 'functions/categories/list.ts'),
  row('GET', '/api/pharmaceutical-companies/', companiesContract, 'functions/pharmaceutical-companies/list.ts'),
  row('GET', '/api/diseases/', diseasesContract, 'functions/diseases/list.ts'),
  row('GET', '/api/stores/', storesContract, 'functions/stores/list.ts'),
  row('GET', '/api/payment-methods/', paymentMethodsContract, 'functions/payment-methods/list.ts'),
  row('GET', '/api/me/', profileContract, 'functions/me/detail.ts'),
  row('PATCH', '/api/me/', updateProfileContract, 'functions/me/update.ts'),
  row('GET', '/api/me/export/', exportContract, 'functions/me/export.ts'),
];

/** Routes without an API key, which the API description leaves out; the stack and the local gateway serve them too. */
const callRoutes: readonly CallRoute[] = [
  {
    method: 'POST',
    path: PROVIDER_CALL_PATH,
    authentication: 'none',
    contract: providerCallContract,
    handler: 'functions/payments/stripe.ts',
  },
];

export const servedRoutes: readonly ServedRoute[] = [...routes, ...callRoutes];
