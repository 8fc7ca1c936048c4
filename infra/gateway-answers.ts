/** The stage of the API, with which all of its paths begin. */
export const STAGE = 'v2';

export type GatewayAnswer = {
  /** The response types of API Gateway that are answered so. */
  readonly responseTypes: readonly string[];
  readonly statusCode: number;
  /** In Spanish and in English, since a gateway response cannot choose by `Accept-Language`. */
  readonly detail: string;
  readonly retryAfterSeconds?: number;
};

/**
 * The gateway's own answers by their code. The stack and the local gateway both read this table. On AWS DEFAULT_4XX keeps
 * the status of each case. A body that is too large for the gateway or for Lambda is missing here: AWS answers it in a shape
 * that cannot be changed.
 */
export const gatewayAnswers = {
  api_key_invalid: {
    responseTypes: ['INVALID_API_KEY'],
    statusCode: 403,
    detail: 'Falta la clave de API o no es válida. / The API key is missing or not valid.',
  },
  not_found: {
    // The first one is that of the catch-all (infra/cloud/api/api.ts), which leaves nothing for the second.
    responseTypes: ['UNSUPPORTED_MEDIA_TYPE', 'MISSING_AUTHENTICATION_TOKEN'],
    statusCode: 404,
    detail: 'No existe esta ruta. / There is no such route.',
  },
  throttled: {
    responseTypes: ['THROTTLED'],
    statusCode: 429,
    detail:
      'Demasiadas solicitudes; intente de nuevo en unos segundos. / Too many requests; try again in some seconds.',
    retryAfterSeconds: 1,
  },
  unavailable: {
    // A throttled function is INTEGRATION_FAILURE: 500, or 504 once that type has a response without a status (measured in
    // repost.aws QUL-z6rJbmR4meafB7MzYXxw). So is one that ends without an answer (502, measured in DataBiosphere/azul#8258).
    // A status of DEFAULT_5XX is that of all other types (AWS, "Gateway response types").
    responseTypes: ['INTEGRATION_FAILURE', 'DEFAULT_5XX'],
    statusCode: 503,
    detail:
      'El servicio no está disponible por el momento. La solicitud pudo haberse realizado: repítala solo con la misma Idempotency-Key, o consulte antes. / The service is unavailable at the moment. The request may have been carried out: repeat it only with the same Idempotency-Key, or look first.',
    retryAfterSeconds: 2,
  },
  timeout: {
    responseTypes: ['INTEGRATION_TIMEOUT'],
    // It has the status of `unavailable`, since callers do the same after both.
    statusCode: 503,
    detail:
      'El servicio tardó demasiado en responder. La solicitud pudo haberse realizado: repítala solo con la misma Idempotency-Key, o consulte antes. / The service took too long to answer. The request may have been carried out: repeat it only with the same Idempotency-Key, or look first.',
    retryAfterSeconds: 5,
  },
  unauthorized: {
    responseTypes: ['UNAUTHORIZED'],
    statusCode: 401,
    detail: 'Falta identificarse. / Authentication is missing.',
  },
  access_denied: {
    responseTypes: ['ACCESS_DENIED'],
    statusCode: 403,
    detail: 'No tiene acceso a esta ruta. / You have no access to this route.',
  },
  request_refused: {
    responseTypes: ['DEFAULT_4XX'],
    statusCode: 400,
    detail: 'No se pudo atender la solicitud. / The request could not be served.',
  },
} as const satisfies Readonly<Record<string, GatewayAnswer>>;

export type GatewayCode = keyof typeof gatewayAnswers;

/** The headers of every answer of the gateway itself, beside its `X-Request-Id`. */
export const GATEWAY_HEADERS = { 'Content-Language': 'es, en', 'Cache-Control': 'no-store' };

/** The requests that a route without a key takes from all callers together. */
export const KEYLESS_LIMIT = { requestsPerSecond: 50, burst: 100 };

/** The time for which a browser keeps the answer to a preflight: the longest that Chromium accepts. */
export const PREFLIGHT_SECONDS = 7_200;

/** The size from which the gateway compresses answers. One of 1 KB fits into a packet or two as it is. */
export const COMPRESSED_FROM_BYTES = 1_024;

/** The largest body that a Regional REST API takes. */
export const MOST_BODY_BYTES = 10 * 1024 * 1024;
export const BODY_TOO_LARGE = `HTTP content length exceeded ${MOST_BODY_BYTES} bytes.`;

/**
 * The answers of API Gateway that no gateway response can change, by status, for the API description. AWS documents the causes;
 * the texts of 413 and 431 are those that its users report, and those of 414 and 415 are assumed. Of 415, AWS documents only that
 * it may find a wrong coding before or after it knows the API and the stage ("Call an API method with a compressed payload");
 * after it, the catch-all answers as UNSUPPORTED_MEDIA_TYPE (above).
 */
const AWS_ANSWERS: Readonly<Record<number, string>> = {
  413: `413 \`${BODY_TOO_LARGE}\` (\`text/plain\`) if the body is over 10 MB; 413 \`{"message":"Request Too Long"}\` (\`application/json\`) if the body is over 6 MB as escaped JSON, in which a quotation mark has two bytes`,
  414: '414 `Request URI too long` (`text/plain`) if the URL is over 10,240 characters',
  415: '415 `{"message":"Unsupported Media Type"}` (`application/json`) or our 404 `not_found` if `Content-Encoding` is neither gzip nor deflate, or not the coding of the body',
  431: '431 `HTTP header is larger than 10240 bytes.` (`text/plain`) if the values of all headers are over 10,240 bytes',
};

/** Describes the answers of AWS with one of these statuses, in one sentence. */
export const describeAwsAnswers = (statuses: readonly number[]): string =>
  `API Gateway itself answers, in a shape of its own and without our headers: ${statuses.map((status) => AWS_ANSWERS[status]).join('; ')}.`;
