const DAY_MS = 86_400_000;

/** Returns how many days before the local date `today` a prescription was issued; both `YYYY-MM-DD`. */
export const countDaysSince = (issueDate: string, today: string): number =>
  (Date.parse(today) - Date.parse(issueDate)) / DAY_MS;
