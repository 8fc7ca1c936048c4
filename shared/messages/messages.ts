type Row = { readonly es: string; readonly en: string };

/** Every message about a part of a request, by its code; `{name}` is replaced by a value. */
export const MESSAGES = {
  // Shape and bounds
  required: { es: 'Este campo es obligatorio.', en: 'This field is required.' },
  not_null: { es: 'Este campo no puede ser nulo.', en: 'This field may not be null.' },
  not_text: { es: 'Debe ser un texto.', en: 'It must be a string.' },
  not_a_number: { es: 'Debe ser un número.', en: 'It must be a number.' },
  not_an_integer: { es: 'Debe ser un número entero.', en: 'It must be an integer.' },
  not_integers: {
    es: 'Deben ser números enteros separados por comas.',
    en: 'They must be integers separated by commas.',
  },
  not_a_boolean: { es: 'Debe ser true o false.', en: 'It must be true or false.' },
  not_an_object: { es: 'Debe ser un objeto.', en: 'It must be an object.' },
  not_an_array: { es: 'Debe ser una lista.', en: 'It must be an array.' },
  not_a_decimal: { es: 'Debe ser un número decimal.', en: 'It must be a decimal number.' },
  not_an_amount: {
    es: 'Debe ser un monto de 0 o más con a lo más dos decimales.',
    en: 'It must be an amount of 0 or more with at most two decimals.',
  },
  not_a_choice: { es: 'Debe ser uno de: {choices}.', en: 'It must be one of: {choices}.' },
  not_a_date: { es: 'Debe ser una fecha AAAA-MM-DD que exista.', en: 'It must be an existing date YYYY-MM-DD.' },
  not_an_email: { es: 'Debe ser un correo electrónico válido.', en: 'It must be a valid e-mail address.' },
  not_a_zipcode: { es: 'El código postal debe tener 5 dígitos.', en: 'The zip code must have 5 digits.' },
  invalid_value: { es: 'El valor no es válido.', en: 'The value is not valid.' },
  blank: { es: 'Este campo no puede estar vacío.', en: 'This field may not be blank.' },
  too_short: { es: 'Debe tener {minimum} o más caracteres.', en: 'It must have {minimum} or more characters.' },
  too_long: { es: 'Debe tener a lo más {maximum} caracteres.', en: 'It must have at most {maximum} characters.' },
  too_small: { es: 'Debe ser mayor o igual a {minimum}.', en: 'It must be {minimum} or more.' },
  too_big: { es: 'Debe ser menor o igual a {maximum}.', en: 'It must be {maximum} or less.' },
  too_few: { es: 'Debe tener {minimum} o más elementos.', en: 'It must have {minimum} or more elements.' },
  too_many: { es: 'Debe tener a lo más {maximum} elementos.', en: 'It must have at most {maximum} elements.' },
  value_too_long: {
    es: 'Cada valor debe tener a lo más {maximum} caracteres.',
    en: 'Each value must have at most {maximum} characters.',
  },
  unknown_field: { es: 'Este campo no se acepta aquí.', en: 'This field is not accepted here.' },
  repeated_value: { es: 'Cada valor puede estar una sola vez.', en: 'Each value may stand only once.' },
  unknown_ordering: { es: 'Solo se puede ordenar por: {fields}.', en: 'Ordering is only possible by: {fields}.' },
  cursor_unknown: {
    es: 'El cursor no es de esta lista; empiece con uno vacío.',
    en: 'The cursor is not one of this list; begin with an empty one.',
  },
  cursor_expired: {
    es: 'Los eventos que siguen a este cursor ya no se conservan; empiece con uno vacío y compare sus órdenes.',
    en: 'The events behind this cursor are no longer kept; begin with an empty one, and compare your orders.',
  },
  cursor_with_page: { es: 'Envíe cursor o page, no los dos.', en: 'Send cursor or page, not both.' },
  not_an_idempotency_key: {
    es: 'Debe tener de 8 a 255 caracteres ASCII visibles.',
    en: 'It must have 8 to 255 visible ASCII characters.',
  },
  one_change: {
    es: 'Envíe details o order_status, exactamente uno de los dos.',
    en: 'Send details or order_status, exactly one of the two.',
  },
  coordinate_out_of_90: { es: 'Debe estar entre -90 y 90 grados.', en: 'It must be between -90 and 90 degrees.' },
  coordinate_out_of_180: { es: 'Debe estar entre -180 y 180 grados.', en: 'It must be between -180 and 180 degrees.' },

  // Baskets
  product_unknown: { es: 'El producto {product} no existe.', en: 'Product {product} does not exist.' },
  product_not_sold: { es: '{product} no está a la venta.', en: '{product} is not for sale.' },
  product_in_shortage: { es: '{product} está agotado por el momento.', en: '{product} is out of stock at the moment.' },
  product_in_shortage_substitute: {
    es: '{product} está agotado por el momento. Con el mismo principio activo hay {substitute}, tal vez en otra dosis o cantidad; un farmacéutico decide si lo sustituye.',
    en: '{product} is out of stock at the moment. With the same active ingredient there is {substitute}, perhaps in another strength or number of pieces; a pharmacist decides whether it can replace it.',
  },
  product_out_of_stock: { es: 'De {product} quedan {left}.', en: 'Of {product}, {left} are left.' },
  quantity_above_maximum: {
    es: 'De {product} se venden a lo más {maximum} por orden.',
    en: 'At most {maximum} of {product} are sold in one order.',
  },
  lines_in_shortage: {
    es: 'Agotados por el momento, por número de línea: {lines}.',
    en: 'Out of stock at the moment, by line number: {lines}.',
  },
  nothing_ordered: {
    es: 'Al menos un producto debe tener una cantidad mayor que 0.',
    en: 'At least one product needs a quantity above 0.',
  },
  coupon_invalid: { es: 'El cupón no es válido.', en: 'The coupon is not valid.' },
  coupon_below_minimum: {
    es: 'El subtotal no alcanza el mínimo del cupón: {minimum}.',
    en: 'The subtotal is below the minimum of the coupon: {minimum}.',
  },
  coupon_unknown: { es: 'No hay ningún cupón con este código.', en: 'There is no coupon with this code.' },
  coupon_not_yet_valid: { es: 'El cupón todavía no es válido.', en: 'The coupon is not valid yet.' },
  coupon_ended: { es: 'El cupón ya no es válido.', en: 'The coupon is no longer valid.' },
  coupon_exhausted: {
    es: 'El cupón ya se usó todas las veces que se puede.',
    en: 'The coupon has been used as often as it can be.',
  },

  // Delivery
  zipcode_or_store: {
    es: 'Indique un destino de entrega o una tienda, no ambos.',
    en: 'Give either a delivery destination or a store, not both.',
  },
  delivery_missing: { es: 'Indique una dirección de entrega o una tienda.', en: 'Give a delivery address or a store.' },
  not_in_mexico: {
    es: 'Solo hay entregas en México; escriba México, MX o Estados Unidos Mexicanos.',
    en: 'There are deliveries in Mexico alone; write México, MX or Estados Unidos Mexicanos.',
  },
  state_of_another_zipcode: {
    es: 'El código postal {zipcode} es de otro estado: {state}.',
    en: 'Zip code {zipcode} is in another state: {state}.',
  },
  zipcode_not_served: {
    es: 'No hay envíos al código postal {zipcode}.',
    en: 'There is no delivery to zip code {zipcode}.',
  },
  shipping_method_not_offered: {
    es: 'El método de envío {method} no está disponible para este destino.',
    en: 'Shipping method {method} is not available for this destination.',
  },
  shipping_method_without_zipcode: {
    es: 'Indique el código postal al que se envía con el método {method}.',
    en: 'Give the zip code to which shipping method {method} delivers.',
  },
  store_unknown: { es: 'La tienda {store} no existe.', en: 'Store {store} does not exist.' },

  // Orders
  payment_method_not_allowed: {
    es: 'El método de pago {method} no está entre los de este cliente.',
    en: "Payment method {method} is not among this client's.",
  },
  payment_method_not_collected: {
    es: 'El método de pago {method} no se cobra en línea.',
    en: 'Payment method {method} is not collected online.',
  },
  credit_for_employees: {
    es: 'El método de pago {method} es a crédito, que es para los empleados del cliente.',
    en: 'Payment method {method} is credit, which is for employees of the client.',
  },
  total_not_collectable: {
    es: 'Con el método de pago {method} se pagan órdenes de {least} a {most} pesos.',
    en: 'Payment method {method} is for orders of {least} to {most} pesos.',
  },
  not_oneself: {
    es: 'Un paciente solo puede ordenar con su propio correo electrónico.',
    en: 'A patient can only order with their own e-mail.',
  },
  email_taken: { es: 'Este correo electrónico no se puede usar.', en: 'This e-mail cannot be used.' },
  phone_taken: { es: 'Este teléfono no se puede usar.', en: 'This phone cannot be used.' },
  not_a_folio: { es: 'Debe ser un folio con la forma RX-00000123.', en: 'It must be a folio of the form RX-00000123.' },
  link_unusable: {
    es: 'El enlace no es válido, ya se usó o venció; pida otro.',
    en: 'The link is not valid, was used or has expired; ask for another.',
  },
  not_a_password_url: {
    es: 'Debe ser una dirección https, o http de esta máquina.',
    en: 'It must be an https address, or an http address of this machine.',
  },
  no_phone_digits: { es: 'Debe tener los dígitos de un teléfono.', en: 'It must have the digits of a phone number.' },
  not_a_phone: {
    es: 'Debe ser un teléfono válido con la forma +<código de país><número>.',
    en: 'It must be a valid phone of the form +<country code><number>.',
  },

  // Held prices
  hold_needs_destination: {
    es: 'Para apartar el precio, indique el código postal o la tienda.',
    en: 'To hold the price, give the zip code or the store.',
  },
  hold_invalid: {
    es: 'El precio apartado no es el que se dio; envíelo como se recibió o cotice de nuevo.',
    en: 'The held price is not as it was given; send it as received or quote again.',
  },
  hold_of_another_client: {
    es: 'El precio se apartó para otro cliente.',
    en: 'The price was held for another client.',
  },
  hold_expired: {
    es: 'El precio estuvo apartado hasta {until}; cotice de nuevo.',
    en: 'The price was held until {until}; quote again.',
  },
  hold_of_other_lines: {
    es: 'El precio se apartó para otros productos o cantidades, o para otro orden de las líneas.',
    en: 'The price was held for other products or quantities, or for another order of the lines.',
  },
  hold_of_other_destination: {
    es: 'El precio se apartó para otro destino.',
    en: 'The price was held for another destination.',
  },
  hold_of_other_shipping_method: {
    es: 'El precio se apartó para otro método de envío.',
    en: 'The price was held for another shipping method.',
  },
  hold_of_other_coupon: {
    es: 'El precio se apartó con otro cupón o sin cupón.',
    en: 'The price was held with another coupon or without one.',
  },
  hold_not_delivered: {
    es: 'Ya no se ofrece la tienda o el método de envío del precio apartado; cotice de nuevo.',
    en: 'The store or the shipping method of the held price is no longer offered; quote again.',
  },

  // Invoices
  not_an_invoicing: {
    es: 'Debe ser el objeto con los datos de facturación o el id de unos guardados.',
    en: 'It must be the object with the invoicing data or the id of stored ones.',
  },
  invoicing_unknown: {
    es: 'El paciente no tiene los datos de facturación {invoicing}.',
    en: 'The patient has no invoicing data {invoicing}.',
  },

  // Receivers of invoices
  not_an_rfc: {
    es: 'Debe ser un RFC de 12 o 13 caracteres con una fecha que exista, sin guiones ni espacios.',
    en: 'It must be an RFC of 12 or 13 characters with an existing date, without hyphens or blanks.',
  },
  rfc_generic: {
    es: 'Los RFC genéricos no se pueden facturar; indique el RFC propio.',
    en: 'Generic RFCs cannot be invoiced; give your own RFC.',
  },
  name_of_the_public: {
    es: 'El público en general no es un receptor; escriba el nombre registrado en el SAT con este RFC.',
    en: 'The general public is no receiver; write the name that SAT has registered with this RFC.',
  },
  regime_unknown: {
    es: 'El régimen fiscal {regime} no está en el catálogo del SAT.',
    en: "Tax regime {regime} is not in SAT's catalog.",
  },
  regime_of_companies: {
    es: 'El régimen fiscal {regime} es de personas morales y este RFC es de una persona física.',
    en: 'Tax regime {regime} is for companies, and this RFC is that of a person.',
  },
  regime_of_persons: {
    es: 'El régimen fiscal {regime} es de personas físicas y este RFC es de una persona moral.',
    en: 'Tax regime {regime} is for persons, and this RFC is that of a company.',
  },
  cfdi_use_unknown: {
    es: 'El uso de CFDI {use} no está en el catálogo del SAT.',
    en: "CFDI use {use} is not in SAT's catalog.",
  },
  cfdi_use_not_of_a_sale: {
    es: 'El uso de CFDI {use} es de pagos o nómina y no de una venta.',
    en: 'CFDI use {use} is for payments or payrolls and not for a sale.',
  },
  cfdi_use_of_persons: {
    es: 'El uso de CFDI {use} es de personas físicas y este RFC es de una persona moral.',
    en: 'CFDI use {use} is for persons, and this RFC is that of a company.',
  },
  cfdi_use_not_of_regime: {
    es: 'El régimen fiscal {regime} no permite el uso de CFDI {use}; permite: {uses}.',
    en: 'Tax regime {regime} does not allow CFDI use {use}; it allows: {uses}.',
  },

  // Receivers refused by SAT, through the invoicing provider
  sat_name_differs: {
    es: 'No es el nombre registrado en el SAT; escríbalo como en la constancia de situación fiscal, sin el régimen societario.',
    en: "It is not the name registered with SAT; write it as on the tax status certificate, without the company's type.",
  },
  sat_rfc_unknown: { es: 'El RFC no está registrado en el SAT.', en: 'The RFC is not registered with SAT.' },
  sat_zipcode_differs: {
    es: 'No es el código postal del domicilio fiscal registrado en el SAT.',
    en: 'It is not the zip code of the fiscal domicile registered with SAT.',
  },
  sat_regime_not_allowed: {
    es: 'No es el régimen fiscal con que el RFC está registrado en el SAT.',
    en: 'It is not the tax regime under which the RFC is registered with SAT.',
  },
  sat_use_not_allowed: {
    es: 'El SAT no admite este uso de CFDI para el régimen fiscal del receptor.',
    en: 'SAT does not allow this CFDI use for the tax regime of the receiver.',
  },

  // Prescriptions
  prescription_not_verified: {
    es: '{product} requiere receta y la orden no tiene una verificada para él.',
    en: '{product} requires a prescription, and the order has no verified one for it.',
  },
  prescription_covers_less: {
    es: '{product} requiere receta; la verificada es para {quantity} en total.',
    en: '{product} requires a prescription; the verified one is for {quantity} in all.',
  },
  too_many_documents: { es: 'A lo más {maximum} recetas por orden.', en: 'At most {maximum} prescriptions an order.' },
  not_base64: { es: 'Debe ser base64 válido.', en: 'It must be valid base64.' },
  not_a_document: {
    es: 'Debe ser un archivo PDF, JPEG o PNG completo, sin programas ni otros archivos dentro.',
    en: 'It must be a complete PDF, JPEG or PNG file, without scripts or other files inside.',
  },
  not_a_lot: {
    es: 'El lote son letras, dígitos y . / _ -, y su caducidad AAAA-MM; completo es 7001:B204:2027-05:2.',
    en: 'It must be the id of a line, the lot, its expiry and, unless it is all of it, the quantity: 7001:B204:2027-05:2.',
  },
  not_an_order_line: {
    es: 'Debe ser el id de una línea, y su cantidad después de dos puntos si no es toda: 7001:2.',
    en: 'It must be the id of a line, with a quantity after a colon unless it is all of it: 7001:2.',
  },
  not_tags: {
    es: 'Deben ser hasta 10 etiquetas, separadas por comas, de hasta 30 letras, dígitos y guiones cada una.',
    en: 'It must be at most 10 tags, separated by commas, each of at most 30 letters, digits and hyphens.',
  },
  not_a_month: { es: 'Debe ser un mes con la forma AAAA-MM.', en: 'It must be a month of the form YYYY-MM.' },
  not_a_licence: {
    es: 'Debe ser el número de una cédula profesional, de 7 u 8 dígitos.',
    en: 'It must be the number of a cédula profesional, 7 or 8 digits.',
  },
  document_too_large: { es: 'Cada documento admite hasta 3 MB.', en: 'Each document may have up to 3 MB.' },
  documents_too_large: {
    es: 'Los documentos de una orden admiten juntos hasta 4 MB.',
    en: 'The documents of an order may have up to 4 MB together.',
  },
  date_in_the_future: {
    es: 'La fecha no puede ser posterior a hoy, {today} ({timeZone}).',
    en: 'The date may not be later than today, {today} ({timeZone}).',
  },
  date_in_the_past: {
    es: 'La fecha no puede ser anterior a hoy, {today} ({timeZone}).',
    en: 'The date may not be earlier than today, {today} ({timeZone}).',
  },
  date_before_issue: {
    es: 'La fecha no puede ser anterior a la de emisión.',
    en: 'The date may not be before the issue date.',
  },
} as const satisfies Readonly<Record<string, Row>>;

export type MessageCode = keyof typeof MESSAGES;

export const isMessageCode = (code: string): code is MessageCode => Object.hasOwn(MESSAGES, code);

export type MessageValues = Readonly<Record<string, string | number>>;

/** The names in a text: `'order' | 'amount'` of `{order}: {amount}`. */
export type NameIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NameIn<Rest>
  : never;
type ValueName<Code extends MessageCode> = NameIn<(typeof MESSAGES)[Code]['es']>;

export type PlainCode = { [Code in MessageCode]: [ValueName<Code>] extends [never] ? Code : never }[MessageCode];
type FilledCode = Exclude<MessageCode, PlainCode>;

/** A code with the values that its text needs; `say` translates it. */
export type Message =
  | { readonly code: PlainCode; readonly values?: undefined }
  | { [Code in FilledCode]: Filled<Code> }[FilledCode];
type Filled<Code extends FilledCode> = {
  readonly code: Code;
  readonly values: Readonly<Record<ValueName<Code>, string | number>>;
};
