import * as z from 'zod';
import { formatFolio } from '../../order/rules/status.ts';
import { GLOBAL_PARTITION, globalPartKey, globalSalesKey } from '../../store/keys.ts';
import { parseItem, toItem } from '../../store/parse-item.ts';
import { ABSENT, type Item, type Table, type Write } from '../../store/table.ts';
import type { GlobalSale } from '../rules/build/cfdi.ts';
import { sumBases, taxOf } from '../rules/global/sales.ts';

/**
 * `collecting`: its orders are being marked. `requested`: its sales are fixed, and issuing may have begun. `refused`: nothing
 * was issued, and the same data will be refused again. `empty`: all orders were invoiced or cancelled before they were marked.
 */
const PART_STATUSES = ['collecting', 'requested', 'issued', 'refused', 'empty'] as const;

const storedPart = z.object({
  period: z.string(),
  part: z.number(),
  status: z.enum(PART_STATUSES),
  version: z.number(),
  key: z.string(),
  providerId: z.string(),
  stamp: z.object({ uuid: z.string(), series: z.string(), folio: z.string(), at: z.string() }).nullable(),
  /** While it is collecting, the number of its candidates. */
  orderCount: z.number(),
  totalCents: z.number(),
  /** SAT's c_FormaPago; '' while it is collecting. */
  paymentForm: z.string(),
  /** The issuer's zip code; '' while it is collecting. */
  zipcode: z.string(),
  createdAt: z.string(),
  issuedAt: z.string().nullable(),
  /** Our bucket has a copy of its XML and PDF. */
  isKept: z.boolean().default(false),
  /** The reason of a refusal, or the error in an issued document. */
  reason: z.string().nullable(),
});
/** One document of the global invoice of a local month. */
export type GlobalPart = Readonly<z.infer<typeof storedPart>>;

/** Returns the parts from one month through another; one query. */
export async function globalParts(
  table: Table,
  { from, until }: { readonly from: string; readonly until: string },
): Promise<GlobalPart[]> {
  const values = { ':from': from, ':until': `${until}~` };
  const items = await table.all({ pk: GLOBAL_PARTITION, where: 'sk BETWEEN :from AND :until', values });
  return items.map(parsePart);
}

const parsePart = (item: Item): GlobalPart => parseItem(storedPart, item, 'part of a global invoice');

/** The issued part that a credit note relates to. */
export type CreditedPart = { readonly relatedUuid: string; readonly globalZipcode: string };

/** Undefined until the part that contains the order is issued. */
export async function findCreditedPart(
  { global }: { readonly global: Pick<GlobalPart, 'period' | 'part'> | null },
  table: Table,
): Promise<CreditedPart | undefined> {
  const item = global && (await table.get(globalPartKey(global.period, global.part)));
  const part = item && parsePart(item);
  return part?.stamp ? { relatedUuid: part.stamp.uuid, globalZipcode: part.zipcode } : undefined;
}

export type PartOrder = { readonly clientId: number; readonly orderId: number };
type PartSale = PartOrder & { readonly sale: GlobalSale };

const storedSales = z.object({
  orders: z.array(z.tuple([z.number(), z.number()])).readonly(),
  /** The bases of each order by rate, in millionths, from which IVA follows; empty while the part is collecting. */
  bases: z.array(z.array(z.tuple([z.number(), z.number()]))).readonly(),
});

/** Stores a new part with its candidate orders. Returns false if this number exists already. */
export function createPart(table: Table, part: GlobalPart, orders: readonly PartOrder[]): Promise<boolean> {
  const item = toItem(globalPartKey(part.period, part.part), part);
  return table.tryTransact([{ Put: { Item: item, ConditionExpression: ABSENT } }, salesWrite(part, orders, [])]);
}

/** Replaces a part by its next version, with more writes. After a conflict returns `before`: another run continues the part. */
export async function changePart(
  table: Table,
  before: GlobalPart,
  changes: Partial<GlobalPart>,
  more: readonly Write[] = [],
): Promise<GlobalPart> {
  const after = { ...before, ...changes, version: before.version + 1 };
  const replacement = {
    Put: {
      Item: toItem(globalPartKey(before.period, before.part), after),
      ConditionExpression: 'version = :before',
      ExpressionAttributeValues: { ':before': before.version },
    },
  };
  return (await table.tryTransact([replacement, ...more])) ? after : before;
}

/** Stores a part's orders with their sales. 2,000 orders of three rates have some 160 KB; an item may have 400. */
export function salesWrite(part: GlobalPart, orders: readonly PartOrder[], sales: readonly GlobalSale[]): Write {
  const stored: z.infer<typeof storedSales> = {
    orders: orders.map(({ clientId, orderId }) => [clientId, orderId]),
    bases: sales.map(({ taxes }) => taxes.map((tax) => [tax.rateMicros, Number(tax.baseMicros)])),
  };
  return { Put: { Item: toItem(globalSalesKey(part.period, part.part), stored) } };
}

export async function getPartSales(
  table: Table,
  { period, part }: Pick<GlobalPart, 'period' | 'part'>,
): Promise<{ readonly orders: readonly PartOrder[]; readonly sales: readonly PartSale[] }> {
  const item = await table.get(globalSalesKey(period, part));
  if (!item) throw new Error('a part of a global invoice has its orders');
  const stored = parseItem(storedSales, item, 'sales of a global invoice');
  const orders = stored.orders.map(([clientId, orderId]) => ({ clientId, orderId }));
  const sales = orders.flatMap((order, index) => {
    const bases = stored.bases[index];
    return bases ? [{ ...order, sale: parseSale(order.orderId, bases) }] : [];
  });
  return { orders, sales };
}

function parseSale(orderId: number, bases: readonly (readonly [number, number])[]): GlobalSale {
  const taxes = bases.map(([rateMicros, base]) => taxOf(rateMicros, BigInt(base)));
  return { folio: formatFolio(orderId), amountMicros: sumBases(taxes), taxes };
}
