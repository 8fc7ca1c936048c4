const RETENTION_YEARS = 5;
const YEAR = 'YYYY'.length;

/**
 * Returns the last day (`YYYY-MM-DD`) on which tax law requires the record of an invoice of this local day: five years
 * after the due date of its annual return (CFF art. 30). That return is due in the next year, by 31 March for companies
 * (LISR art. 76) and by 30 April for persons (LISR art. 150); the later date counts. A corrected return or an appeal extends
 * the period, which this function cannot know.
 */
export const getTaxRetentionEnd = (invoicedOn: string): string =>
  `${Number(invoicedOn.slice(0, YEAR)) + 1 + RETENTION_YEARS}-04-30`;
