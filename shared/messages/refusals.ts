type Row = { readonly status: number; readonly es: string; readonly en: string };

/** Every reason to refuse a request: stable code, HTTP status and a text per language. */
export const REFUSALS = {
  invalid_input: { status: 400, es: 'Los datos enviados no son válidos.', en: 'The data sent is not valid.' },
  malformed_json: { status: 400, es: 'El cuerpo no es JSON válido.', en: 'The body is not valid JSON.' },
  not_authenticated: {
    status: 401,
    es: 'Falta el token de acceso; obtenga uno en /api/token/.',
    en: 'The access token is missing; obtain one at /api/token/.',
  },
  token_invalid: { status: 401, es: 'El token de acceso no es válido.', en: 'The access token is not valid.' },
  token_expired: {
    status: 401,
    es: 'El token de acceso expiró; obtenga uno nuevo en /api/token/.',
    en: 'The access token has expired; obtain a new one at /api/token/.',
  },
  wrong_credentials: {
    status: 401,
    es: 'El correo electrónico o la contraseña no son correctos.',
    en: 'The e-mail or the password is wrong.',
  },
  client_unknown: {
    status: 403,
    es: 'La clave de API no pertenece a ningún cliente activo.',
    en: 'The API key belongs to no active client.',
  },
  cross_site: {
    status: 403,
    es: 'La sesión por cookie no se acepta desde otro sitio.',
    en: 'The session cookie is not accepted from another site.',
  },
  not_found: { status: 404, es: 'No encontrado.', en: 'Not found.' },
  total_changed: {
    status: 409,
    es: 'El total de la orden no es el esperado; la cotización dice cuál es ahora.',
    en: 'The total of the order is not the expected one; the quote says what it is now.',
  },
  password_url_missing: {
    status: 409,
    es: 'Este cliente no tiene una página para contraseñas nuevas; pídasela a la farmacia.',
    en: 'This client has no page for new passwords; ask the pharmacy to set one.',
  },
  order_not_changeable: {
    status: 409,
    es: 'Los productos solo se pueden cambiar mientras la orden está cotizada o aprobada; si espera aprobación, espere o cancélela; después, haga otra orden.',
    en: 'Products can only be changed while the order is quoted or approved; if it waits for approval, wait or cancel it; later, place another order.',
  },
  order_not_cancellable: {
    status: 409,
    es: 'La orden ya está en preparación o enviada; pida a la farmacia que la detenga.',
    en: 'The order is already being prepared or shipped; ask the pharmacy to stop it.',
  },
  order_not_waiting: {
    status: 409,
    es: 'Solo se agregan recetas a una orden que espera aprobación; después, el farmacéutico puede adjuntarlas.',
    en: 'Prescriptions are added only to an order that waits for approval; later, the pharmacist can attach them.',
  },
  order_paid: {
    status: 409,
    es: 'La orden está pagada, en proceso de pago o a crédito de otra persona; sus productos ya no se pueden cambiar; haga otra orden o cancele esta.',
    en: "The order is paid, being paid, or on somebody else's credit; its products can no longer be changed; place another order, or cancel this one.",
  },
  order_on_credit: {
    status: 409,
    es: 'La orden está a crédito; solo la puede cancelar quien la colocó o la aseguradora.',
    en: 'The order is on credit; only who placed it or the insurer can cancel it.',
  },
  order_invoiced: { status: 409, es: 'La orden ya está facturada.', en: 'The order is already invoiced.' },
  order_cancelled: {
    status: 409,
    es: 'La orden está cancelada; no se puede facturar.',
    en: 'The order is cancelled; it cannot be invoiced.',
  },
  invoice_in_progress: {
    status: 409,
    es: 'La factura de la orden está en proceso; consulte la orden en unos minutos.',
    en: 'The invoice of the order is in progress; read the order again in a few minutes.',
  },
  invoice_window_closed: {
    status: 409,
    es: 'La factura se puede solicitar hasta 72 horas después de la orden y dentro del mismo mes.',
    en: 'An invoice can be requested up to 72 hours after the order and within the same month.',
  },
  nothing_to_invoice: {
    status: 409,
    es: 'El total de la orden es 0; no hay nada que facturar.',
    en: 'The total of the order is 0; there is nothing to invoice.',
  },
  payment_rejected: {
    status: 409,
    es: 'El pago de la orden fue rechazado; se puede facturar cuando se pague de nuevo.',
    en: 'The payment of the order was rejected; it can be invoiced once it is paid again.',
  },
  call_not_signed: {
    status: 400,
    es: 'La llamada no está firmada por el proveedor de pagos.',
    en: 'The call is not signed by the payment provider.',
  },
  not_payable: {
    status: 409,
    es: 'La orden no se puede pagar aquí: no se cobra en línea, ya está pagada o en proceso de pago, o está cancelada.',
    en: 'The order cannot be paid here: it is not collected online, it is paid or being paid, or it is cancelled.',
  },
  too_many_references: {
    status: 409,
    es: 'La orden tiene cinco referencias que todavía se pueden pagar; espere a que venza o se cierre alguna.',
    en: 'The order has five references that can still be paid; wait until one of them has expired or is closed.',
  },
  order_changed_meanwhile: {
    status: 409,
    es: 'La orden cambió al mismo tiempo; consúltela e intente de nuevo.',
    en: 'The order was changed at the same time; read it and try again.',
  },
  out_of_stock: {
    status: 409,
    es: 'Ya no hay existencias de todos los productos de la orden.',
    en: 'Not all products of the order are in stock any more.',
  },
  move_not_allowed: {
    status: 409,
    es: 'El estado actual no permite este cambio.',
    en: 'The current state does not allow this change.',
  },
  body_too_large: {
    status: 413,
    es: 'El cuerpo supera el máximo: 256 KB, o 5.5 MB y 20,000 valores donde lleva documentos.',
    en: 'The body exceeds the maximum: 256 KB, or 5.5 MB and 20,000 values where it carries documents.',
  },
  not_json: {
    status: 415,
    es: 'El cuerpo debe ser application/json en UTF-8.',
    en: 'The body must be application/json in UTF-8.',
  },
  idempotency_key_reused: {
    status: 422,
    es: 'La clave de idempotencia ya se usó con otro contenido.',
    en: 'The idempotency key was already used with another body.',
  },
  too_many_attempts: {
    status: 429,
    es: 'Demasiados intentos fallidos; espere antes de intentar de nuevo.',
    en: 'Too many failed attempts; wait before trying again.',
  },
  too_many_orders: {
    status: 429,
    es: 'Ya hizo muchas órdenes en la última hora; espere antes de hacer otra.',
    en: 'You have placed many orders in the last hour; wait before placing another.',
  },
  too_many_invoices: {
    status: 429,
    es: 'Ya pidió muchas facturas en el último día; espere antes de pedir otra.',
    en: 'You have requested many invoices in the last day; wait before requesting another.',
  },
  internal_error: {
    status: 500,
    es: 'Ocurrió un error interno; si persiste, indique el X-Request-Id al soporte.',
    en: 'An internal error occurred; if it persists, give the X-Request-Id to support.',
  },
  rebuilding: {
    status: 503,
    es: 'Las listas de las órdenes se están reconstruyendo; intente de nuevo en un minuto.',
    en: 'The lists of the orders are being rebuilt; try again in a minute.',
  },
  unavailable: {
    status: 503,
    es: 'El servicio no está disponible por el momento; intente de nuevo en unos segundos.',
    en: 'The service is unavailable at the moment; try again in a few seconds.',
  },
} as const satisfies Readonly<Record<string, Row>>;

export type RefusalCode = keyof typeof REFUSALS;

/** True if something is broken, which it is not during a rebuild by an operator. */
export const isFault = (code: RefusalCode): boolean => REFUSALS[code].status >= 500 && code !== 'rebuilding';
