import { toMonthInstants } from '../domain/working-day.ts';
import type { Order } from '../order/order.ts';
import { ledgerRows, uninvoicedRows } from '../order/rows/invoice-rows.ts';
import type { Table } from '../store/table.ts';
import { getPartSales, globalParts, type PartOrder } from './global/global-parts.ts';
import { isInPart, readListedOrders } from './global/issue-globals.ts';
import { type AccountingRow, negate, toBareRow, toDocumentRow, toGlobalRow } from './rules/accounting.ts';
import type { ArchivedPart } from './rules/document-values.ts';
import { findDocument, nameFiles } from './rules/tax-document.ts';

type Month = { readonly month: string; readonly timeZone: string };

/**
 * Reads a month for accounting: the documents of orders that were stamped in it where they were issued, those that were
 * cancelled in it once more with negative amounts, the orders of its global invoices, whenever they were stamped, and the
 * orders that were paid in it and are in no document.
 */
export async function readMonth(table: Table, { month, timeZone }: Month): Promise<AccountingRow[]> {
  const [documents, bare] = await Promise.all([
    readDocuments(table, { month, timeZone }),
    uninvoicedRows(table, toMonthInstants(month, timeZone)),
  ]);
  const orders = await readOrders(table, bare);
  const rows = documents.map(({ row, isCancellation }) => (isCancellation ? negate(row) : row));
  const bareRows = bare.flatMap(({ orderId }) => {
    const order = orders.get(orderId);
    return order ? toBareRow(order, timeZone) : [];
  });
  return [...rows, ...(await readGlobals(table, { month, timeZone })), ...bareRows];
}

/** Reads the documents of orders that were stamped or cancelled in a month where they were issued, each with its row. */
async function readDocuments(table: Table, { month, timeZone }: Month) {
  const ledger = await ledgerRows(table, widen(toMonthInstants(month, timeZone)));
  const documents = ledger.flatMap((row) => ('orderId' in row ? row : []));
  const orders = await readOrders(table, documents);
  return documents.flatMap(({ orderId, documentKey, isCancellation = false }) => {
    const order = orders.get(orderId);
    const document = order && findDocument(order, documentKey);
    if (!order || !document) return [];
    const row = toDocumentRow(order, document, timeZone);
    const day = isCancellation ? row.cancelled_on : row.stamped_on;
    return day.startsWith(month) ? [{ document, isCancellation, row }] : [];
  });
}

const DAY_MS = 86_400_000;

/** Widens a month of the business by a day, as it begins and ends at other instants where a branch issues its documents. */
const widen = ({ from, until }: { readonly from: Date; readonly until: Date }) => ({
  from: new Date(from.getTime() - DAY_MS),
  until: new Date(until.getTime() + DAY_MS),
});

/** Reads the orders of the month's global invoices; while a part is collecting, those that it has marked. */
async function readGlobals(table: Table, { month, timeZone }: Month): Promise<AccountingRow[]> {
  const rows: AccountingRow[] = [];
  for (const part of await globalParts(table, { from: month, until: month })) {
    const { orders, sales } = await getPartSales(table, part);
    const isCollecting = part.status === 'collecting';
    const candidates = [...(await readOrders(table, isCollecting ? orders : sales)).values()];
    const ofPart = isCollecting ? candidates.filter((order) => isInPart(order, part)) : candidates;
    rows.push(...ofPart.map((order) => toGlobalRow(order, part, timeZone)));
  }
  return rows;
}

/** Reads orders by their ids, each once; no two clients have one of the same id. */
async function readOrders(table: Table, listed: readonly PartOrder[]): Promise<Map<number, Order>> {
  const distinct = new Map(listed.map((order) => [order.orderId, order]));
  const orders = await readListedOrders(table, [...distinct.values()]);
  return new Map(orders.map((order) => [order.id, order]));
}

const COPIES = [
  { file: 'pdf', part: 'files', ending: '.pdf' },
  { file: 'xml', part: 'files', ending: '.xml' },
  { file: 'receipt', part: 'receipt', ending: '-acuse.xml' },
] as const;

/** A document with the parts of its copy to be written; none if it is not issued or its patient was erased long ago. */
type ListedCopies = Parameters<typeof nameFiles>[0] & {
  readonly key: string;
  readonly kept: readonly ArchivedPart[];
};

/** Lists the documents that were stamped or cancelled in a month, and the global invoices of its sales. */
export async function listMonth(table: Table, month: string, timeZone: string): Promise<ListedCopies[]> {
  const documents = await readDocuments(table, { month, timeZone });
  const parts = await globalParts(table, { from: month, until: month });
  const globals = parts.filter(({ status }) => status === 'issued');
  return [
    ...documents.map(({ document, isCancellation }) => {
      const { kept, ...copies } = document;
      return { ...copies, kept: kept.filter((part) => (part === 'receipt') === isCancellation) };
    }),
    ...globals.map((part) => ({ ...part, kind: 'global' as const, kept: part.isKept ? (['files'] as const) : [] })),
  ];
}

/** Names the copies. Documents of the sandbox have the folio of their order, so that their UUIDs tell equal names apart. */
export function nameCopies(listed: readonly ListedCopies[]) {
  const keys = Map.groupBy(listed, nameFiles);
  return listed.flatMap((document) => {
    const { key, providerId, stamp, kept } = document;
    const name = nameFiles(document);
    const isShared = new Set(keys.get(name)?.map((same) => same.key)).size > 1;
    const unique = isShared ? `${name}-${(stamp?.uuid ?? providerId).slice(0, 8)}` : name;
    const copies = COPIES.filter(({ part }) => kept.includes(part));
    return copies.map(({ file, ending }) => ({ key, file, name: `${unique}${ending}` }));
  });
}
