import { catalogActivate } from '../../catalog/activate.ts';
import { catalogDiff } from '../../catalog/diff.ts';
import { catalogSearch } from '../../catalog/search.ts';
import { catalogVersions } from '../../catalog/versions.ts';
import type { Command } from '../../command.ts';
import { invoicesCredit, invoicesReplace } from '../../invoices/corrections.ts';
import { invoicesHandled, invoicesResend } from '../../invoices/invoices.ts';
import { invoicesCancel, invoicesIssue } from '../../invoices/issuing.ts';
import { invoicesList } from '../../invoices/list.ts';
import { ordersFigures } from '../../orders/figures.ts';
import { ordersFind } from '../../orders/order-find.ts';
import { ordersList } from '../../orders/order-list.ts';
import { ordersSearch } from '../../orders/order-search.ts';
import { ordersMove, ordersShow } from '../../orders/orders.ts';
import { ordersPay, ordersRefund } from '../../orders/payments.ts';
import { ordersReject, ordersVerify } from '../../orders/prescriptions.ts';

/**
 * The commands that the page may run, by their names with dashes. The page takes the types of input and document from
 * here. None of them makes keys or passwords, erases people or publishes folders.
 */
export const COUNTER_COMMANDS = {
  'orders-list': ordersList,
  'orders-find': ordersFind,
  'orders-search': ordersSearch,
  'orders-show': ordersShow,
  'orders-figures': ordersFigures,
  'orders-move': ordersMove,
  'orders-pay': ordersPay,
  'orders-refund': ordersRefund,
  'orders-verify-prescription': ordersVerify,
  'orders-reject-prescription': ordersReject,
  'catalog-versions': catalogVersions,
  'catalog-diff': catalogDiff,
  'catalog-search': catalogSearch,
  'catalog-activate': catalogActivate,
  'invoices-list': invoicesList,
  'invoices-issue': invoicesIssue,
  'invoices-cancel': invoicesCancel,
  'invoices-replace': invoicesReplace,
  'invoices-credit': invoicesCredit,
  'invoices-resend': invoicesResend,
  'invoices-handled': invoicesHandled,
} satisfies Readonly<Record<string, Command>>;

export type CounterCommands = typeof COUNTER_COMMANDS;
