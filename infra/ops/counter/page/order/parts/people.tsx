import { translate } from '../../text.ts';
import { formatDay, formatPhone } from '../../ui/format.ts';
import { DELIVERY_KIND_TEXTS, ORDER_TEXTS } from '../texts.ts';
import type { ShownOrder } from '../use-order.ts';
import { type Fact, Facts } from './facts.tsx';
import { Part } from './part.tsx';

/** The patient, who placed the order, and where it goes. */
export const People = ({ order }: { readonly order: ShownOrder }) => (
  <Part title={ORDER_TEXTS.people}>
    <Facts facts={listFacts(order)} />
  </Part>
);

function listFacts(order: ShownOrder): Fact[] {
  const { user } = order.patient;
  return [
    [translate(ORDER_TEXTS.patient), joinName(user)],
    [translate(ORDER_TEXTS.email), user.email && <a href={`mailto:${user.email}`}>{user.email}</a>],
    [translate(ORDER_TEXTS.phone), user.phone && <a href={`tel:${user.phone}`}>{formatPhone(user.phone)}</a>],
    [translate(ORDER_TEXTS.client), `${order.origin} (${order.client})`],
    [translate(ORDER_TEXTS.placedBy), order.generated_by && joinName(order.generated_by)],
    [translate(ORDER_TEXTS.delivery), order.shipping && addressText(order.shipping)],
    [translate(ORDER_TEXTS.pickup), order.store && `${order.store.company_name}, ${addressText(order.store)}`],
    [translate(ORDER_TEXTS.shippingMethod), shippingMethodText(order.shipping_method)],
    [translate(ORDER_TEXTS.expected), order.expected_delivery_date && formatDay(order.expected_delivery_date)],
    [translate(ORDER_TEXTS.atLatest), order.max_delivery_date && formatDay(order.max_delivery_date)],
    [translate(ORDER_TEXTS.comments), order.comments],
  ];
}

// The `default` of a carrier is no name that it knows.
const shippingMethodText = ({ company, method }: ShownOrder['shipping_method']): string =>
  method === 'default' ? company : `${company}, ${translate(DELIVERY_KIND_TEXTS[method])}`;

type Person = ShownOrder['patient']['user'];
/** Returns the whole name of a person. */
export const joinName = ({ first_name, last_name, second_last_name }: Person): string =>
  [first_name, last_name, second_last_name].filter(Boolean).join(' ');

type Address = NonNullable<ShownOrder['shipping'] | ShownOrder['store']>;
const addressText = (address: Address): string =>
  [
    `${address.street} ${address.exterior_number} ${address.interior_number}`.trim(),
    address.neighborhood,
    `${address.zipcode} ${address.city}`,
    address.state,
    address.phone && formatPhone(address.phone),
    address.additional_info,
  ]
    .filter(Boolean)
    .join(', ');
