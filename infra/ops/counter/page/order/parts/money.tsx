import { PAYMENT_FORMS } from '../../../../../../shared/domain/invoices/sat-tables.ts';
import { translate } from '../../text.ts';
import { formatDateTime, formatMoney } from '../../ui/format.ts';
import { ORDER_TEXTS } from '../texts.ts';
import type { ShownOrder } from '../use-order.ts';
import { type Fact, Facts } from './facts.tsx';
import { Part } from './part.tsx';

/** The amounts of an order, its payment and its refunds. */
export const Money = ({ order }: { readonly order: ShownOrder }) => (
  <Part title={ORDER_TEXTS.money}>
    <Facts kind="amounts" facts={listAmounts(order)} />
    <Facts facts={listPayment(order)} />
  </Part>
);

const amountUnlessZero = (amount: string): string => (Number(amount) === 0 ? '' : formatMoney(amount));

const listAmounts = (order: ShownOrder): Fact[] => [
  [translate(ORDER_TEXTS.subtotal), formatMoney(order.subtotal)],
  [translate(ORDER_TEXTS.discount), amountUnlessZero(order.discount)],
  [translate(ORDER_TEXTS.iva), formatMoney(order.iva)],
  [translate(ORDER_TEXTS.shipping), formatMoney(order.shipping_price)],
  [translate(ORDER_TEXTS.shippingDiscount), amountUnlessZero(order.shipping_discount)],
  [translate(ORDER_TEXTS.total), <strong key="total">{formatMoney(order.total)}</strong>],
];

const listPayment = (order: ShownOrder): Fact[] => [
  [translate(ORDER_TEXTS.paymentMethod), order.payment_method.name],
  [translate(ORDER_TEXTS.coupon), order.coupon && `${order.coupon.code}, ${order.coupon.description}`],
  [translate(ORDER_TEXTS.paymentForm), order.payment_form && formText(order.payment_form)],
  [translate(ORDER_TEXTS.rejection), order.rejection_reason],
  ...order.refunds.map((refund): Fact => [translate(ORDER_TEXTS.refunded), refundText(refund)]),
];

const refundText = ({ amount, form, at }: ShownOrder['refunds'][number]): string =>
  `${formatMoney(amount)}, ${formText(form)}, ${formatDateTime(at)}`;

/** Returns a form of SAT's c_FormaPago with its name, which is Spanish as in the law. */
export const formText = (form: string): string => `${form} ${PAYMENT_FORMS[form] ?? ''}`.trim();
