import { listDocuments, type TaxDocument } from '../invoices/rules/tax-document.ts';
import type { Order } from './order.ts';
import { DOCUMENT_EVENT_NAMES, type Happening } from './order-events.ts';

export const requestedEvents = (documents: readonly TaxDocument[]): Happening[] =>
  documents.map(({ kind }) => ({ what: `${DOCUMENT_EVENT_NAMES[kind]}_requested` }));

/** Compares, since one change may issue a document, cancel another and owe a third. */
export function listDocumentEvents(before: Order, after: Order): Happening[] {
  const earlier = new Map(listDocuments(before).map((document) => [document.key, document]));
  return listDocuments(after).flatMap((document) => listEvents(earlier.get(document.key), document));
}

const MAIL_EVENTS = new Map<string | undefined, Happening['what']>([
  ['sent', 'invoice_mailed'],
  ['unconfirmed', 'mail_unconfirmed'],
  ['given_up', 'mail_given_up'],
]);

function listEvents(earlier: TaxDocument | undefined, document: TaxDocument): Happening[] {
  const { kind, status, mail, handled } = document;
  // The first attempt of a document that a job is about to issue.
  const isFirstAttempt = earlier === undefined && status === 'retrying';
  const mailed = mail && mail !== earlier?.mail ? MAIL_EVENTS.get(mail) : undefined;
  return [
    ...(status === earlier?.status || isRepetition(document)
      ? []
      : [{ what: `${DOCUMENT_EVENT_NAMES[kind]}_${isFirstAttempt ? 'requested' : status}` } as const]),
    ...(handled.length > (earlier?.handled.length ?? 0) ? [{ what: 'invoice_handled' } as const] : []),
    ...(mailed ? [{ what: mailed }] : []),
  ];
}

/** True if a job merely repeated a failed attempt: a provider that is down for a day makes one event. */
const isRepetition = ({ status, retries = 0 }: TaxDocument): boolean =>
  retries > 0 && (status === 'requested' || status === 'retrying');
