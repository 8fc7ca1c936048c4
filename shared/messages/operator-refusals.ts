import type { NameIn } from './messages.ts';
import type { RefusalCode } from './refusals.ts';
import type { Text } from './say.ts';

/** `code`: `move_not_allowed` unless another is named. `field`: the key of the input that the refusal refers to, if any. */
export type Row = Partial<Text> & { readonly code?: RefusalCode; readonly field?: string };

/**
 * Reasons for refusing a command: English for the terminal, which may name options, Spanish for the counter. A refusal that
 * only one of them can meet has one text.
 */
export const OPERATOR_REFUSALS = {
  // Orders
  order_unknown: { code: 'not_found', es: 'No hay ninguna orden {order}.', en: 'There is no order {order}.' },
  order_changed: {
    code: 'order_changed_meanwhile',
    es: 'La orden cambió al mismo tiempo; consúltela e intente de nuevo.',
    en: 'Order {order} has changed: it is at version {current} now, not at {seen}; look at it again.',
  },
  order_erased: {
    es: 'Se borraron los datos del paciente de la orden {order}.',
    en: 'The patient of order {order} has been erased.',
  },
  order_moves_elsewhere: {
    es: 'La orden {order} no puede pasar de {from} a {to}; puede pasar a: {allowed}.',
    en: 'Order {order} cannot go from {from} to {to}; allowed: {allowed}.',
  },
  order_uncovered: {
    es: 'La orden {order} no tiene una receta verificada y vigente para: {products}.',
    en: 'Order {order} has no verified prescription that is still valid for: {products}.',
  },
  antibiotic_unnamed: {
    es: 'La orden {order} tiene un antibiótico, y de la receta {prescription} falta anotar quién la prescribe, con su cédula.',
    en: 'Order {order} has an antibiotic, and prescription {prescription} has no prescriber with a licence yet: verify-prescription --prescriber --licence records them.',
  },
  lot_of_other_line: {
    field: 'lot',
    es: 'La orden {order} no tiene la línea {line}.',
    en: 'Order {order} has no line {line}.',
  },
  lot_beyond_line: {
    field: 'lot',
    es: 'De la línea {line} de la orden {order} quedan {left} piezas sin lote.',
    en: 'Line {line} of order {order} has {left} pieces left without a lot.',
  },
  lot_expired: {
    field: 'lot',
    es: 'El lote {lot} caducó ({expiry}): no se puede surtir.',
    en: 'Lot {lot} is past its expiry ({expiry}): it cannot be dispensed.',
  },

  notes_full: {
    field: 'text',
    es: 'La orden {order} ya tiene {most} notas.',
    en: 'Order {order} has {most} notes already.',
  },
  claim_moves_elsewhere: {
    field: 'claim',
    es: 'La reclamación de la orden {order} no puede pasar de {from} a {to}; puede pasar a: {allowed}.',
    en: 'The claim of order {order} cannot go from {from} to {to}; allowed: {allowed}.',
  },

  order_out_of_stock: {
    code: 'out_of_stock',
    es: 'No hay existencias para surtir la orden {order}: {products}.',
    en: 'Too little is in stock to fill order {order}: {products}.',
  },

  // Stock
  stock_not_tracked: {
    code: 'not_found',
    es: 'La tienda {store} no lleva existencias del producto {product}.',
    en: 'Store {store} does not track product {product}: `stock set` begins that.',
  },
  stock_below_zero: {
    code: 'out_of_stock',
    es: 'Del producto {product} quedan {left} en la tienda {store}, sin lo apartado.',
    en: 'Of product {product}, {left} are left at store {store}, beside what orders have reserved.',
  },
  stock_changes: {
    code: 'order_changed_meanwhile',
    en: 'Some levels changed all the time: set the same file again, which changes what is left.',
  },

  // Payments and refunds
  payment_moves_elsewhere: {
    es: 'El pago de la orden {order} no puede pasar de {from} a {to}; puede pasar a: {allowed}.',
    en: 'The payment of order {order} cannot go from {from} to {to}; allowed: {allowed}.',
  },
  cancelled_payment_moves_elsewhere: {
    es: 'El pago de la orden cancelada {order} no puede pasar de {from} a {to}; puede pasar a: {allowed}.',
    en: 'The payment of the cancelled order {order} cannot go from {from} to {to}; allowed: {allowed}.',
  },
  payment_form_undefined: {
    es: 'El método de pago de la orden {order}, {method}, no dice en qué forma se paga: elija la forma de pago.',
    en: "The payment method of order {order}, {method}, does not say in which form it is paid: --form does (SAT's c_FormaPago).",
  },
  order_not_collected_yet: {
    es: 'La orden {order} se cobra en línea y su pago está {status}: se prepara cuando esté pagada.',
    en: 'Order {order} is collected online and its payment is {status}: --unpaid with --reason prepares it all the same.',
  },
  order_refunded: {
    es: 'La orden {order} está reembolsada por completo: ya no se aprueba, surte ni entrega.',
    en: 'Order {order} is refunded in full: --refunded with --reason moves it all the same.',
  },
  order_paid_meanwhile: {
    es: 'El proveedor de pagos dice que la orden {order} está pagada o en proceso de pago; consúltela.',
    en: 'The payment provider says that order {order} is paid or being paid; look at it again.',
  },
  no_payment_exception: { en: 'The payment of order {order} waits for nobody.' },
  order_not_paid: {
    es: 'El pago de la orden {order} está en {status}: solo se devuelve lo que se pagó.',
    en: 'Order {order} is {status}: only what was paid is refunded.',
  },
  only_surplus_left: {
    es: 'El pago de la orden {order} está en {status}: solo se devuelven los {left} pesos que llegaron aparte de su total.',
    en: 'Order {order} is {status}: only the {left} that came beside its total goes back, with --surplus.',
  },
  surplus_too_large: {
    field: 'amount',
    es: 'De lo que llegó aparte del total de la orden {order} quedan {left} pesos por devolver.',
    en: 'Of what came beside the total of order {order}, {left} is left to refund.',
  },
  refund_too_large: {
    field: 'amount',
    es: 'De la orden {order} quedan {left} pesos por devolver.',
    en: 'Order {order} has {left} left to refund.',
  },
  nothing_left: { es: 'De la orden {order} no queda nada por devolver.', en: 'Nothing is left of order {order}.' },
  order_line_unknown: {
    field: 'line',
    es: 'La orden {order} no tiene la línea {line}; quedan {left} pesos por devolver.',
    en: 'Order {order} has no line {line}; {left} is left.',
  },
  order_line_too_large: {
    field: 'line',
    es: 'De la línea {line} de la orden {order} quedan {left} piezas.',
    en: 'Line {line} of order {order} has a quantity of {left} left.',
  },
  order_line_free: {
    field: 'line',
    es: 'De la línea {line} de la orden {order} no queda nada por devolver.',
    en: 'Line {line} of order {order} has no money left.',
  },
  order_shipping_free: {
    field: 'shipping',
    es: 'Del envío de la orden {order} no queda nada por devolver.',
    en: 'The shipping of order {order} has no money left.',
  },
  refund_form_needed: {
    field: 'form',
    es: 'La orden {order} no se pagó con tarjeta en línea: diga en qué forma de pago se devuelve.',
    en: 'Order {order} was not paid by card online: --form says in which form the money goes back.',
  },
  refund_repeated: {
    es: 'En la última hora ya se devolvieron {amount} pesos de la orden {order}, y quedan {left}; consúltela antes de registrar otra devolución igual.',
    en: 'Order {order} was refunded {amount} within the last hour, and {left} is left; --version {version} records another one.',
  },

  // Prescriptions
  prescription_unknown: {
    code: 'not_found',
    es: 'La orden {order} no tiene esa receta.',
    en: 'Order {order} has no such prescription.',
  },
  prescriptions_all_rejected: {
    es: 'Todas las recetas de la orden {order} se rechazaron; elija la que se verifica de todos modos.',
    en: 'Every prescription of order {order} was rejected; --prescription verifies one all the same.',
  },
  prescriber_of_one: {
    es: 'La orden {order} tiene {count} recetas: elija la que escribió este médico.',
    en: 'Order {order} has {count} prescriptions: --prescription says which one the prescriber wrote.',
  },
  prescription_threat: {
    es: 'El antivirus encontró software malicioso en la receta {prescription} de la orden {order}, y no se puede verificar: rechácela y pida otra copia.',
    en: 'Malware was found in prescription {prescription} of order {order}, which cannot be verified: reject it, and ask for another copy.',
  },
  prescription_expired: {
    es: 'La receta {prescription} de la orden {order} venció el {day} y no se puede verificar; verifique otra.',
    en: 'Prescription {prescription} of order {order} expired on {day} and cannot be verified; --prescription verifies another one.',
  },
  prescription_too_old: {
    es: 'La receta {prescription} de la orden {order} se emitió el {day}, hace más de {days} días: se verifica solo si acepta su antigüedad.',
    en: 'Prescription {prescription} of order {order} was issued on {day}, more than {days} days ago: --accept-age verifies it all the same.',
  },
  prescription_copied: {
    es: 'El documento de la receta {prescription} de la orden {order} está también en otra orden ({orders}): se verifica solo si lo acepta.',
    en: 'The document of prescription {prescription} of order {order} stands in another order too ({orders}): --accept-copy verifies it all the same.',
  },
  prescription_not_chosen: {
    es: 'La orden {order} tiene {count} recetas: elija la que se rechaza.',
    en: 'Order {order} has {count} prescriptions: --prescription says which one is rejected.',
  },
  prescription_dispensed: {
    es: 'Ya se surtieron medicamentos de la orden {order} con la receta {prescription}; se devuelven al regresar la orden a «Con faltantes».',
    en: 'Medicines of order {order} were dispensed under prescription {prescription}; an order that is moved back to shortage takes them back.',
  },

  // Invoices
  nothing_issued_of_cancelled: {
    es: 'No hay nada que emitir de la orden {order}: está cancelada.',
    en: 'Order {order} has nothing to be issued: it is cancelled.',
  },
  nothing_issued_of_invoiced: {
    es: 'No hay nada que emitir de la orden {order}: ya está facturada, por sí sola o en una factura global.',
    en: 'Order {order} has nothing to be issued: it is invoiced already, by itself or in a global invoice.',
  },
  nothing_issued_in_progress: {
    es: 'No hay nada que emitir de la orden {order}: su factura se está emitiendo en este momento.',
    en: 'Order {order} has nothing to be issued: its invoice is being issued right now.',
  },
  nothing_issued_of_zero: {
    es: 'No hay nada que emitir de la orden {order}: su total es 0.',
    en: 'Order {order} has nothing to be issued: its total is 0.',
  },
  nothing_issued_of_rejected: {
    es: 'No hay nada que emitir de la orden {order}: se rechazó su pago.',
    en: 'Order {order} has nothing to be issued: its payment was rejected.',
  },
  no_receiver_to_correct: {
    es: 'La orden {order} no tiene una factura por emitir cuyo receptor se pueda corregir; `invoices replace` sustituye una emitida.',
    en: 'Order {order} has no invoice to be issued whose receiver could be corrected; `invoices replace` replaces one that is issued.',
  },
  nothing_issued_without_receiver: {
    es: 'No hay nada que emitir de la orden {order}: nadie pidió su factura, así que no tiene receptor.',
    en: 'Order {order} has nothing to be issued: nobody has asked for its invoice; --rfc and the others name its receiver.',
  },
  nothing_issued_of_another_year: {
    es: 'No hay nada que emitir de la orden {order}: es de otro año.',
    en: 'Order {order} has nothing to be issued: it is of another year.',
  },
  global_in_progress: {
    code: 'invoice_in_progress',
    es: 'La factura global de la orden {order} se está emitiendo; intente de nuevo cuando esté emitida.',
    en: 'The global invoice of order {order} is in progress: try again once it is issued.',
  },
  no_cancellation_rejected: {
    es: 'No se rechazó la cancelación de ningún documento de la orden {order}.',
    en: 'No cancellation of a document of order {order} was rejected.',
  },
  no_valid_invoice: {
    es: 'La orden {order} no tiene ninguna factura vigente.',
    en: 'Order {order} has no valid invoice.',
  },
  credit_too_large: {
    field: 'amount',
    es: 'De la factura de la orden {order} quedan {left} pesos por acreditar.',
    en: 'The invoice of order {order} has {left} left to credit.',
  },
  credit_repeated: {
    es: 'La orden {order} ya tiene una nota de crédito igual, de {amount} pesos, y quedan {left} por acreditar; marque que va otra.',
    en: 'Order {order} has an equal credit note of {amount} already, and {left} is left to credit; --again issues another one.',
  },
  replacement_under_way: {
    es: 'La factura de la orden {order} se está sustituyendo; intente de nuevo en unos minutos.',
    en: 'The invoice of order {order} is being replaced; try again in some minutes.',
  },
  replaced_of_cancelled: {
    es: 'La orden {order} está cancelada, y su factura con ella.',
    en: 'Order {order} is cancelled, and its invoice with it.',
  },
  replaced_of_rejected: {
    es: 'Se rechazó el pago de la orden {order}.',
    en: 'The payment of order {order} is rejected.',
  },
  replaced_not_cancelled: {
    es: 'La factura de la orden {order} sustituyó a otra que todavía no se cancela.',
    en: 'The invoice of order {order} replaced one that is not cancelled yet.',
  },
  invoice_has_related: {
    es: 'La factura de la orden {order} tiene {related}; el SAT no cancela una factura con un documento vigente que se refiere a ella.',
    en: 'The invoice of order {order} has {related}; SAT cancels no invoice with a valid document that relates to it.',
  },
  no_open_action: {
    es: 'La factura de la orden {order} no espera a nadie.',
    en: 'The invoice of order {order} has no open action.',
  },
  mail_in_flight: {
    es: 'Se está enviando un correo de la orden {order} en este momento.',
    en: 'A mail of order {order} is being sent right now.',
  },
  mail_not_sent: {
    es: 'El correo de la orden {order} no se envió: {status}.',
    en: 'The mail of order {order} is not sent but {status}.',
  },

  // People
  user_changed: { en: 'The user was changed meanwhile, or is being erased: look again.' },
  patient_unknown: { code: 'not_found', en: 'Client {client} has no patient {patient}.' },
  user_not_a_patient: { en: 'User {user} is no patient but {role}: disable them instead.' },
  patient_needed: { en: 'The patient is still needed:\n{reasons}' },
  patient_busy: { code: 'order_changed_meanwhile', en: 'Somebody works on them: try again.' },

  // Clients and their figures
  client_without_record: {
    code: 'not_found',
    es: 'No hay ningún cliente {client}.',
    en: 'There is no client {client}.',
  },
  rebuild_overtaken: {
    code: 'order_changed_meanwhile',
    en: 'The orders of client {client} were written during the rebuild, by what began before it: run it again.',
  },
  rebuild_overdue: {
    code: 'rebuilding',
    en: 'The pause of client {client} was too short for the rebuild; what was repaired is repaired: run it again.',
  },

  // Catalog
  catalog_not_published: {
    code: 'not_found',
    es: 'No hay ningún catálogo publicado: publique uno con `catalog publish <folder>`.',
    en: 'No catalog is published: publish one with `catalog publish <folder>`.',
  },
  version_unknown: { code: 'not_found', en: 'There is no version {version}: `catalog versions` lists them.' },
  snapshot_damaged: {
    es: 'El archivo de la versión {version} falta o está dañado: publíquela de nuevo.',
    en: 'The snapshot of version {version} is missing or damaged: publish again.',
  },
  snapshot_of_older_format: {
    es: 'La versión {version} tiene un formato anterior: publique su carpeta de nuevo.',
    en: 'Version {version} has an older format: publish its folder again.',
  },
  images_not_served: {
    en: 'The stage serves no images: set `images` to "hosted", or publish the folder without images/.',
  },
  catalog_overtaken: {
    es: 'Alguien más publicó al mismo tiempo: el catálogo queda como lo dejó.',
    en: 'Somebody else published meanwhile: the catalog stays as they left it.',
  },
} as const satisfies Readonly<Record<string, Row>>;

export type OperatorRefusalName = keyof typeof OPERATOR_REFUSALS;

type Rows = typeof OPERATOR_REFUSALS;
type TextOf<Row> =
  | (Row extends { readonly es: infer Es } ? Es : never)
  | (Row extends { readonly en: infer En } ? En : never);
/** The values of a row's texts; one that differs by language is itself a `Text`. */
export type OperatorRefusalValues<Name extends OperatorRefusalName> = Readonly<
  Record<NameIn<TextOf<Rows[Name]>>, string | number | Text>
>;
