/** The facts that the page needs before its first command. */
export type Session = {
  /** The place that the counter works on: `Local: …` or `Stage: …`. */
  readonly place: string;
  /** The person at the counter, as the history of an order names them. */
  readonly operator: string;
  /** The shop's time zone, in which every date is shown. */
  readonly timeZone: string;
};
