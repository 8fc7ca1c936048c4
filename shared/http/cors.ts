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
