/** One algorithm of password hashes, whose PHC strings name their parameters. */
export type PasswordHash = {
  /** The beginning of its PHC strings. */
  readonly prefix: string;
  /** A hash with today's parameters and a random tag, which no password fits: verifying it takes as long as a real one. */
  readonly dummy: string;
  /** Returns the PHC string of a password, with today's parameters and a new salt. */
  hash(password: string): Promise<string>;
  /** True when the PHC string was made from this password, with whatever parameters it names. Throws on any other text. */
  verify(phc: string, password: string): Promise<boolean>;
  /** True when the PHC string has today's parameters. */
  isOfToday(phc: string): boolean;
};

// The PHC string format leaves out the padding.
export const encodeBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
export const decodeBase64 = (text: string): Buffer => Buffer.from(text, 'base64');
