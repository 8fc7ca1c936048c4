/** What the page has to know before its first command. */
export type Session = {
  /** What the counter works on: `Local: …` or `Stage: …`. */
  readonly place: string;
  /** Who works at the counter, as the history of an order names them. */
  readonly operator: string;
  /** The shop's time zone, in which every date is shown. */
  readonly timeZone: string;
};
