import { addMinutes } from '../../working-day.ts';
import type { DocumentMail, TaxDocument } from '../tax-document.ts';

// A claimed mail is sent within seconds.
const CLAIM_MINUTES = 10;

/** Claims the mail: whoever stores this sends it. */
export const claimMail = (document: TaxDocument, now: Date): TaxDocument =>
  setMail(document, { status: 'sending', tries: getTries(document) + 1 }, addMinutes(now, CLAIM_MINUTES));

const getTries = ({ mail }: TaxDocument): number => mail?.tries ?? 0;

const MAILED_STATUSES: readonly TaxDocument['status'][] = ['issued', 'cancellation_rejected', 'cancelled'];

/** True if a document has a mail: a valid one its own, and a cancelled one that of its cancellation. */
const hasMail = ({ status }: TaxDocument): boolean => MAILED_STATUSES.includes(status);

/** Sets the mail's state. A document that is being cancelled keeps the time of its next check. */
const setMail = (document: TaxDocument, mail: DocumentMail, dueAt: string | null): TaxDocument => ({
  ...document,
  mail,
  dueAt: hasMail(document) ? dueAt : document.dueAt,
});

// Nearly three days in all, which outlasts an outage of SES or of the sender's domain.
const MAIL_PAUSES_MINUTES = [1, 5, 15, 60, 180, 360, 720, 1_440, 1_440];

/** Schedules the next attempt to send the mail with growing pauses; gives up after the last one. */
export function postponeMail(document: TaxDocument, now: Date): TaxDocument {
  const tries = getTries(document);
  const pause = MAIL_PAUSES_MINUTES[tries - 1];
  if (pause === undefined) return finishMail(document, 'given_up');
  return setMail(document, { status: 'due', tries }, addMinutes(now, pause));
}

/** Ends the automatic sending of the mail. */
export const finishMail = (document: TaxDocument, status: 'sent' | 'unconfirmed' | 'given_up'): TaxDocument =>
  setMail(document, { status, tries: getTries(document) }, null);

// The states of a mail that may have reached the receiver.
const KNOWN_TO_RECEIVER: readonly (DocumentMail['status'] | undefined)[] = ['sending', 'sent', 'unconfirmed'];

/**
 * Claims the mail of a cancellation if the receiver may have got the document; another mail, which was never sent, is
 * dropped.
 */
export function claimCancellationMail(document: TaxDocument, now: Date): TaxDocument {
  const handled = document.handled.filter((action) => action !== 'mail_unconfirmed' && action !== 'mail_given_up');
  if (KNOWN_TO_RECEIVER.includes(document.mail?.status)) return claimMail({ ...document, handled }, now);
  return { ...document, mail: null };
}

/** True if the mail of a document has to be sent, or somebody is sending it. */
export const isMailWaiting = (document: TaxDocument): boolean =>
  hasMail(document) && (document.mail?.status === 'due' || document.mail?.status === 'sending');
