/** One algorithm of password hashes, whose PHC strings name their parameters. */
export type PasswordHash = {
  /** The beginning of its PHC strings. */
  readonly prefix: string;
  /**
   * A hash with today's parameters that no password matches, since its tag is random. To verify a password against it takes
   * as long as against a user's.
   */
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
const decodeBase64 = (text: string): Buffer => Buffer.from(text, 'base64');

type ParsedPhc = {
  readonly parameters: readonly [number, number, number];
  readonly salt: Buffer;
  readonly tag: Buffer;
  readonly tagLength: number;
};

/** Parses a PHC string by a pattern that captures its three parameters, its salt and its tag. Throws on any other text. */
export function parsePhc(pattern: RegExp, phc: string): ParsedPhc {
  const match = pattern.exec(phc);
  if (!match) throw new Error('a stored password hash is no PHC string');
  const [first, second, third, salt, tag] = match.slice(1) as [string, string, string, string, string];
  const tagBytes = decodeBase64(tag);
  return {
    parameters: [Number(first), Number(second), Number(third)],
    salt: decodeBase64(salt),
    tag: tagBytes,
    tagLength: tagBytes.length,
  };
}
