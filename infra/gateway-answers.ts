export type GatewayAnswer = {
  /** The response types of API Gateway that are answered so. */
  readonly responseTypes: readonly string[];
  readonly statusCode: number;
  /** In Spanish and in English, since a gateway response cannot choose by `Accept-Language`. */
  readonly detail: string;
  readonly retryAfterSeconds?: number;
};

/**
 * The gateway's own answers by their code. The stack and the local gateway both read this table. On AWS the two defaults
 * keep the status of each case; the 502 here is the one of a failed handler. A body that is too large for the gateway or
 * for Lambda is missing here: AWS answers it in a shape that cannot be changed.
 */
export const gatewayAnswers = {
  api_key_invalid: {
    responseTypes: ['INVALID_API_KEY'],
    statusCode: 403,
    detail: 'Falta la clave de API o no es válida. / The API key is missing or not valid.',
  },
  not_found: {
    // The first one is that of the catch-all (infra/cloud/api/catch-all.ts), which leaves nothing for the second.
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
  quota_exceeded: {
    responseTypes: ['QUOTA_EXCEEDED'],
    statusCode: 429,
    detail: 'Se agotó la cuota mensual de esta clave de API. / The monthly quota of this API key is used up.',
    retryAfterSeconds: 3_600,
  },
  timeout: {
    responseTypes: ['INTEGRATION_TIMEOUT'],
    statusCode: 504,
    detail: 'El servicio tardó demasiado en responder. / The service took too long to answer.',
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
  internal_error: {
    responseTypes: ['DEFAULT_5XX'],
    statusCode: 502,
    detail: 'Ocurrió un error interno. / An internal error occurred.',
  },
} as const satisfies Readonly<Record<string, GatewayAnswer>>;

export type GatewayCode = keyof typeof gatewayAnswers;

/** The headers of every answer of the gateway itself, beside its `X-Request-Id`. */
export const GATEWAY_HEADERS = { 'Content-Language': 'es, en', 'Cache-Control': 'no-store' };
