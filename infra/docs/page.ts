export type ReferenceOptions = {
  /** The address of the API, with its version; a path is resolved against the page's own address. */
  readonly baseUrl: string;
  /** Public credentials to fill in; only a demonstration has them. */
  readonly demonstration?: { readonly apiKey: string; readonly email: string; readonly password: string } | undefined;
};

/**
 * The content policy of the reference page: its own scripts and files, and the API, wherever that is. Scalar sets inline styles,
 * but needs neither inline scripts nor eval.
 */
export function contentPolicy(baseUrl: string): string {
  const api = URL.canParse(baseUrl) ? ` ${new URL(baseUrl).origin}` : '';
  return (
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self'; " +
    `connect-src 'self'${api}; base-uri 'none'; form-action 'none'`
  );
}
