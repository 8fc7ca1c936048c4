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
