import type { APIGatewayProxyEvent } from 'aws-lambda';

/** `strict` refuses the parameters and fields that a contract does not have, `lenient` ignores them. */
type Handling = 'strict' | 'lenient';

/** The characters of the header that are read; what follows them is ignored. */
export const MAX_PREFERENCES = 1_000;

// A comma between quotes separates nothing.
const PREFERENCE = /(?:"(?:[^"\\]|\\.)*"|[^",])+/g;
const HANDLING = /^\s*handling\s*=\s*(?:"(?<quoted>[^"]*)"|(?<plain>[^\s";]+))\s*(?:;.*)?$/i;

/** Returns the first `handling` preference of a request, if it has one (RFC 7240). Expects header names in lower case. */
export function readHandling({ headers, multiValueHeaders }: APIGatewayProxyEvent): Handling | undefined {
  const written = (multiValueHeaders?.prefer ?? [headers.prefer ?? '']).join(',').slice(0, MAX_PREFERENCES);
  const preferences = written.match(PREFERENCE) ?? [];
  const { quoted, plain } = preferences.map((one) => HANDLING.exec(one)?.groups).find(Boolean) ?? {};
  const value = (quoted ?? plain)?.toLowerCase();
  return value === 'strict' || value === 'lenient' ? value : undefined;
}

type Headers = Readonly<Record<string, string | number | boolean>>;

/** Returns the headers that say which preference an answer applied, beside those that it has; none without a preference. */
export function acknowledge(handling: Handling | undefined, headers: Headers): Headers {
  if (handling === undefined) return {};
  const { Vary: varies, 'Access-Control-Expose-Headers': exposed } = headers;
  return {
    'Preference-Applied': `handling=${handling}`,
    // Without the header an answer says nothing of it, and is what it has always been.
    Vary: varies ? `${varies}, Prefer` : 'Prefer',
    ...(exposed && { 'Access-Control-Expose-Headers': `${exposed}, Preference-Applied` }),
  };
}
