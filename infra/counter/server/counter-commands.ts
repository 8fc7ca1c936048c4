import { catalogShortage } from '../../ops/catalog/publish.ts';
import { catalogSearch } from '../../ops/catalog/search.ts';
import { catalogVersions } from '../../ops/catalog/versions.ts';
import type { Command } from '../../ops/command.ts';
import { type Field, refuseOthers } from '../../ops/input.ts';
import {
  invoicesCancel,
  invoicesCredit,
  invoicesIssue,
  invoicesReplace,
  invoicesResend,
} from '../../ops/invoices/act.ts';
import { invoicesList } from '../../ops/invoices/list.ts';
import { ordersMove, ordersNote, ordersReject, ordersUpdate, ordersVerify } from '../../ops/orders/act.ts';
import { ordersList } from '../../ops/orders/list.ts';
import { ordersCashUp, ordersHandled, ordersPay, ordersRefund } from '../../ops/orders/money.ts';
import { ordersRecall } from '../../ops/orders/reports.ts';
import { ordersShow } from '../../ops/orders/show.ts';
import { stockAdjust, stockList } from '../../ops/stock/stock.ts';
import { ordersFigures } from './orders-figures.ts';
import { ordersQueue } from './orders-queue.ts';

const REFUND = ['id', 'amount', 'all', 'line', 'shipping', 'surplus', 'form', 'reason', 'version'] as const;
const CREDIT = ['orderId', 'amount', 'line', 'shipping', 'form', 'reason', 'again', 'version'] as const;
const VERIFICATION = ['id', 'prescription', 'acceptAge', 'acceptCopy', 'approve', 'version'] as const;
const PRESCRIBER = ['prescriber', 'licence', 'prescriberAddress'] as const;
const RECEIVER = ['rfc', 'fullName', 'fiscalRegime', 'cfdiUse', 'zipcode', 'email'] as const;

/**
 * The commands that the page may run. None of them makes keys or passwords, erases people or publishes folders. Each takes
 * only the input that is named here, so that a new option that reads a file or folder opens none to the page.
 */
export const COUNTER_COMMANDS = {
  'orders-queue': offer(ordersQueue, ['tab', 'store', 'page']),
  'orders-search': offer(ordersList, ['text', 'limit']),
  'orders-show': offer(ordersShow, ['id']),
  'orders-figures': offer(ordersFigures, ['from', 'to', 'client', 'by']),
  'orders-cash-up': offer(ordersCashUp, ['day']),
  'orders-move': offer(ordersMove, ['id', 'to', 'carrier', 'tracking', 'lot', 'reason', 'version']),
  'orders-recall': offer(ordersRecall, ['product', 'lot', 'from', 'until']),
  'orders-pay': offer(ordersPay, ['id', 'status', 'form', 'reason', 'version']),
  'orders-refund': offer(ordersRefund, REFUND),
  'orders-note': offer(ordersNote, ['id', 'text', 'version']),
  'orders-update': offer(ordersUpdate, ['id', 'tags', 'claim', 'version']),
  'orders-verify-prescription': offer(ordersVerify, [...VERIFICATION, ...PRESCRIBER]),
  'orders-reject-prescription': offer(ordersReject, ['id', 'prescription', 'reason', 'version']),
  'catalog-versions': offer(catalogVersions, []),
  'catalog-search': offer(catalogSearch, ['text', 'page']),
  'catalog-shortage': offer(catalogShortage, ['products', 'on', 'off']),
  'stock-list': offer(stockList, ['below', 'store']),
  'stock-adjust': offer(stockAdjust, ['product', 'store', 'by', 'reason']),
  'invoices-list': offer(invoicesList, ['status', 'waiting', 'limit']),
  'invoices-issue': offer(invoicesIssue, ['orderId', 'version', ...RECEIVER]),
  'invoices-cancel': offer(invoicesCancel, ['orderId', 'version']),
  'invoices-replace': offer(invoicesReplace, ['orderId', 'version', ...RECEIVER]),
  'invoices-credit': offer(invoicesCredit, CREDIT),
  'invoices-resend': offer(invoicesResend, ['orderId', 'version']),
  'invoices-handled': offer(ordersHandled, ['orderId', 'what', 'version']),
} satisfies Readonly<Record<string, Command>>;

function offer<Named, Document, Key extends keyof Named & string>(
  command: Command<Named, Document>,
  keys: readonly Key[],
): Command<Pick<Named, Key>, Document> {
  return {
    ...command,
    fields: command.fields.filter(({ key }) => keys.some((each) => each === key)),
    async runNamed(named, call) {
      refuseOthers(Object(named), keys);
      return command.runNamed(named as Named, call);
    },
  };
}

/** True for a command that changes an order: it takes the version that the reader saw. */
export const isAct = ({ fields }: Command): boolean => fields.some(({ key }) => key === 'version');

type CounterCommands = typeof COUNTER_COMMANDS;
export type CommandName = keyof CounterCommands;

export type FormFields = Readonly<Partial<Record<CommandName, readonly Field[]>>>;

export const listFormFields = (): FormFields =>
  Object.fromEntries(Object.entries(COUNTER_COMMANDS).map(([name, { fields }]) => [name, fields]));

export type InputOf<Name extends CommandName> = Parameters<CounterCommands[Name]['runNamed']>[0] & object;
export type DocumentOf<Name extends CommandName> = Awaited<ReturnType<CounterCommands[Name]['runNamed']>>['document'];
