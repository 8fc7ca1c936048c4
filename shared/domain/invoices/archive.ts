import { addMinutes } from '../working-day.ts';
import { ARCHIVED_PARTS, type Archive, type ArchivedPart, type TaxDocument } from './tax-document.ts';

// Whoever issues a document mails it within seconds, and copies it for that.
const FIRST_COPY_MINUTES = 1;

/** Schedules the first copy of a document that was issued and is being mailed. */
export const startArchive = (now: Date): Archive => ({
  kept: [],
  tries: 0,
  dueAt: addMinutes(now, FIRST_COPY_MINUTES),
});

/** Schedules the copy of what a document lacks for now: a job makes it next. */
export const completeArchive = (archive: Archive | null, now: Date): Archive => ({
  kept: archive?.kept ?? [],
  tries: 0,
  dueAt: now.toISOString(),
});

/** Returns what a document lacks of its copy: a receipt if it was cancelled. */
export function listMissingParts({ status, archive }: Pick<TaxDocument, 'status' | 'archive'>): ArchivedPart[] {
  if (!archive) return [];
  const wanted: readonly ArchivedPart[] = status === 'cancelled' ? ARCHIVED_PARTS : ['files'];
  return wanted.filter((part) => !archive.kept.includes(part));
}

/** Records the parts that were copied; without a part that is missing, nothing is due any more. */
export function recordCopy(document: TaxDocument, copied: readonly ArchivedPart[]): TaxDocument {
  if (!document.archive) return document;
  const archive = { ...document.archive, kept: [...new Set([...document.archive.kept, ...copied])] };
  const isComplete = listMissingParts({ ...document, archive }).length === 0;
  return { ...document, archive: isComplete ? { ...archive, tries: 0, dueAt: null } : archive };
}

const LONGEST_PAUSE_MINUTES = 60;
// Some two days. A provider may offer no receipt; SAT's own page has it.
const RECEIPT_TRIES = 48;

// After these, the pause grows no more.
const COUNTED_FAILURES = 6;

/**
 * Schedules the next copy with exponential backoff: after 2, 4, 8 … minutes, at most an hour. A receipt that the provider
 * does not offer is given up at last; while the provider is down, that is not known.
 */
export function postponeCopy(document: TaxDocument, now: Date, cause: 'failed' | 'not_offered'): TaxDocument {
  const { archive } = document;
  if (!archive) return document;
  const tries = cause === 'failed' && archive.tries >= COUNTED_FAILURES ? archive.tries : archive.tries + 1;
  const isGivenUp = cause === 'not_offered' && tries > RECEIPT_TRIES && archive.kept.includes('files');
  const dueAt = isGivenUp ? null : addMinutes(now, Math.min(2 ** tries, LONGEST_PAUSE_MINUTES));
  return { ...document, archive: { ...archive, tries, dueAt } };
}

/** True if a job has to copy what is missing by now. */
export const isCopyDue = ({ archive }: TaxDocument, now: Date): boolean =>
  typeof archive?.dueAt === 'string' && archive.dueAt <= now.toISOString();
