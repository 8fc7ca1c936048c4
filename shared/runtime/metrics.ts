import { logInfo } from './log.ts';

/**
 * What the jobs count at each run and an operator has to know of. A figure is a field of a log line, which the stack
 * makes a metric of; its alarms go by these names.
 */
export const FIGURES = [
  /** Hours since the current catalog was published. */
  'catalogAgeHours',
  /** Mails of issued invoices that SES has not taken yet. */
  'unsentMail',
  /** Invoices of which it is not known whether they were issued. */
  'unsettledInvoices',
  /** Invoices of credit orders that were paid since and still lack their payment complement. */
  'complementDue',
  /** Invoices of cancelled orders whose receiver refused the cancellation. */
  'cancellationRejected',
] as const;
export type Figure = (typeof FIGURES)[number];

export const reportFigures = (figures: Readonly<Partial<Record<Figure, number>>>): void => logInfo('figures', figures);
