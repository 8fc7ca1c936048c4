import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import * as z from 'zod';
import { representForOperator } from '../../../shared/answers/order.ts';
import { date, requiredText } from '../../../shared/api/fields.ts';
import { ORDER_STATUSES, PAYMENT_STATUSES } from '../../../shared/domain/order.ts';
import { business } from '../../../shared/runtime/business.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { clientById } from '../../../shared/store/access/clients.ts';
import { Ids } from '../../../shared/store/ids.ts';
import { latestOrders } from '../../../shared/store/order-lists/order-search.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { openTable } from '../../../shared/store/table.ts';
import { moveOrder, movePayment } from '../../../shared/usecases/orders/move-order.ts';
import { existingOrder } from '../../../shared/usecases/orders/operate-order.ts';
import { attachPrescription } from '../../../shared/usecases/prescriptions/attach-prescription.ts';
import { verifyPrescription } from '../../../shared/usecases/prescriptions/verify-prescription.ts';
import {
  type Command,
  type CommandIo,
  CommandRefusal,
  command,
  type ExitCode,
  type Input,
  positionals,
  printJson,
  UsageError,
} from '../command.ts';
import { idOption, validOptions } from '../options.ts';
import { openDocuments } from './documents.ts';
import { listedOrder, listText, orderText } from './order-text.ts';
import { ordersRecount } from './recount.ts';

const MAX_LISTED = 1_000;

const listOptions = z.object({
  client: idOption,
  status: z.enum(ORDER_STATUSES).optional(),
  payment: z.enum(PAYMENT_STATUSES).optional(),
  limit: idOption.pipe(z.number().max(MAX_LISTED)).default(20),
});

const ordersList = command({
  name: 'orders list',
  summary: 'List the latest orders of a client, the newest first',
  usage: '--client <id> [--status <order_status>] [--payment <payment_status>] [--limit <number, 20>]',
  example: '--client 2 --status pending_approval',
  options: {
    client: { type: 'string' },
    status: { type: 'string' },
    payment: { type: 'string' },
    limit: { type: 'string' },
  },
  async run(input, io) {
    positionals(input);
    const { client, status, payment, limit } = validOptions(listOptions, input.values);
    const table = openTable();
    if (!(await clientById(table, client))) throw new CommandRefusal(`There is no client ${client}.`);
    const selection = { clientId: client, orderStatus: status, paymentStatus: payment, limit };
    const orders = (await latestOrders(table, selection)).map(listedOrder);
    if (input.isJson) return printJson(io, { orders });
    io.stdout.write(listText(orders, io));
    return 0;
  },
});

const ordersShow = command({
  name: 'orders show',
  summary: 'Show everything of an order; links to its documents are good for 5 minutes',
  usage: '<id>',
  example: '42',
  options: {},
  async run(input, io) {
    const order = await existingOrder(openTable(), orderId(input));
    const shown = await representForOperator(order, openDocuments());
    if (input.isJson) return printJson(io, shown);
    io.stdout.write(orderText(shown, io));
    return 0;
  },
});

const ordersMove = command({
  name: 'orders move',
  summary: 'Move an order to another order_status',
  usage: '<id> --to <order_status>',
  example: '42 --to approved',
  options: { to: { type: 'string' } },
  async run(input, io) {
    const id = orderId(input);
    const { to } = validOptions(z.object({ to: z.enum(ORDER_STATUSES) }), input.values);
    const order = await moveOrder({ id, to, now: now() }, { table: openTable(), business: business() });
    return report(order, `Order ${id} is ${to} now.`, input, io);
  },
});

const ordersPay = command({
  name: 'orders pay',
  summary: 'Move the payment of an order to another payment_status',
  usage: '<id> --status <payment_status>',
  example: '42 --status paid',
  options: { status: { type: 'string' } },
  async run(input, io) {
    const id = orderId(input);
    const { status: to } = validOptions(z.object({ status: z.enum(PAYMENT_STATUSES) }), input.values);
    const order = await movePayment({ id, to, now: now() }, { table: openTable() });
    return report(order, `The payment of order ${id} is ${to} now.`, input, io);
  },
});

const attachOptions = z.object({ file: requiredText(4_096), 'issue-date': date, 'expiring-date': date.optional() });

const ordersAttach = command({
  name: 'orders attach-prescription',
  summary: 'Add a prescription to an order: a PDF, JPEG or PNG file of at most 3 MB',
  usage: '<id> --file <path> --issue-date <YYYY-MM-DD> [--expiring-date <YYYY-MM-DD>]',
  example: '42 --file receta.pdf --issue-date 2026-11-01',
  options: { file: { type: 'string' }, 'issue-date': { type: 'string' }, 'expiring-date': { type: 'string' } },
  async run(input, io) {
    const id = orderId(input);
    const { file, ...dates } = validOptions(attachOptions, input.values);
    const table = openTable();
    const attaching = {
      id,
      bytes: await readFile(file),
      fileName: basename(file),
      issueDate: dates['issue-date'],
      expiringDate: dates['expiring-date'] ?? null,
      now: now(),
    };
    const deps = { table, ids: new Ids(table), documents: openDocuments(), business: business() };
    const order = await attachPrescription(attaching, deps);
    const added = order.prescriptions.at(-1)?.id;
    return report(order, `Prescription ${added} is attached to order ${id}, not verified yet.`, input, io);
  },
});

const ordersVerify = command({
  name: 'orders verify-prescription',
  summary: 'Record that a pharmacist found the prescriptions of an order good, or one of them',
  usage: '<id> [--prescription <id>]',
  example: '42',
  options: { prescription: { type: 'string' } },
  async run(input, io) {
    const id = orderId(input);
    const { prescription } = validOptions(z.object({ prescription: idOption.optional() }), input.values);
    const order = await verifyPrescription({ id, prescription, now: now() }, openTable());
    const which = prescription === undefined ? 'Every prescription' : `Prescription ${prescription}`;
    return report(order, `${which} of order ${id} is verified now.`, input, io);
  },
});

function orderId(input: Input): number {
  const [written] = positionals(input, 'id');
  const read = idOption.safeParse(written);
  if (read.success) return read.data;
  throw new UsageError(`<id> must be the id of an order, not "${written}"`);
}

async function report(order: Order, sentence: string, { isJson }: Input, io: CommandIo): Promise<ExitCode> {
  if (isJson) return printJson(io, await representForOperator(order, openDocuments()));
  io.stdout.write(`${sentence}\n`);
  return 0;
}

export const orderCommands: readonly Command[] = [
  ordersList,
  ordersShow,
  ordersMove,
  ordersPay,
  ordersAttach,
  ordersVerify,
  ordersRecount,
];
