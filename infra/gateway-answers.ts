export type GatewayAnswer = {
  /** The response type of API Gateway. */
  readonly responseType: string;
  readonly statusCode: number;
  readonly detail: string;
  readonly retryAfterSeconds?: number;
};

/**
 * The gateway's own answers by their code. The stack and the local gateway both read this table. On AWS the two defaults
 * keep the status of each case; the 502 here is the one of a failed handler.
 */
export const gatewayAnswers = {
  api_key_invalid: {
    responseType: 'INVALID_API_KEY',
    statusCode: 403,
    detail: 'Falta la clave de API o no es válida.',
  },
  not_found: { responseType: 'MISSING_AUTHENTICATION_TOKEN', statusCode: 404, detail: 'No existe esta ruta.' },
  throttled: {
    responseType: 'THROTTLED',
    statusCode: 429,
    detail: 'Demasiadas solicitudes; intente de nuevo en unos segundos.',
    retryAfterSeconds: 1,
  },
  quota_exceeded: {
    responseType: 'QUOTA_EXCEEDED',
    statusCode: 429,
    detail: 'Se agotó la cuota mensual de esta clave de API.',
    retryAfterSeconds: 3_600,
  },
  body_too_large: {
    responseType: 'REQUEST_TOO_LARGE',
    statusCode: 413,
    detail: 'El cuerpo de la solicitud es demasiado grande.',
  },
  timeout: {
    responseType: 'INTEGRATION_TIMEOUT',
    statusCode: 504,
    detail: 'El servicio tardó demasiado en responder.',
  },
  unauthorized: { responseType: 'UNAUTHORIZED', statusCode: 401, detail: 'Falta identificarse.' },
  access_denied: { responseType: 'ACCESS_DENIED', statusCode: 403, detail: 'No tiene acceso a esta ruta.' },
  request_refused: { responseType: 'DEFAULT_4XX', statusCode: 400, detail: 'No se pudo atender la solicitud.' },
  internal_error: { responseType: 'DEFAULT_5XX', statusCode: 502, detail: 'Ocurrió un error interno.' },
} as const satisfies Readonly<Record<string, GatewayAnswer>>;

export type GatewayCode = keyof typeof gatewayAnswers;
