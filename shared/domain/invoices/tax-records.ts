const RETENTION_YEARS = 5;
const YEAR = 'YYYY'.length;

/**
 * The last day (`YYYY-MM-DD`) on which tax law needs what was invoiced on a local day: five years from when the return that
 * it belongs to was due (CFF art. 30). That is the annual return of the year after, by 31 March for companies (LISR art. 76)
 * and by 30 April for persons (LISR art. 150); the later of the two, so that nothing goes too early. A corrected return or
 * an appeal prolongs it, which nothing here knows of.
 */
export const taxRecordsUntil = (invoicedOn: string): string =>
  `${Number(invoicedOn.slice(0, YEAR)) + 1 + RETENTION_YEARS}-04-30`;
