/** The headers that a browser on another origin may send. */
export const REQUEST_HEADERS = [
  'X-API-Key',
  'Authorization',
  'Content-Type',
  'Accept',
  'Accept-Language',
  'Idempotency-Key',
  'If-None-Match',
  'Prefer',
];

/** The headers of an answer that a page of another origin may read; `Preference-Applied` joins them where it is said. */
export const EXPOSED_HEADERS = ['X-Request-Id', 'Retry-After', 'ETag', 'Idempotent-Replayed', 'Content-Language'];

/** The headers that OWASP's REST Security Cheat Sheet demands of a JSON API; the gateway's own answers have them too. */
export const HARDENING_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};
