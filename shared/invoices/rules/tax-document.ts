import type * as z from 'zod';
import { type Cents, sumCents } from '../../domain/money.ts';
import type { SalePart } from '../../domain/sale-parts.ts';
import { addMinutes } from '../../domain/working-day.ts';
import type { storedTaxDocument } from './stored-document.ts';

export type TaxDocument = Readonly<z.infer<typeof storedTaxDocument>>;
export type Stamp = NonNullable<TaxDocument['stamp']>;
export type Cancellation = NonNullable<TaxDocument['cancellation']>;

/** `documents`: complements, credit notes, replaced invoices and a replacement in progress. */
export type OrderDocuments = { readonly invoice: TaxDocument | null; readonly documents: readonly TaxDocument[] };

export const listDocuments = ({ invoice, documents }: OrderDocuments): TaxDocument[] => [
  ...(invoice ? [invoice] : []),
  ...documents,
];

export const mapDocuments = (
  { invoice, documents }: OrderDocuments,
  change: (document: TaxDocument) => TaxDocument,
): OrderDocuments => ({ invoice: invoice && change(invoice), documents: documents.map(change) });

export const replaceDocument = (documents: OrderDocuments, key: string, next: TaxDocument): OrderDocuments =>
  mapDocuments(documents, (document) => (document.key === key ? next : document));

/** True if a document was never issued or is no longer valid. */
export const isVoid = ({ status }: Pick<TaxDocument, 'status'>): boolean =>
  status === 'refused' || status === 'not_issued' || status === 'cancelled';

/** True while a request or a job tries to issue a document. */
export const isUnderWay = ({ status }: Pick<TaxDocument, 'status'>): boolean =>
  status === 'requested' || status === 'retrying';

/** c_FormaPago 15 "Condonación": nothing goes back of what was not paid (guide of Anexo 20, appendix 5, II b, page 65). */
export const REMITTED = '15';

/** Returns the credit notes, valid or in progress, that remit what was never paid. */
export const listRemissions = (documents: readonly TaxDocument[]): TaxDocument[] =>
  documents.filter((item) => item.kind === 'credit' && item.paymentForm === REMITTED && !isVoid(item));

export const sumAmounts = (documents: readonly Pick<TaxDocument, 'amountCents'>[]): Cents =>
  sumCents(documents.map(({ amountCents }) => amountCents));

export const listCreditedParts = (credits: readonly TaxDocument[]): SalePart[] =>
  credits.flatMap(({ parts = [] }) => parts);

export const findDocument = (order: OrderDocuments, key: string): TaxDocument | undefined =>
  listDocuments(order).find((document) => document.key === key);

/** Returns the invoice that a document replaces, pays or credits. */
export const findRelated = (order: OrderDocuments, { relatedUuid }: TaxDocument): TaxDocument | undefined =>
  listDocuments(order).find(({ stamp }) => stamp !== null && stamp.uuid === relatedUuid);

const FILE_NAMES = {
  invoice: 'factura',
  payment: 'complemento-de-pago',
  credit: 'nota-de-credito',
  global: 'factura-global',
} as const;

type Named = Pick<TaxDocument, 'providerId' | 'stamp'> & { readonly kind: keyof typeof FILE_NAMES };

/** Returns the name of a document's files without an extension: kind, series and folio (`factura-F-12`). */
export const nameFiles = ({ kind, stamp, providerId }: Named): string =>
  [FILE_NAMES[kind], stamp?.series, stamp?.folio || stamp?.uuid || providerId]
    .filter((part) => part)
    .join('-')
    .replace(/[^\w-]/g, '_');

export type TaskName = keyof TaxDocument['tasks'];
type Task = NonNullable<TaxDocument['tasks'][TaskName]>;

/** A request lasts 10 s at most, so after a minute no request waits for the provider. */
export const FIRST_LOOK_MINUTES = 1;

// The receiver has three days to answer SAT (RMF 2.7.1.34), and a provider may be down for a night.
const LONGEST_PAUSE_MINUTES = 60;

/** 2, 4, 8 … minutes, at most an hour. */
export const getPauseMinutes = (tries: number): number => Math.min(2 ** (tries + 1), LONGEST_PAUSE_MINUTES);

export const setTask = (document: TaxDocument, name: TaskName, task: Task): TaxDocument => ({
  ...document,
  tasks: { ...document.tasks, [name]: task },
});

export const startTask = (document: TaxDocument, name: TaskName, dueAt: string): TaxDocument =>
  setTask(document, name, { tries: 0, dueAt });

/** Schedules the next try with exponential backoff. */
export function repeatTask(document: TaxDocument, name: TaskName, now: Date): TaxDocument {
  const tries = document.tasks[name]?.tries ?? 0;
  return setTask(document, name, { tries: tries + 1, dueAt: addMinutes(now, getPauseMinutes(tries)) });
}

export function endTask(document: TaxDocument, name: TaskName): TaxDocument {
  const { [name]: _, ...tasks } = document.tasks;
  return { ...document, tasks };
}
