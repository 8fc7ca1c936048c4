/** What a browser on another origin may send. */
export const REQUEST_HEADERS = [
  'X-API-Key',
  'Authorization',
  'Content-Type',
  'Accept',
  'Accept-Language',
  'Idempotency-Key',
  'If-None-Match',
];

/** What it may read of an answer, beside the body. */
export const EXPOSED_HEADERS = ['X-Request-Id', 'Retry-After', 'ETag', 'Idempotent-Replayed', 'Content-Language'];

/** What OWASP's REST Security Cheat Sheet asks of an API that answers JSON only; the gateway's own answers have it too. */
export const HARDENING_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};
