import type { Client } from '../access/clients.ts';
import type { ListedPaymentMethod, MethodPart } from '../api/orders/order-parts.ts';
import type { Catalog, CatalogPage, CatalogPaymentMethod, NamedQuery } from '../catalog/catalog.ts';
import { createNamedList } from '../catalog/listing.ts';
import { Refusal } from '../domain/refusal.ts';
import { representPaymentMethod } from '../order/answers/published.ts';
import type { Role } from '../people/rules/roles.ts';
import type { Collecting } from '../runtime/config.ts';

type Paying = {
  readonly catalog: Catalog;
  readonly client: Client;
  readonly role: Role;
  readonly collecting: Collecting | null;
};

/** Returns the method, or the code of why the user may not use it. */
export function findPaymentMethod(
  id: number,
  { catalog, client, role, collecting }: Paying,
): CatalogPaymentMethod | 'payment_method_not_allowed' | 'credit_for_employees' {
  const method = client.paymentMethods.includes(id) ? catalog.paymentMethod(id) : undefined;
  if (!method || (method.collection && !collecting)) return 'payment_method_not_allowed';
  const mayOweMoney = role === 'insurance_employee' || client.credit === 'everyone';
  return method.initial_payment_status === 'credit' && !mayOweMoney ? 'credit_for_employees' : method;
}

/** Returns the method that is to pay an order online, if one is named. Throws `invalid_input` if it may not or cannot. */
export function findCollectedMethod(id: number | undefined, paying: Paying): CatalogPaymentMethod | undefined {
  if (id === undefined) return undefined;
  const method = findPaymentMethod(id, paying);
  if (typeof method !== 'string' && method.collection) return method;
  const code = typeof method === 'string' ? method : 'payment_method_not_collected';
  throw new Refusal('invalid_input', { errors: [{ path: ['payment_method'], code, values: { method: id } }] });
}

export function listPaymentMethods(
  paying: Paying,
  include: readonly MethodPart[] = [],
): (query: NamedQuery) => CatalogPage<ListedPaymentMethod> {
  const byId = paying.client.paymentMethods.toSorted((one, other) => one - other);
  const methods = byId.map((id) => findPaymentMethod(id, paying)).filter((method) => typeof method !== 'string');
  const listed = methods.map((method) => ({
    ...representPaymentMethod(method),
    ...(include.includes('collection') && { collection: method.collection ?? null }),
  }));
  return createNamedList(listed);
}
