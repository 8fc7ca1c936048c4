// Made from the OpenAPI document by `npm run client`.

/** The credentials of a user. */
export type TokenRequest = {
  /** E-mail address of the user. */
  email: string;
  /** Password of the user. */
  password: string;
};

/** Who wants a new password. */
export type RequestPasswordRequest = {
  /** E-mail address of the user. */
  email: string;
};

/** A new password, by the token of a mailed link. */
export type SetPasswordRequest = {
  /** `token` of the query of the mailed link. */
  token: string;
  /** The new password: 12 characters or more. */
  password: string;
};

/** A basket to be priced. */
export type QuoteRequest = {
  /** The lines of the basket. */
  details: OrderDetailInput[];
  /** Postal code to deliver to, five digits; not together with `store`. */
  zipcode?: string | null | undefined;
  /** The store to pick up at, by id; not together with `zipcode`. */
  store?: number | null | undefined;
  /** Code of a coupon, in upper or lower case. */
  coupon?: string | null | undefined;
  /** One of the shipping methods of the postal code, by id. */
  shipping_method?: number | null | undefined;
  /** `true` holds figures and dates for an order; the answer then has `hold`. */
  hold?: boolean | null | undefined;
};

/** One line of a basket. */
export type OrderDetailInput = {
  /** The product, by id. */
  product: number;
  /** Number of pieces. */
  quantity: number;
};

/** An order together with the person it is for and, if wanted, the data of its invoice. */
export type CreateOrderRequest = {
  user: UserInput;
  order: NewOrder;
  /** Tax data; when sent, the order is invoiced at once. */
  invoicing?: InvoicingInput | null | undefined;
};

/** The person whom an order is for; registered with the order when the e-mail is not known yet. What a doctor sends of a known patient stays with the order, which shows it. */
export type UserInput = {
  /** E-mail address, unique within the client. */
  email: string;
  /** First name. */
  first_name: string;
  /** First surname. */
  last_name: string;
  /** Telephone as `+`, country code and number; unique within the client. */
  phone?: string | null | undefined;
  /** Second surname. */
  second_last_name?: string | null | undefined;
  /** Sex: `M` for male, `F` for female. */
  sex?: 'M' | 'F' | null | undefined;
  /** Date of birth. */
  birthdate?: string | null | undefined;
  /** Conditions that the pharmacy should know of. */
  medical_condition?: string | null | undefined;
};

/** An address to deliver to, in Mexico; a `state` under a known name has to be that of the postal code. */
export type ShippingInput = {
  /** Street. */
  street: string;
  /** Number of the building. */
  exterior_number: string;
  /** Neighbourhood (colonia). */
  neighborhood: string;
  /** City. */
  city: string;
  /** State. */
  state: string;
  /** Mexico, under any of its usual names. */
  country: string;
  /** Mexican postal code, five digits. */
  zipcode: string;
  /** Telephone to call on delivery. */
  phone: string;
  /** Name of the address. */
  name?: string | null | undefined;
  /** Number of the flat, floor or unit. */
  interior_number?: string | null | undefined;
  /** Directions that help to find the place. */
  additional_info?: string | null | undefined;
  /** Degrees north, six decimals. */
  latitude?: number | string | null | undefined;
  /** Degrees east, six decimals. */
  longitude?: number | string | null | undefined;
};

/** A prescription that comes with an order. */
export type PrescriptionInput = {
  /** A PDF, JPEG or PNG of at most 3 MB in base64, with or without a `data:` prefix; no archive, and no PDF with scripts or files inside. */
  document: string;
  /** Date of issue; not in the future. */
  issue_date: string;
  /** File name under which it is shown; it gets the extension of the type found. */
  document_name?: string | null | undefined;
  /** Last day on which it is valid; neither past nor before the issue. */
  expiring_date?: string | null | undefined;
};

/** The lines, delivery and payment of a new order. */
export type NewOrder = {
  /** The lines of the order; at least one has a quantity above 0. */
  details: OrderDetailInput[];
  /** A payment method of the client, by id; those on credit are for its employees, unless the client has them for everyone. */
  payment_method: number;
  /** The address to deliver to; without it and `store`, the patient’s default address. */
  shipping?: ShippingInput | null | undefined;
  /** One of the shipping methods of the postal code, by id; without it, the default one. */
  shipping_method?: number | null | undefined;
  /** The store to pick up at, by id; not together with `shipping`. */
  store?: number | null | undefined;
  /** Code of a coupon; an invalid one is left out without an error, or is one if `expected_total` or `hold` is sent. */
  coupon?: string | null | undefined;
  /** The total that the caller relies on: if it is another, the order is refused with `total_changed` and nothing is stored. */
  expected_total?: number | string | null | undefined;
  /** The `token` of a quotation’s `hold`: the order gets its figures and dates. The lines are those of the quotation in the same order; what is left out of destination, shipping method and coupon is as quoted. */
  hold?: string | null | undefined;
  /** Prescriptions of the products that require one; at most 10 and 4 MB together. */
  prescriptions?: PrescriptionInput[] | null | undefined;
  /** Comments for the pharmacy. */
  comments?: string | null | undefined;
};

/** The tax data that an invoice is made out to. */
export type InvoicingInput = {
  /** Name of the taxpayer as registered with SAT. */
  full_name: string;
  /** Tax id (RFC) of a person or company. */
  rfc: string;
  /** Street. */
  street: string;
  /** Number of the building. */
  exterior_number: string;
  /** Neighbourhood (colonia). */
  neighborhood: string;
  /** City. */
  city: string;
  /** State. */
  state: string;
  /** Country. */
  country: string;
  /** Postal code of the tax domicile, five digits. */
  zipcode: string;
  /** Use of the invoice, by SAT’s catalog c_UsoCFDI. */
  cfdi_use: string;
  /** Tax regime of the receiver, by SAT’s catalog c_RegimenFiscal. */
  fiscal_regime: string;
  /** E-mail address for the invoice, instead of the user’s own; empty is the same as none. */
  email?: string | null | undefined;
  /** Degrees north, six decimals. */
  latitude?: number | string | null | undefined;
  /** Degrees east, six decimals. */
  longitude?: number | string | null | undefined;
};

/** Exactly one of two changes: other products, or the end of the order. */
export type UpdateOrderRequest =
  | {
      /** The lines that replace all present ones. */
      details: OrderDetailInput[] | null;
      /** `cancelled`: the order ends for good. */
      order_status?: 'cancelled' | null | undefined;
    }
  | {
      /** The lines that replace all present ones. */
      details?: OrderDetailInput[] | null | undefined;
      /** `cancelled`: the order ends for good. */
      order_status: 'cancelled' | null;
    };

/** How an order is to be paid; may be left out. */
export type PaymentRequest = {
  /** A payment method of the client that is collected online, by id; without it, that of the order. */
  payment_method?: number | null | undefined;
};

/** Prescriptions for an order that waits for approval. */
export type AddPrescriptionsRequest = {
  /** Prescriptions of the products that require one. */
  prescriptions: PrescriptionInput[];
};

/** The receiver of the invoice of an order. */
export type InvoiceRequest = {
  /** Tax data, or the id of those that the patient has already. */
  invoicing: number | InvoicingInput;
};

/** The fields of a profile that change. */
export type UpdateProfileRequest = {
  /** First name. */
  first_name?: string | null | undefined;
  /** First surname. */
  last_name?: string | null | undefined;
  /** Telephone as `+`, country code and number; unique within the client. */
  phone?: string | null | undefined;
  /** Second surname. */
  second_last_name?: string | null | undefined;
  /** Sex: `M` for male, `F` for female. */
  sex?: 'M' | 'F' | null | undefined;
  /** Date of birth. */
  birthdate?: string | null | undefined;
  /** Conditions that the pharmacy should know of. */
  medical_condition?: string | null | undefined;
};

/** A short-lived access token of one user. */
export type AccessToken = {
  /** JWT to be sent as `Authorization: Bearer`; its claim `access_lifetime` is its life in seconds. */
  access: string;
};

/** The request was accepted. */
export type Nothing = Record<string, never>;

/** The price of a basket and the time of its delivery. */
export type Quotation = {
  /** Price by quantity, before discount and IVA. */
  subtotal: string;
  /** Discount of the coupon. */
  discount: string;
  /** Value added tax. */
  iva: string;
  /** Amount to pay, in Mexican pesos (MXN). */
  total: string;
  /** Price of shipping, IVA included. */
  shipping_price: string;
  /** Discount on shipping. */
  shipping_discount: string;
  /** The coupon that was applied, or null. */
  coupon: QuotedCoupon | null;
  /** The shipping methods of the postal code or store, with their prices. */
  shipping_method_options: ShippingOption[];
  /** The shipping method of this quotation, by id: the one asked for, else the default one. */
  selected_shipping_method: number | null;
  /** The parts that were left out, and those that would stop an order, one text each: `coupon`, `shipping_method` and `zipcode` say why they were left out; `details` names the lines out of stock, each by its number from 1 and its product; `hold` says what else a price to be held needs. */
  errors: { [name: string]: string };
  /** Expected time of delivery; null when the shipping method promises none. */
  expected_delivery_date: string | null;
  /** Latest expected time of delivery; null when the shipping method promises none. */
  max_delivery_date: string | null;
  /** The lines in the order in which they were sent. */
  details: QuotedDetail[];
  /** Only if the request asks for it; null if no order could be made of the quotation, for the reasons in `errors`. */
  hold?: QuoteHold | null | undefined;
};

/** A coupon that was applied to a basket. */
export type QuotedCoupon = {
  /** Code of the coupon. */
  code: string;
  /** Up to 1 a share of the subtotal, above 1 an amount. */
  value: string;
};

/** A way to ship a basket. */
export type ShippingOption = {
  /** Identifier. */
  id: number;
  /** The company that delivers. */
  company: string;
  /** Kind of delivery. - `standard`: by a carrier, at its usual speed - `express`: by a carrier, faster - `local`: by a messenger within the city - `default`: what is chosen when a request names none */
  method: 'standard' | 'express' | 'local' | 'default';
  /** Fewest working days until delivery. */
  min_delivery_days: number | null;
  /** Most working days until delivery. */
  max_delivery_days: number | null;
  /** Price, IVA included. */
  price: string;
};

/** One line of a priced basket. */
export type QuotedDetail = {
  /** The product, by id. */
  product: number;
  /** Number of pieces. */
  quantity: number;
  /** Price by quantity, before discount and IVA. */
  subtotal: string;
  /** Discount of the coupon. */
  discount: string;
  /** Value added tax. */
  iva: string;
  /** Amount to pay, in Mexican pesos (MXN). */
  total: string;
};

/** A price that holds for a while, whatever is published meanwhile. */
export type QuoteHold = {
  /** The text to send back as `order.hold`; what it says may change. */
  token: string;
  /** The time until which orders get the figures and dates of the quotation. */
  valid_until: string;
};

/** An order as it stands. */
export type Order = {
  /** Identifier. */
  id: number;
  /** The lines of the order. */
  details: OrderDetail[];
  patient: Patient;
  /** The address that it is delivered to; null for a pickup. */
  shipping: Shipping | null;
  /** The store where it is picked up; null for a delivery. */
  store: Store | null;
  /** The card that it is paid with, or null. */
  payment: Payment | null;
  /** The wallet agreement that it is paid by, or null. */
  wallet_agreement: WalletAgreement | null;
  /** References for paying it elsewhere, such as in a shop. */
  payment_references: PaymentReference[];
  payment_method: PaymentMethod;
  /** The coupon that was applied, or null. */
  coupon: Coupon | null;
  /** The user who placed it. */
  generated_by: User | null;
  /** The user who changed it last. */
  updated_by: User | null;
  /** The tax data that came with it, or null. */
  invoicing: Invoicing | null;
  /** Time of payment. */
  payment_date: string | null;
  /** Time of shipping. */
  shipping_date: string | null;
  /** Time of delivery. */
  receiving_date: string | null;
  /** Expected time of delivery; null when the shipping method promises none. */
  expected_delivery_date: string | null;
  /** Latest expected time of delivery; null when the shipping method promises none. */
  max_delivery_date: string | null;
  /** Status of the order as the patient sees it. - `in_process`: it was placed and has not left the pharmacy yet - `shipped`: the carrier has it - `delivered`: the patient has it - `cancelled`: it has ended for good */
  patient_order_status: 'in_process' | 'shipped' | 'delivered' | 'cancelled';
  /** The prescriptions that came with it. */
  prescriptions: Prescription[];
  /** Tags, separated by commas. */
  tags: string;
  shipping_method: ShippingMethod;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
  /** Time of removal; null while it is in use. */
  deleted_at: string | null;
  /** Status of the refund by the insurer. - `not_started`: nobody has claimed it - `missing_data`: the claim lacks data or documents - `sent_to_broker`: the broker has the claim - `sent_to_insurer`: the insurer has the claim - `approved_by_insurer`: the insurer pays it */
  insurance_refund_status:
    | 'not_started'
    | 'missing_data'
    | 'sent_to_broker'
    | 'sent_to_insurer'
    | 'approved_by_insurer';
  /** Status of the order in the pharmacy. - `quoted`: the pharmacy has set it back for changes; its lines may be replaced - `pending_approval`: a product requires a prescription, which a pharmacist has yet to verify - `approved`: it may be prepared, once it is paid if it is collected online - `in_process`: the pharmacy prepares it; from here on only the pharmacy can stop it - `ready`: it is packed, and waits for the carrier or for whoever collects it - `shipped`: the carrier has it - `delivered`: the patient has it - `cancelled`: it has ended for good - `delayed`: the pharmacy goes on with it later than promised - `shortage`: a product is missing; the pharmacy goes on once it is there */
  order_status:
    | 'quoted'
    | 'pending_approval'
    | 'approved'
    | 'in_process'
    | 'ready'
    | 'shipped'
    | 'delivered'
    | 'cancelled'
    | 'delayed'
    | 'shortage';
  /** Status of the payment. - `unpaid`: it is yet to be paid - `credit`: it was placed on credit, and is paid later by agreement - `paid`: the money has arrived, or there was nothing to pay - `in_process`: the payment provider works on it, such as a voucher whose time is over - `processing`: the pharmacy has yet to confirm a payment that it was told of - `rejected`: it was refused or its time is over; `rejection_reason` says which, and it may be tried again */
  payment_status: 'unpaid' | 'credit' | 'paid' | 'in_process' | 'processing' | 'rejected';
  /** The reason for which the payment processor rejected the payment. */
  rejection_reason: string;
  /** The channel that it came through. */
  origin: string;
  /** Price by quantity, before discount and IVA. */
  subtotal: string;
  /** Discount of the coupon. */
  discount: string;
  /** Value added tax. */
  iva: string;
  /** Amount to pay, in Mexican pesos (MXN). */
  total: string;
  /** Price of shipping, IVA included. */
  shipping_price: string;
  /** Discount on shipping. */
  shipping_discount: string;
  /** Cost of the shipment to the pharmacy. */
  shipping_cost: string | null;
  /** Number of the order for people. */
  folio: string;
  /** Id of its invoice; empty when there is none. */
  cfdi: string;
  /** Id of the payment with the payment processor. */
  external_payment_id: string;
  /** The reminder that it came from, by id. */
  reminder: number | null;
  /** The subscription that it came from, by id. */
  subscription: number | null;
  /** The shipments, the oldest first. Only with `include`. */
  shipments?: Shipment[] | undefined;
  /** A pharmacist's decisions about its prescriptions, the oldest of each first. Only with `include`. */
  reviews?: Review[] | undefined;
  /** The refunds, the oldest first, and at last what is due. Only with `include`. */
  refunds?: Refund[] | undefined;
  /** The tax documents, for those who may see the receiver of the invoice; else none. Only with `include`. */
  invoices?: TaxDocument[] | undefined;
  /** The text that was written for the pharmacy. Only with `include`. */
  comments?: string | undefined;
  /** The tries to collect it online, the present one first, then the latest. Only with `include`. */
  payments?: PaymentTry[] | undefined;
};

/** One line of an order, at the prices of its last change. */
export type OrderDetail = {
  /** Identifier. */
  id: number;
  product: Product;
  /** Price of one in Mexican pesos (MXN), before IVA. */
  price: string;
  /** Price by quantity, before discount and IVA. */
  subtotal: string;
  /** Discount of the coupon. */
  discount: string;
  /** Value added tax. */
  iva: string;
  /** Amount to pay, in Mexican pesos (MXN). */
  total: string;
  /** Number of pieces. */
  quantity: number;
  /** The order, by id. */
  order: number;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
};

/** A supplier, variant, company, disease or tag. */
export type Named = {
  /** Identifier. */
  id: number;
  /** Name. */
  name: string;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
};

/** A product at one supplier. */
export type SupplierProduct = {
  supplier: Named;
  /** Cost at this supplier. */
  cost: string;
  /** The product, by id. */
  product: number;
  /** Identifier. */
  id: number;
};

/** The images of a product. */
export type Album = {
  /** Identifier. */
  id: number;
  /** The images. */
  images: AlbumImage[];
};

/** An image of a product. */
export type AlbumImage = {
  /** Identifier. */
  id: number;
  /** Its album, by id. */
  album: number;
  /** Address of the image. */
  image: string;
  /** True for the main image. */
  is_default: boolean;
};

/** A difference from other presentations of a product. */
export type ProductVariant = {
  /** Identifier. */
  id: number;
  /** Value of this variant, such as a size. */
  value: string;
  variant: Named;
};

/** The fields that all presentations of a product share. */
export type ProductBase = {
  /** Identifier. */
  id: number;
  /** Name. */
  name: string;
  /** As text: `true` for a medicine, `false` for anything else. */
  is_medicine: 'true' | 'false';
  /** Description. */
  description: string;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
  /** The user who created it, by id. */
  created_by: number | null;
  /** The user who changed it last, by id. */
  updated_by: number | null;
  category: Category;
  pharmaceutical_company: Named;
  /** The diseases that it is used for. */
  diseases: Named[];
  /** Its tags. */
  tags: Named[];
  /** Its medical information; null when it is no medicine. */
  medical_information: MedicalInformation | null;
};

/** A category of products. */
export type Category = {
  /** Identifier. */
  id: number;
  /** Name. */
  name: string;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
  /** The category above it, by id, or null. */
  parent: number | null;
};

/** The medical information of a product. */
export type MedicalInformation = {
  /** Identifier. */
  id: number;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
  /** Active ingredient. */
  active_ingredient: string;
  /** True for a generic. */
  is_generic: boolean;
  /** Number of its group. */
  group_number: number;
  /** True when an order of it needs a prescription. */
  requires_prescription: boolean;
  /** The base product, by id. */
  base_product: number;
};

/** A product in full; fields that nobody published are null. */
export type Product = {
  /** Identifier. */
  id: number;
  /** Name. */
  name: string;
  /** Description. */
  description: string;
  /** Presentation: form and content of the package. */
  presentation: string;
  /** Price of one in Mexican pesos (MXN), before IVA. */
  price: string;
  /** True when it can be bought. */
  is_active: boolean;
  /** True while it is out of stock. */
  has_shortage: boolean | null;
  /** Barcode. */
  ean_key: string;
  /** Cost to the pharmacy. */
  cost: string | null;
  /** Price to the public. */
  public_price: string | null;
  /** Average cost to the pharmacy. */
  average_cost: string | null;
  /** True when IVA is added to its price. */
  has_iva: boolean;
  /** True when its price is to be calculated. */
  should_calculate_price: boolean | null;
  /** True for a generic. */
  is_generic: boolean | null;
  /** Kind of product by SAT’s catalog c_ClaveProdServ. */
  sat_key: string;
  /** Unit by SAT’s catalog c_ClaveUnidad. */
  sat_unit: string;
  /** Text of a partner. */
  partner_description: string;
  /** Active ingredient. */
  active_ingredient: string;
  /** Number of its group. */
  group_number: number | null;
  /** Address of an image. */
  image: string | null;
  /** Its category, by id. */
  category: number | null;
  /** Its medical information, by id. */
  medical_information: number | null;
  /** The company that makes it, by id. */
  pharmaceutical_company: number | null;
  /** Its variants, by id. */
  variants: number[];
  /** The diseases that it is used for, by id. */
  diseases: number[];
  /** Its present supplier. */
  current_supplier: Named | null;
  /** Its cost at each supplier. */
  supplier_products: SupplierProduct[];
  /** Its images. */
  album: Album | null;
  /** Its differences from other presentations. */
  product_variants: ProductVariant[];
  /** The base product, which it shares with its other presentations. */
  base: ProductBase | null;
  /** Time of creation. */
  created_at: string | null;
  /** Time of the last change. */
  updated_at: string | null;
};

/** A person; fields of somebody else that the reader may not see are null. */
export type User = {
  /** Identifier. */
  id: number;
  /** E-mail address, unique within the client. */
  email: string | null;
  /** First name. */
  first_name: string;
  /** First surname. */
  last_name: string;
  /** Telephone as `+`, country code and number; unique within the client. */
  phone: string | null;
  /** Second surname. */
  second_last_name: string | null;
  /** Sex: `M` for male, `F` for female. Null when unknown. */
  sex: 'M' | 'F' | null;
  /** Date of birth; null when unknown. */
  birthdate: string | null;
  /** Conditions that the pharmacy should know of. */
  medical_condition: string | null;
  /** Time of registration. */
  date_joined: string | null;
  /** Time of creation. */
  created_at: string | null;
  /** Time of the last change. */
  updated_at: string | null;
  /** Time of erasure, after which names and e-mail are empty; null before. */
  deleted_at: string | null;
  /** Id of the person’s record as a patient, or null. */
  patient: string | null;
  /** Id of the person’s record as a doctor, or null. */
  doctor: string | null;
  /** Id of the person’s record as an insurance employee, or null. */
  insurance_employee: string | null;
  /** Country code of the telephone, without the plus sign; null without one. */
  country_code: string | null;
  /** The telephone without its country code; null without one. */
  national_number: string | null;
  /** The user whose order registered this person, by id. */
  created_by: number | null;
  /** Groups of the person, by id. */
  groups: number[];
};

/** An insurer of a patient. */
export type InsuranceCarrier = {
  /** Identifier. */
  id: number;
  /** Name. */
  name: string;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
  /** Time of removal; null while it is in use. */
  deleted_at: string | null;
  /** The patient shown, by id. */
  patients: number[];
};

/** A person as a patient. */
export type Patient = {
  /** Identifier. */
  id: number;
  user: User;
  /** The doctor whose order registered the patient, by id. */
  referred_by: number | null;
  /** The address for orders that name none, by id; null for a doctor. */
  default_shipping: number | null;
  /** The tax data kept for the patient, by id; null for a doctor. */
  default_invoicing: number | null;
  /** The card that the patient prefers, by id. */
  preferred_payment: number | null;
  /** The insurers of the patient. */
  insurance_carriers: InsuranceCarrier[];
};

/** An address that an order is delivered to. */
export type Shipping = {
  /** Identifier. */
  id: number;
  /** Street. */
  street: string;
  /** Number of the building. */
  exterior_number: string;
  /** Neighbourhood (colonia). */
  neighborhood: string;
  /** City. */
  city: string;
  /** State. */
  state: string;
  /** Country. */
  country: string;
  /** Mexican postal code, five digits. */
  zipcode: string;
  /** Telephone to call on delivery. */
  phone: string;
  /** Name of the address. */
  name: string;
  /** Number of the flat, floor or unit. */
  interior_number: string;
  /** Directions that help to find the place. */
  additional_info: string;
  /** Degrees north, six decimals. */
  latitude: string | null;
  /** Degrees east, six decimals. */
  longitude: string | null;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
  /** The user who changed it last, by id. */
  updated_by: number | null;
};

/** A store where an order is picked up. */
export type Store = {
  /** Identifier. */
  id: number;
  /** Street. */
  street: string;
  /** Number of the building. */
  exterior_number: string;
  /** Neighbourhood (colonia). */
  neighborhood: string;
  /** City. */
  city: string;
  /** State. */
  state: string;
  /** Country. */
  country: string;
  /** Mexican postal code, five digits. */
  zipcode: string;
  /** Telephone to call on delivery. */
  phone: string;
  /** Name of the address. */
  name: string;
  /** Number of the flat, floor or unit. */
  interior_number: string;
  /** Directions that help to find the place. */
  additional_info: string;
  /** Degrees north, six decimals. */
  latitude: string | null;
  /** Degrees east, six decimals. */
  longitude: string | null;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
  /** The company that runs the store. */
  company_name: string;
  /** Business hours of the store. */
  business_hours: string;
};

/** A card that an order is paid with. */
export type Payment = {
  /** Identifier. */
  id: number;
  /** The owner of the card, by id. */
  user: number;
  /** Id of the card with the payment processor. */
  card_id: string;
  /** Kind of payment. */
  method: string;
  /** Name of the card. */
  name: string;
};

/** An agreement to bill a wallet of another provider. */
export type WalletAgreement = {
  /** Identifier. */
  id: number;
  /** E-mail address of the wallet. */
  email: string;
  /** The owner of the wallet, by id. */
  user: number;
};

/** A reference for paying an order elsewhere, such as in a shop. */
export type PaymentReference = {
  /** Identifier. */
  id: number;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
  /** The order, by id. */
  order: number;
  /** How it is collected. - `card`: on a page that takes credit and debit cards - `oxxo`: in cash at an OXXO store, with the number of a voucher - `spei`: by bank transfer to a CLABE, an account number of this order alone */
  method: 'card' | 'oxxo' | 'spei';
  /** The number of the voucher, the CLABE, or for a card the id of its page. */
  reference: string;
  /** Who takes the payment: OXXO, the bank of the CLABE, or the provider. */
  institution: string;
  /** Page of the payment provider on which the patient pays, or sees the voucher or the CLABE: open it for the patient. `about:blank` if its address is too long; `reference` is then enough. */
  external_url: string;
};

/** A way to pay. */
export type PaymentMethod = {
  /** Identifier. */
  id: number;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
  /** Name. */
  name: string;
  /** Fee as a share of the total; not included in it. */
  fee: string;
  /** Fixed fee; not included in the total. */
  fixed_fee: string;
};

/** A coupon of an order. */
export type Coupon = {
  /** Code of the coupon. */
  code: string;
  /** Description of the coupon. */
  description: string;
  /** Up to 1 a share of the subtotal, above 1 an amount. */
  value: string;
  /** True when it makes shipping free. */
  has_free_shipping: boolean;
};

/** The tax data that an order is invoiced to. */
export type Invoicing = {
  /** Identifier. */
  id: number;
  /** Name of the taxpayer as registered with SAT. */
  full_name: string;
  /** Tax id (RFC) of a person or company. */
  rfc: string;
  /** Street. */
  street: string;
  /** Number of the building. */
  exterior_number: string;
  /** Neighbourhood (colonia). */
  neighborhood: string;
  /** City. */
  city: string;
  /** State. */
  state: string;
  /** Country. */
  country: string;
  /** Postal code of the tax domicile, five digits. */
  zipcode: string;
  /** Use of the invoice, by SAT’s catalog c_UsoCFDI. */
  cfdi_use: string;
  /** Tax regime of the receiver, by SAT’s catalog c_RegimenFiscal. */
  fiscal_regime: string;
  /** E-mail address for the invoice, instead of the user’s own; empty is the same as none. */
  email: string;
  /** Degrees north, six decimals. */
  latitude: string | null;
  /** Degrees east, six decimals. */
  longitude: string | null;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
  /** The user who changed it last, by id. */
  updated_by: number | null;
};

/** A prescription of an order. */
export type Prescription = {
  /** Identifier. */
  id: number;
  /** Date of issue. */
  issue_date: string;
  /** The patient, by id. */
  patient: number;
  /** Last day on which it is valid. */
  expiring_date: string | null;
  /** Address of the document, good for five minutes; empty if malware was found in it. */
  document: string | '';
  /** File name under which it is shown. */
  document_name: string;
  /** True once the pharmacy has checked it. */
  is_verified: boolean;
  /** The order that it came with, by id. */
  order: number | null;
  /** The user who changed it last, by id. */
  updated_by: number | null;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
};

/** A way to ship. */
export type ShippingMethod = {
  /** Identifier. */
  id: number;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
  /** The company that delivers. */
  company: string;
  /** Kind of delivery. - `standard`: by a carrier, at its usual speed - `express`: by a carrier, faster - `local`: by a messenger within the city - `default`: what is chosen when a request names none */
  method: 'standard' | 'express' | 'local' | 'default';
  /** Fewest working days until delivery. */
  min_delivery_days: number | null;
  /** Most working days until delivery. */
  max_delivery_days: number | null;
};

/** A shipment of an order. */
export type Shipment = {
  /** Who carries it, if the pharmacy said so. */
  carrier: string | null;
  /** Its number with the carrier, if the pharmacy said it. */
  tracking_number: string | null;
  /** The carrier’s page of this shipment, for known carriers. */
  tracking_url: string | null;
  /** Time of shipping. */
  shipped_at: string;
};

/** A pharmacist's decision about a prescription. */
export type Review = {
  /** The prescription, by id. */
  prescription: number;
  /** The decision of the pharmacist. - `waiting`: nobody has looked at it yet - `verified`: it is valid for the products of the order - `rejected`: `reason` says why; another one may be added while the order waits for approval */
  status: 'waiting' | 'verified' | 'rejected';
  /** Why it was rejected, in the pharmacist’s words; else null. */
  reason: string | null;
  /** Time of the decision; null while it waits. */
  reviewed_at: string | null;
};

/** Money that goes back to whoever paid the order. */
export type Refund = {
  /** The amount that has gone back, or is to go back. */
  amount: string;
  /** SAT’s c_FormaPago in which it went back; null while it is due. */
  form: string | null;
  /** Time of the refund; null while it is due. */
  refunded_at: string | null;
  /** Whether the money has arrived, as far as it is known. - `due`: the order is cancelled and its money has yet to go back - `pending`: the payment provider works on it - `succeeded`: it has gone back - `failed`: the payment provider could not give it back; the pharmacy looks into it */
  status: 'due' | 'pending' | 'succeeded' | 'failed';
};

/** A tax document of an order. */
export type TaxDocument = {
  /** Kind of document. - `invoice`: the invoice of the sale (CFDI of type I) - `payment`: a payment complement (type P) of an invoice on credit - `credit`: a credit note (type E) */
  kind: 'invoice' | 'payment' | 'credit';
  /** SAT’s UUID; null while it is not stamped. */
  uuid: string | null;
  /** Series of the pharmacy. */
  series: string | null;
  /** Folio of the pharmacy. */
  folio: string | null;
  /** The present state of the document. - `requested`: it is being issued - `retrying`: it could not be issued yet, and is tried again - `refused`: SAT does not accept the data: request it again with the right ones - `not_issued`: it was not issued in time; the pharmacy decides - `issued`: it is stamped and valid - `cancelling`: it is about to be cancelled with SAT - `cancellation_pending`: SAT waits for the receiver to accept the cancellation - `cancellation_rejected`: the receiver or SAT refused the cancellation: it is still valid - `cancelled`: it is not valid any more */
  status:
    | 'requested'
    | 'retrying'
    | 'refused'
    | 'not_issued'
    | 'issued'
    | 'cancelling'
    | 'cancellation_pending'
    | 'cancellation_rejected'
    | 'cancelled';
  /** Time of the stamp. */
  stamped_at: string | null;
  /** A link to the XML that works for 5 minutes; null until there is a copy. */
  xml: string | null;
  /** A link to the PDF that works for 5 minutes; null until there is a copy. */
  pdf: string | null;
};

/** A try to collect an order online. */
export type PaymentTry = {
  /** How it is collected. - `card`: on a page that takes credit and debit cards - `oxxo`: in cash at an OXXO store, with the number of a voucher - `spei`: by bank transfer to a CLABE, an account number of this order alone */
  collection: 'card' | 'oxxo' | 'spei';
  /** As in `payment_references`; null where none was made. */
  reference: string | null;
  /** Who takes the payment; null where no reference was made. */
  institution: string | null;
  /** Page on which the patient pays; null once it is over. */
  external_url: string | null;
  /** The amount to pay. */
  amount: string;
  /** What has arrived. */
  received: string;
  /** The present state of the try. - `open`: the patient may pay it - `processing`: the payment provider works on it - `paid`: it is paid - `rejected`: the payment provider has refused it - `expired`: its time is over, or another reference has replaced it: it is not to be paid any more */
  status: 'open' | 'processing' | 'paid' | 'rejected' | 'expired';
  /** End of the time in which it can be paid. */
  expires_at: string;
};

/** The total of an order is not the expected one. */
export type TotalChanged = {
  /** A message for people, in the language of `Content-Language`. */
  detail: string;
  /** A stable code for programs. */
  code: 'total_changed';
  quote: Quotation;
};

/** One page of the orders that the caller may see. */
export type OrderPage = {
  /** Number of results on all pages together. */
  count: number;
  /** Address of the next page; null on the last one. */
  next: string | null;
  /** Address of the previous page; null on the first one. */
  previous: string | null;
  /** The results of this page. */
  results: ListOrder[];
};

/** An order as lists show it. */
export type ListOrder = {
  /** Identifier. */
  id: number;
  /** Time of creation. */
  created_at: string;
  /** Status of the order in the pharmacy. - `quoted`: the pharmacy has set it back for changes; its lines may be replaced - `pending_approval`: a product requires a prescription, which a pharmacist has yet to verify - `approved`: it may be prepared, once it is paid if it is collected online - `in_process`: the pharmacy prepares it; from here on only the pharmacy can stop it - `ready`: it is packed, and waits for the carrier or for whoever collects it - `shipped`: the carrier has it - `delivered`: the patient has it - `cancelled`: it has ended for good - `delayed`: the pharmacy goes on with it later than promised - `shortage`: a product is missing; the pharmacy goes on once it is there */
  order_status:
    | 'quoted'
    | 'pending_approval'
    | 'approved'
    | 'in_process'
    | 'ready'
    | 'shipped'
    | 'delivered'
    | 'cancelled'
    | 'delayed'
    | 'shortage';
  /** Status of the order as the patient sees it. - `in_process`: it was placed and has not left the pharmacy yet - `shipped`: the carrier has it - `delivered`: the patient has it - `cancelled`: it has ended for good */
  patient_order_status: 'in_process' | 'shipped' | 'delivered' | 'cancelled';
  /** Full name of the patient. */
  patient: string;
  /** Status of the payment. - `unpaid`: it is yet to be paid - `credit`: it was placed on credit, and is paid later by agreement - `paid`: the money has arrived, or there was nothing to pay - `in_process`: the payment provider works on it, such as a voucher whose time is over - `processing`: the pharmacy has yet to confirm a payment that it was told of - `rejected`: it was refused or its time is over; `rejection_reason` says which, and it may be tried again */
  payment_status: 'unpaid' | 'credit' | 'paid' | 'in_process' | 'processing' | 'rejected';
  /** Number of lines. */
  products_count: number;
  /** The lines of the order. */
  details: ListOrderDetail[];
  /** The address that it is delivered to; null for a pickup. */
  shipping: ListOrderShipping | null;
  /** Name of the payment method. */
  payment_method: string;
  /** Code of the coupon, or null. */
  coupon: string | null;
  /** Amount to pay, in Mexican pesos (MXN). */
  total: string;
  /** The channel that it came through. */
  origin: string;
  /** Tags, separated by commas. */
  tags: string;
  /** The subscription that it came from, by id. */
  subscription: number | null;
  /** Expected time of delivery; null when the shipping method promises none. */
  expected_delivery_date: string | null;
  /** Latest expected time of delivery; null when the shipping method promises none. */
  max_delivery_date: string | null;
  /** Number of the order for people. Only with `include`. */
  folio?: string | undefined;
  /** The lines. Only with `include`. */
  lines?: ListLine[] | undefined;
  /** The shipments, the oldest first. Only with `include`. */
  shipments?: Shipment[] | undefined;
  /** The text that was written for the pharmacy. Only with `include`. */
  comments?: string | undefined;
};

/** One line of an order as lists show it. */
export type ListOrderDetail = {
  /** Address of an image of the product. */
  default_image: string | null;
  /** Number of pieces. */
  quantity: number;
};

/** An address as lists show it. */
export type ListOrderShipping = {
  /** Street. */
  street: string;
  /** Number of the building. */
  exterior_number: string;
  /** City. */
  city: string;
};

/** A line of an order, as lists show it. */
export type ListLine = {
  /** The product, by id. */
  product: number;
  /** Name of the product, as of the last change of the order. */
  name: string;
  /** Presentation of the product. */
  presentation: string | null;
  /** Number of pieces. */
  quantity: number;
};

/** An order whose related records are ids. */
export type OrderReference = {
  /** Identifier. */
  id: number;
  /** The lines of the order. */
  details: OrderDetail[];
  /** The patient whom the order is for, by id. */
  patient: number;
  /** The address that it is delivered to, by id; null for a pickup. */
  shipping: number | null;
  /** The store where it is picked up, by id; null for a delivery. */
  store: number | null;
  /** The card that it is paid with, by id, or null. */
  payment: number | null;
  /** The wallet agreement that it is paid by, by id, or null. */
  wallet_agreement: number | null;
  /** References for paying it elsewhere, such as in a shop. */
  payment_references: PaymentReference[];
  /** The payment method, by id. */
  payment_method: number;
  /** The coupon that was applied, by id, or null. */
  coupon: number | null;
  /** The user who placed it, by id. */
  generated_by: number | null;
  /** The user who changed it last, by id. */
  updated_by: number | null;
  /** The tax data that it is invoiced to, by id, or null. */
  invoicing: number | null;
  /** Time of payment. */
  payment_date: string | null;
  /** Time of shipping. */
  shipping_date: string | null;
  /** Time of delivery. */
  receiving_date: string | null;
  /** Expected time of delivery; null when the shipping method promises none. */
  expected_delivery_date: string | null;
  /** Latest expected time of delivery; null when the shipping method promises none. */
  max_delivery_date: string | null;
  /** Status of the order as the patient sees it. - `in_process`: it was placed and has not left the pharmacy yet - `shipped`: the carrier has it - `delivered`: the patient has it - `cancelled`: it has ended for good */
  patient_order_status: 'in_process' | 'shipped' | 'delivered' | 'cancelled';
  /** The prescriptions that came with it. */
  prescriptions: Prescription[];
  /** Tags, separated by commas. */
  tags: string;
  /** The shipping method, by id. */
  shipping_method: number;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
  /** Time of removal; null while it is in use. */
  deleted_at: string | null;
  /** Status of the refund by the insurer. - `not_started`: nobody has claimed it - `missing_data`: the claim lacks data or documents - `sent_to_broker`: the broker has the claim - `sent_to_insurer`: the insurer has the claim - `approved_by_insurer`: the insurer pays it */
  insurance_refund_status:
    | 'not_started'
    | 'missing_data'
    | 'sent_to_broker'
    | 'sent_to_insurer'
    | 'approved_by_insurer';
  /** Status of the order in the pharmacy. - `quoted`: the pharmacy has set it back for changes; its lines may be replaced - `pending_approval`: a product requires a prescription, which a pharmacist has yet to verify - `approved`: it may be prepared, once it is paid if it is collected online - `in_process`: the pharmacy prepares it; from here on only the pharmacy can stop it - `ready`: it is packed, and waits for the carrier or for whoever collects it - `shipped`: the carrier has it - `delivered`: the patient has it - `cancelled`: it has ended for good - `delayed`: the pharmacy goes on with it later than promised - `shortage`: a product is missing; the pharmacy goes on once it is there */
  order_status:
    | 'quoted'
    | 'pending_approval'
    | 'approved'
    | 'in_process'
    | 'ready'
    | 'shipped'
    | 'delivered'
    | 'cancelled'
    | 'delayed'
    | 'shortage';
  /** Status of the payment. - `unpaid`: it is yet to be paid - `credit`: it was placed on credit, and is paid later by agreement - `paid`: the money has arrived, or there was nothing to pay - `in_process`: the payment provider works on it, such as a voucher whose time is over - `processing`: the pharmacy has yet to confirm a payment that it was told of - `rejected`: it was refused or its time is over; `rejection_reason` says which, and it may be tried again */
  payment_status: 'unpaid' | 'credit' | 'paid' | 'in_process' | 'processing' | 'rejected';
  /** The reason for which the payment processor rejected the payment. */
  rejection_reason: string;
  /** The channel that it came through. */
  origin: string;
  /** Price by quantity, before discount and IVA. */
  subtotal: string;
  /** Discount of the coupon. */
  discount: string;
  /** Value added tax. */
  iva: string;
  /** Amount to pay, in Mexican pesos (MXN). */
  total: string;
  /** Price of shipping, IVA included. */
  shipping_price: string;
  /** Discount on shipping. */
  shipping_discount: string;
  /** Cost of the shipment to the pharmacy. */
  shipping_cost: string | null;
  /** Number of the order for people. */
  folio: string;
  /** Id of its invoice; empty when there is none. */
  cfdi: string;
  /** Id of the payment with the payment processor. */
  external_payment_id: string;
  /** The reminder that it came from, by id. */
  reminder: number | null;
  /** The subscription that it came from, by id. */
  subscription: number | null;
  /** The shipments, the oldest first. Only with `include`. */
  shipments?: Shipment[] | undefined;
  /** A pharmacist's decisions about its prescriptions, the oldest of each first. Only with `include`. */
  reviews?: Review[] | undefined;
  /** The refunds, the oldest first, and at last what is due. Only with `include`. */
  refunds?: Refund[] | undefined;
  /** The tax documents, for those who may see the receiver of the invoice; else none. Only with `include`. */
  invoices?: TaxDocument[] | undefined;
  /** The text that was written for the pharmacy. Only with `include`. */
  comments?: string | undefined;
  /** The tries to collect it online, the present one first, then the latest. Only with `include`. */
  payments?: PaymentTry[] | undefined;
};

/** One page of the events of an order. */
export type EventPage = {
  /** Number of results on all pages together. */
  count: number;
  /** Address of the next page; null on the last one. */
  next: string | null;
  /** Address of the previous page; null on the first one. */
  previous: string | null;
  /** The results of this page. */
  results: Event[];
};

/** One thing that happened to an order. It holds nothing personal. */
export type Event = {
  /** Identifier, always the same for the same event: whoever gets an event twice knows it by this. */
  id: string;
  /** The kind of event. - `order.created`: the order was placed - `order.changed`: its lines, its payment or its prescriptions changed, or its patient was erased: read it - `order.cancelled`: it was cancelled - `order.moved`: the pharmacy moved it to another status - `order.paid`: its money has arrived - `order.refunded`: money went back - `payment.requested`: it has a reference to pay that did not come with the order - `payment.rejected`: the payment was refused, or its time is over - `prescription.verified`: a pharmacist has verified a prescription - `prescription.rejected`: a pharmacist has rejected a prescription - `invoice.issued`: its invoice is stamped - `invoice.failed`: its invoice could not be issued - `invoice.cancelled`: its invoice is cancelled */
  type:
    | 'order.created'
    | 'order.changed'
    | 'order.cancelled'
    | 'order.moved'
    | 'order.paid'
    | 'order.refunded'
    | 'payment.requested'
    | 'payment.rejected'
    | 'prescription.verified'
    | 'prescription.rejected'
    | 'invoice.issued'
    | 'invoice.failed'
    | 'invoice.cancelled';
  /** Time at which it happened. */
  time: string;
  order: EventOrder;
  /** The change of the status of order or payment; null if neither changed. */
  move: EventMove | null;
  /** The shipment, when the order was moved to `shipped`; null for other events. */
  shipment: EventShipment | null;
  /** The amount that went back, for `order.refunded`; null for other events. */
  refunded: string | null;
  /** The pharmacy’s reason, if it cancelled the order and gave one; null for other events. */
  reason: string | null;
  /** The prescriptions that were added, verified or rejected, by id; empty for other events. */
  prescriptions: number[];
};

/** The order of an event. */
export type EventOrder = {
  /** Identifier. */
  id: number;
  /** Folio of the order. */
  folio: string;
  /** Right after this event; null if the history of the order no longer tells it. Status of the order in the pharmacy. - `quoted`: the pharmacy has set it back for changes; its lines may be replaced - `pending_approval`: a product requires a prescription, which a pharmacist has yet to verify - `approved`: it may be prepared, once it is paid if it is collected online - `in_process`: the pharmacy prepares it; from here on only the pharmacy can stop it - `ready`: it is packed, and waits for the carrier or for whoever collects it - `shipped`: the carrier has it - `delivered`: the patient has it - `cancelled`: it has ended for good - `delayed`: the pharmacy goes on with it later than promised - `shortage`: a product is missing; the pharmacy goes on once it is there */
  order_status:
    | 'quoted'
    | 'pending_approval'
    | 'approved'
    | 'in_process'
    | 'ready'
    | 'shipped'
    | 'delivered'
    | 'cancelled'
    | 'delayed'
    | 'shortage'
    | null;
  /** Right after this event; null if the history of the order no longer tells it. Status of the payment. - `unpaid`: it is yet to be paid - `credit`: it was placed on credit, and is paid later by agreement - `paid`: the money has arrived, or there was nothing to pay - `in_process`: the payment provider works on it, such as a voucher whose time is over - `processing`: the pharmacy has yet to confirm a payment that it was told of - `rejected`: it was refused or its time is over; `rejection_reason` says which, and it may be tried again */
  payment_status: 'unpaid' | 'credit' | 'paid' | 'in_process' | 'processing' | 'rejected' | null;
  /** Version of the order that this event made. Versions of an order grow. */
  version: number;
};

/** A change of a status. */
export type EventMove = {
  /** The status that changed. - `order_status`: that of the order - `payment_status`: that of the payment */
  status: 'order_status' | 'payment_status';
  /** Its former value, one of `order_status` or `payment_status`. */
  from:
    | 'quoted'
    | 'pending_approval'
    | 'approved'
    | 'in_process'
    | 'ready'
    | 'shipped'
    | 'delivered'
    | 'cancelled'
    | 'delayed'
    | 'shortage'
    | 'unpaid'
    | 'credit'
    | 'paid'
    | 'processing'
    | 'rejected';
  /** Its new value, one of `order_status` or `payment_status`. */
  to:
    | 'quoted'
    | 'pending_approval'
    | 'approved'
    | 'in_process'
    | 'ready'
    | 'shipped'
    | 'delivered'
    | 'cancelled'
    | 'delayed'
    | 'shortage'
    | 'unpaid'
    | 'credit'
    | 'paid'
    | 'processing'
    | 'rejected';
};

/** The shipment of an event. */
export type EventShipment = {
  /** Who carries it, if the pharmacy said so. */
  carrier: string | null;
  /** Its number with the carrier, if the pharmacy said it. */
  tracking_number: string | null;
};

/** Some events of a client. */
export type EventFeed = {
  /** Address of the events behind these; also if there are none yet. */
  next: string;
  /** The events, at most `limit`; maybe none of the types on a long way. */
  results: Event[];
};

/** One page of products. */
export type ProductPage = {
  /** Number of results on all pages together. */
  count: number;
  /** Address of the next page; null on the last one. */
  next: string | null;
  /** Address of the previous page; null on the first one. */
  previous: string | null;
  /** The results of this page. */
  results: ListProduct[];
  facets?: Facets | undefined;
  /** Another spelling of a search that found nothing, which finds something under the same filters, or null; only if `spelling` asks for it. */
  did_you_mean?: string | null | undefined;
};

/** A product as lists show it. */
export type ListProduct = {
  /** Identifier. */
  id: number;
  /** Presentation: form and content of the package. */
  presentation: string;
  /** Price of one in Mexican pesos (MXN), before IVA. */
  price: string;
  /** True when it can be bought. */
  is_active: boolean;
  /** True while it is out of stock. */
  has_shortage: boolean;
  /** Barcode. */
  ean_key: string;
  base: ListProductBase;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
  /** Address of its main image, or null. */
  default_image: string | null;
  /** Name and presentation as a part of an address. */
  name_slug: string;
};

/** An id with its name. */
export type Reference = {
  /** Identifier. */
  id: number;
  /** Name. */
  name: string;
};

/** The medical information that lists show. */
export type MedicalSummary = {
  /** Active ingredient. */
  active_ingredient: string;
  /** True for a generic. */
  is_generic: boolean;
  /** Number of its group. */
  group_number: number;
  /** True when an order of it needs a prescription. */
  requires_prescription: boolean;
};

/** A base product as lists show it. */
export type ListProductBase = {
  /** Identifier. */
  id: number;
  /** Name. */
  name: string;
  pharmaceutical_company: Reference;
  category: Reference;
  /** Its tags. */
  tags: Named[];
  /** Its medical information; null when it is no medicine. */
  medical_information: MedicalSummary | null;
};

/** The values of filters with their numbers of products: those of the list as filtered and searched, without the facet's own filter. The most frequent come first, then by name; 100 at most. */
export type Facets = {
  /** The categories, each without its children; only if it is asked for. */
  base__category?: FacetValue[] | undefined;
  /** The companies; only if it is asked for. */
  base__pharmaceutical_company?: FacetValue[] | undefined;
  /** The diseases; only if it is asked for. */
  base__diseases?: FacetValue[] | undefined;
};

/** A value of a filter, with the number of products that it would leave. */
export type FacetValue = {
  /** Identifier. */
  id: number;
  /** Name. */
  name: string;
  /** Number of products that have it. */
  count: number;
};

/** One page of substitutes. */
export type SubstitutePage = {
  /** Number of results on all pages together. */
  count: number;
  /** Address of the next page; null on the last one. */
  next: string | null;
  /** Address of the previous page; null on the first one. */
  previous: string | null;
  /** The results of this page. */
  results: Substitute[];
};

/** A product that may stand for another, as lists show it. */
export type Substitute = {
  /** Identifier. */
  id: number;
  /** Presentation: form and content of the package. */
  presentation: string;
  /** Price of one in Mexican pesos (MXN), before IVA. */
  price: string;
  /** True when it can be bought. */
  is_active: boolean;
  /** True while it is out of stock. */
  has_shortage: boolean;
  /** Barcode. */
  ean_key: string;
  base: ListProductBase;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
  /** Address of its main image, or null. */
  default_image: string | null;
  /** Name and presentation as a part of an address. */
  name_slug: string;
  /** Price of a package of the product less that of as many units (tablets, mL, g or doses) of the substitute, rounded to the cent; may be negative. Left out unless both presentations say how many units of the same kind they have. */
  saving?: string | undefined;
};

/** Every store, by id. */
export type AvailabilityList = Availability[];

/** Whether a store has a product. */
export type Availability = {
  /** Identifier. */
  store: number;
  /** True if an order with one piece can be collected there now. */
  is_available: boolean;
  /** The pieces left to sell; null where they are not counted. */
  quantity: number | null;
};

/** One page of categories. */
export type CategoryPage = {
  /** Number of results on all pages together. */
  count: number;
  /** Address of the next page; null on the last one. */
  next: string | null;
  /** Address of the previous page; null on the first one. */
  previous: string | null;
  /** The results of this page. */
  results: Category[];
};

/** One page of pharmaceutical companies. */
export type CompanyPage = {
  /** Number of results on all pages together. */
  count: number;
  /** Address of the next page; null on the last one. */
  next: string | null;
  /** Address of the previous page; null on the first one. */
  previous: string | null;
  /** The results of this page. */
  results: Company[];
};

/** A pharmaceutical company. */
export type Company = {
  /** Identifier. */
  id: number;
  /** Name. */
  name: string;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
};

/** One page of diseases. */
export type DiseasePage = {
  /** Number of results on all pages together. */
  count: number;
  /** Address of the next page; null on the last one. */
  next: string | null;
  /** Address of the previous page; null on the first one. */
  previous: string | null;
  /** The results of this page. */
  results: Disease[];
};

/** A disease. */
export type Disease = {
  /** Identifier. */
  id: number;
  /** Name. */
  name: string;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
  /** True for a chronic disease. */
  is_chronic: boolean;
};

/** One page of stores. */
export type StorePage = {
  /** Number of results on all pages together. */
  count: number;
  /** Address of the next page; null on the last one. */
  next: string | null;
  /** Address of the previous page; null on the first one. */
  previous: string | null;
  /** The results of this page. */
  results: Store[];
};

/** One page of payment methods. */
export type PaymentMethodPage = {
  /** Number of results on all pages together. */
  count: number;
  /** Address of the next page; null on the last one. */
  next: string | null;
  /** Address of the previous page; null on the first one. */
  previous: string | null;
  /** The results of this page. */
  results: ListedPaymentMethod[];
};

/** A way to pay, as the list shows it. */
export type ListedPaymentMethod = {
  /** Identifier. */
  id: number;
  /** Time of creation. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
  /** Name. */
  name: string;
  /** Fee as a share of the total; not included in it. */
  fee: string;
  /** Fixed fee; not included in the total. */
  fixed_fee: string;
  /** How an order by this method is collected online. Only with `include`. - `card`: on a page that takes credit and debit cards - `oxxo`: in cash at an OXXO store, with the number of a voucher - `spei`: by bank transfer to a CLABE, an account number of this order alone - `null`: not online: the order is paid as agreed with the pharmacy */
  collection?: 'card' | 'oxxo' | 'spei' | null | undefined;
};

/** The caller as a person, with the records that are kept for a patient. */
export type Profile = {
  /** Identifier. */
  id: number;
  /** E-mail address, unique within the client. */
  email: string | null;
  /** First name. */
  first_name: string;
  /** First surname. */
  last_name: string;
  /** Telephone as `+`, country code and number; unique within the client. */
  phone: string | null;
  /** Second surname. */
  second_last_name: string | null;
  /** Sex: `M` for male, `F` for female. Null when unknown. */
  sex: 'M' | 'F' | null;
  /** Date of birth; null when unknown. */
  birthdate: string | null;
  /** Conditions that the pharmacy should know of. */
  medical_condition: string | null;
  /** Time of registration. */
  date_joined: string | null;
  /** Time of creation. */
  created_at: string | null;
  /** Time of the last change. */
  updated_at: string | null;
  /** Time of erasure, after which names and e-mail are empty; null before. */
  deleted_at: string | null;
  /** Id of the person’s record as a patient, or null. */
  patient: string | null;
  /** Id of the person’s record as a doctor, or null. */
  doctor: string | null;
  /** Id of the person’s record as an insurance employee, or null. */
  insurance_employee: string | null;
  /** Country code of the telephone, without the plus sign; null without one. */
  country_code: string | null;
  /** The telephone without its country code; null without one. */
  national_number: string | null;
  /** The user whose order registered this person, by id. */
  created_by: number | null;
  /** Groups of the person, by id. */
  groups: number[];
  /** The address for orders that name none, by id; null for a user who is no patient or has none. */
  default_shipping: number | null;
  /** The first tax data kept for the patient, by id; null for a user who is no patient or has none. */
  default_invoicing: number | null;
  /** The address that is kept for the patient, if there is one. */
  shipping_records: Shipping[];
  /** The tax data kept for the patient, the default one and then the latest first, at most 100; an invoice can be requested by their ids. */
  invoicing_records: Invoicing[];
};

/** What is stored about a user. */
export type ProfileExport = {
  profile: Profile;
  /** The address that is kept for orders that name none. */
  addresses: Shipping[];
  /** The tax data, the latest first. */
  invoicing: Invoicing[];
  /** Some orders of the patient; none for other users. */
  orders: Order[];
  /** Address of the next orders; null after the last ones. */
  next: string | null;
};

/** The reason for which a request was refused. */
export type Error = {
  /** A message for people, in the language of `Content-Language`. */
  detail: string;
  /** A stable code for programs. */
  code: string;
};

/** A mirror of the request: each bad field holds its messages, each bad array one entry per element (`{}` for a good one); the errors of an object as a whole stand under `non_field_errors`. */
export type FieldErrors = { [name: string]: string[] | FieldErrors[] | FieldErrors };

/** The query, body and successful answer of each route. */
export type Operations = {
  'POST /api/token/': {
    body: TokenRequest;
    answer: AccessToken;
  };
  'POST /api/password/': {
    body: RequestPasswordRequest;
    answer: Nothing;
  };
  'PUT /api/password/': {
    body: SetPasswordRequest;
    answer: undefined;
  };
  'POST /api/orders/calculate/': {
    body: QuoteRequest;
    answer: Quotation;
  };
  'POST /api/orders/resources/': {
    query: {
      /** Parts of the order to add to the answer. Without it, the answer is exactly that of the interface. - `shipments`: carrier, tracking number and its page - `reviews`: the decisions on its prescriptions - `refunds`: what went back, and what is due - `invoices`: its tax documents, with links - `comments`: the text that was written for the pharmacy - `payments`: each try to pay it online, and when it expires */
      include?: ('shipments' | 'reviews' | 'refunds' | 'invoices' | 'comments' | 'payments')[] | undefined;
    };
    body: CreateOrderRequest;
    answer: Order;
  };
  'GET /api/orders/': {
    query: {
      /** Number of the page. */
      page?: number | undefined;
      /** Results on a page; more than 100 count as 100. */
      limit?: number | undefined;
      /** Reads the list to its end, safely while it changes: empty to begin, then as in `next`, whose cursor goes on behind the last result. A result that keeps its place is neither skipped nor repeated. It is valid for the same caller, search, filters and ordering; `limit` may change. Not together with `page`; `previous` is null. */
      cursor?: string | undefined;
      /** Words of the patient’s full name. */
      search?: string | undefined;
      /** Fields to order by, most important first; `-` before a field reverses its order. */
      ordering?: ('created_at' | '-created_at' | 'expected_delivery_date' | '-expected_delivery_date')[] | undefined;
      /** The patient, by id. */
      patient?: number | undefined;
      /** The patient, by e-mail address. */
      email?: string | undefined;
      /** The patient, by present telephone; 10 digits are a Mexican number. For a doctor, the telephone that they sent with the order. */
      phone?: string | undefined;
      /** The order of this folio, in upper or lower case: `RX-00000123`. */
      folio?: string | undefined;
      /** Created on this day or earlier. */
      created_at_before?: string | undefined;
      /** Created on this day or later. */
      created_at_after?: string | undefined;
      /** Only orders of these statuses. */
      order_status__in?:
        | (
            | 'quoted'
            | 'pending_approval'
            | 'approved'
            | 'in_process'
            | 'ready'
            | 'shipped'
            | 'delivered'
            | 'cancelled'
            | 'delayed'
            | 'shortage'
          )[]
        | undefined;
      /** No orders of these statuses. */
      exclude_order_status__in?:
        | (
            | 'quoted'
            | 'pending_approval'
            | 'approved'
            | 'in_process'
            | 'ready'
            | 'shipped'
            | 'delivered'
            | 'cancelled'
            | 'delayed'
            | 'shortage'
          )[]
        | undefined;
      /** Only orders of these payment statuses. */
      payment_status__in?: ('unpaid' | 'credit' | 'paid' | 'in_process' | 'processing' | 'rejected')[] | undefined;
      /** To be picked up at this store, by id. */
      store?: number | undefined;
      /** Status of the refund by the insurer. - `not_started`: nobody has claimed it - `missing_data`: the claim lacks data or documents - `sent_to_broker`: the broker has the claim - `sent_to_insurer`: the insurer has the claim - `approved_by_insurer`: the insurer pays it */
      insurance_refund_status?:
        | 'not_started'
        | 'missing_data'
        | 'sent_to_broker'
        | 'sent_to_insurer'
        | 'approved_by_insurer'
        | undefined;
      /** Expected on this day or earlier. */
      expected_delivery_date_before?: string | undefined;
      /** Expected on this day or later. */
      expected_delivery_date_after?: string | undefined;
      /** Expected at the latest on this day or earlier. */
      max_delivery_date_before?: string | undefined;
      /** Expected at the latest on this day or later. */
      max_delivery_date_after?: string | undefined;
      /** Parts of each order to add to the answer. Without it, the answer is exactly that of the interface. - `lines`: product, name, presentation and quantity of each line, and the folio of the order - `shipments`: carrier, tracking number and its page - `comments`: the text that was written for the pharmacy */
      include?: ('lines' | 'shipments' | 'comments')[] | undefined;
    };
    answer: OrderPage;
  };
  'GET /api/orders/{id}/': {
    query: {
      /** Parts of the order to add to the answer. Without it, the answer is exactly that of the interface. - `shipments`: carrier, tracking number and its page - `reviews`: the decisions on its prescriptions - `refunds`: what went back, and what is due - `invoices`: its tax documents, with links - `comments`: the text that was written for the pharmacy - `payments`: each try to pay it online, and when it expires */
      include?: ('shipments' | 'reviews' | 'refunds' | 'invoices' | 'comments' | 'payments')[] | undefined;
    };
    answer: Order;
  };
  'PATCH /api/orders/{id}/': {
    query: {
      /** Parts of the order to add to the answer. Without it, the answer is exactly that of the interface. - `shipments`: carrier, tracking number and its page - `reviews`: the decisions on its prescriptions - `refunds`: what went back, and what is due - `invoices`: its tax documents, with links - `comments`: the text that was written for the pharmacy - `payments`: each try to pay it online, and when it expires */
      include?: ('shipments' | 'reviews' | 'refunds' | 'invoices' | 'comments' | 'payments')[] | undefined;
    };
    body: UpdateOrderRequest;
    answer: Order;
  };
  'POST /api/orders/{id}/payment/': {
    body: PaymentRequest;
    answer: Order;
  };
  'POST /api/orders/{id}/prescriptions/': {
    body: AddPrescriptionsRequest;
    answer: Order;
  };
  'PATCH /api/orders/{id}/request-invoice/': {
    body: InvoicingInput;
    answer: OrderReference;
  };
  'PUT /api/orders/{id}/request-invoice/': {
    body: InvoiceRequest;
    answer: Order;
  };
  'GET /api/orders/{id}/events/': {
    query: {
      /** Number of the page. */
      page?: number | undefined;
      /** Results on a page; more than 100 count as 100. */
      limit?: number | undefined;
      /** Reads the list to its end, safely while it changes: empty to begin, then as in `next`, whose cursor goes on behind the last result. A result that keeps its place is neither skipped nor repeated. It is valid for the same caller, search, filters and ordering; `limit` may change. Not together with `page`; `previous` is null. */
      cursor?: string | undefined;
      /** Only events of these types. - `order.created`: the order was placed - `order.changed`: its lines, its payment or its prescriptions changed, or its patient was erased: read it - `order.cancelled`: it was cancelled - `order.moved`: the pharmacy moved it to another status - `order.paid`: its money has arrived - `order.refunded`: money went back - `payment.requested`: it has a reference to pay that did not come with the order - `payment.rejected`: the payment was refused, or its time is over - `prescription.verified`: a pharmacist has verified a prescription - `prescription.rejected`: a pharmacist has rejected a prescription - `invoice.issued`: its invoice is stamped - `invoice.failed`: its invoice could not be issued - `invoice.cancelled`: its invoice is cancelled */
      type?:
        | (
            | 'order.created'
            | 'order.changed'
            | 'order.cancelled'
            | 'order.moved'
            | 'order.paid'
            | 'order.refunded'
            | 'payment.requested'
            | 'payment.rejected'
            | 'prescription.verified'
            | 'prescription.rejected'
            | 'invoice.issued'
            | 'invoice.failed'
            | 'invoice.cancelled'
          )[]
        | undefined;
    };
    answer: EventPage;
  };
  'GET /api/events/': {
    query: {
      /** Results on a page; more than 100 count as 100. */
      limit?: number | undefined;
      /** Empty to begin with the oldest event that is kept, then as in `next`. It is valid for the same caller and types. */
      cursor?: string | undefined;
      /** Only events of these types. - `order.created`: the order was placed - `order.changed`: its lines, its payment or its prescriptions changed, or its patient was erased: read it - `order.cancelled`: it was cancelled - `order.moved`: the pharmacy moved it to another status - `order.paid`: its money has arrived - `order.refunded`: money went back - `payment.requested`: it has a reference to pay that did not come with the order - `payment.rejected`: the payment was refused, or its time is over - `prescription.verified`: a pharmacist has verified a prescription - `prescription.rejected`: a pharmacist has rejected a prescription - `invoice.issued`: its invoice is stamped - `invoice.failed`: its invoice could not be issued - `invoice.cancelled`: its invoice is cancelled */
      type?:
        | (
            | 'order.created'
            | 'order.changed'
            | 'order.cancelled'
            | 'order.moved'
            | 'order.paid'
            | 'order.refunded'
            | 'payment.requested'
            | 'payment.rejected'
            | 'prescription.verified'
            | 'prescription.rejected'
            | 'invoice.issued'
            | 'invoice.failed'
            | 'invoice.cancelled'
          )[]
        | undefined;
    };
    answer: EventFeed;
  };
  'GET /api/products/': {
    query: {
      /** Number of the page. */
      page?: number | undefined;
      /** Results on a page; more than 100 count as 100. */
      limit?: number | undefined;
      /** Reads the list to its end, safely while it changes: empty to begin, then as in `next`, whose cursor goes on behind the last result. A result that keeps its place is neither skipped nor repeated. It is valid for the same caller, search, filters and ordering; `limit` may change. Not together with `page`; `previous` is null. */
      cursor?: string | undefined;
      /** Words of the name of the base product, all of which must match, each anywhere in it. A number matches a whole number of the name (`5` matches neither 50 nor 0.5, and `500mg` is `500 mg`) and, with six digits or more, anywhere in a barcode, a whole one also with the blanks or hyphens printed between its digits. Signs beside a word are ignored; signs alone find nothing. */
      search?: string | undefined;
      /** Fields to order by, most important first; `-` before a field reverses its order. */
      ordering?:
        | (
            | 'created_at'
            | '-created_at'
            | 'updated_at'
            | '-updated_at'
            | 'base__name'
            | '-base__name'
            | 'price'
            | '-price'
          )[]
        | undefined;
      /** `true` searches also the presentation, with its numbers, and the words of the active ingredient, its synonyms and classes, and the company: `acetaminofén`, `analgésico`, `ibuprofeno tabletas`. */
      search_all?: boolean | undefined;
      /** Used for this disease, by id. */
      base__diseases?: number | undefined;
      /** Of this category, by id. */
      base__category?: number | undefined;
      /** Made by this company, by id. */
      base__pharmaceutical_company?: number | undefined;
      /** `true` for products that can be bought. */
      is_active?: boolean | undefined;
      /** `false` for products in stock. */
      has_shortage?: boolean | undefined;
      /** Of this price or more. */
      min_price?: number | undefined;
      /** Of this price or less. */
      max_price?: number | undefined;
      /** Only these products, by id. */
      id__in?: number[] | undefined;
      /** Only products of these barcodes; one GTIN is the same with 8, 12, 13 and 14 digits, and with the blanks or hyphens printed between them. */
      ean_key__in?: string[] | undefined;
      /** Filters whose values are counted in `facets`, each once at most (`base__category`: categories; `base__pharmaceutical_company`: companies; `base__diseases`: diseases): for the list as filtered and searched, without the filter's own value. Values that no product has are left out; each filter has its 100 most frequent. */
      facets?: ('base__category' | 'base__pharmaceutical_company' | 'base__diseases')[] | undefined;
      /** `true` asks for `did_you_mean`: the search with each word that stands in no product replaced by the nearest word of the names of products, at most two edits away (one for 4 or 5 letters, none for fewer). Drug names come first, then fewer edits, more products, the alphabet. It is in lower case and without accents, as searches are compared; numbers are never changed, nor more than three words, nor what is as near to the name of a company. */
      spelling?: boolean | undefined;
    };
    answer: ProductPage;
  };
  'GET /api/products/{id}/': {
    answer: Product;
  };
  'GET /api/products/{id}/substitutes/': {
    query: {
      /** Number of the page. */
      page?: number | undefined;
      /** Results on a page; more than 100 count as 100. */
      limit?: number | undefined;
      /** Reads the list to its end, safely while it changes: empty to begin, then as in `next`, whose cursor goes on behind the last result. A result that keeps its place is neither skipped nor repeated. It is valid for the same caller, search, filters and ordering; `limit` may change. Not together with `page`; `previous` is null. */
      cursor?: string | undefined;
    };
    answer: SubstitutePage;
  };
  'GET /api/products/{id}/availability/': {
    answer: AvailabilityList;
  };
  'GET /api/categories/': {
    query: {
      /** Number of the page. */
      page?: number | undefined;
      /** Results on a page; more than 100 count as 100. */
      limit?: number | undefined;
      /** Reads the list to its end, safely while it changes: empty to begin, then as in `next`, whose cursor goes on behind the last result. A result that keeps its place is neither skipped nor repeated. It is valid for the same caller, search, filters and ordering; `limit` may change. Not together with `page`; `previous` is null. */
      cursor?: string | undefined;
      /** Words of the name. */
      search?: string | undefined;
      /** Fields to order by, most important first; `-` before a field reverses its order. */
      ordering?: ('updated_at' | '-updated_at' | 'name' | '-name')[] | undefined;
      /** `true` leaves out what has no product that can be bought and is in stock. */
      available?: boolean | undefined;
    };
    answer: CategoryPage;
  };
  'GET /api/pharmaceutical-companies/': {
    query: {
      /** Number of the page. */
      page?: number | undefined;
      /** Results on a page; more than 100 count as 100. */
      limit?: number | undefined;
      /** Reads the list to its end, safely while it changes: empty to begin, then as in `next`, whose cursor goes on behind the last result. A result that keeps its place is neither skipped nor repeated. It is valid for the same caller, search, filters and ordering; `limit` may change. Not together with `page`; `previous` is null. */
      cursor?: string | undefined;
      /** Words of the name. */
      search?: string | undefined;
      /** Fields to order by, most important first; `-` before a field reverses its order. */
      ordering?: ('updated_at' | '-updated_at' | 'name' | '-name')[] | undefined;
      /** `true` leaves out what has no product that can be bought and is in stock. */
      available?: boolean | undefined;
    };
    answer: CompanyPage;
  };
  'GET /api/diseases/': {
    query: {
      /** Number of the page. */
      page?: number | undefined;
      /** Results on a page; more than 100 count as 100. */
      limit?: number | undefined;
      /** Reads the list to its end, safely while it changes: empty to begin, then as in `next`, whose cursor goes on behind the last result. A result that keeps its place is neither skipped nor repeated. It is valid for the same caller, search, filters and ordering; `limit` may change. Not together with `page`; `previous` is null. */
      cursor?: string | undefined;
      /** Words of the name. */
      search?: string | undefined;
      /** Fields to order by, most important first; `-` before a field reverses its order. */
      ordering?: ('updated_at' | '-updated_at' | 'name' | '-name')[] | undefined;
    };
    answer: DiseasePage;
  };
  'GET /api/stores/': {
    query: {
      /** Number of the page. */
      page?: number | undefined;
      /** Results on a page; more than 100 count as 100. */
      limit?: number | undefined;
      /** Reads the list to its end, safely while it changes: empty to begin, then as in `next`, whose cursor goes on behind the last result. A result that keeps its place is neither skipped nor repeated. It is valid for the same caller, search, filters and ordering; `limit` may change. Not together with `page`; `previous` is null. */
      cursor?: string | undefined;
      /** Words of the name. */
      search?: string | undefined;
      /** Fields to order by, most important first; `-` before a field reverses its order. */
      ordering?: ('updated_at' | '-updated_at' | 'name' | '-name')[] | undefined;
    };
    answer: StorePage;
  };
  'GET /api/payment-methods/': {
    query: {
      /** Number of the page. */
      page?: number | undefined;
      /** Results on a page; more than 100 count as 100. */
      limit?: number | undefined;
      /** Reads the list to its end, safely while it changes: empty to begin, then as in `next`, whose cursor goes on behind the last result. A result that keeps its place is neither skipped nor repeated. It is valid for the same caller, search, filters and ordering; `limit` may change. Not together with `page`; `previous` is null. */
      cursor?: string | undefined;
      /** Words of the name. */
      search?: string | undefined;
      /** Fields to order by, most important first; `-` before a field reverses its order. */
      ordering?: ('updated_at' | '-updated_at' | 'name' | '-name')[] | undefined;
      /** Fields to add to each method. Without it, the answer is exactly that of the interface. - `collection`: how it is collected online, if it is */
      include?: 'collection'[] | undefined;
    };
    answer: PaymentMethodPage;
  };
  'GET /api/me/': {
    answer: Profile;
  };
  'PATCH /api/me/': {
    body: UpdateProfileRequest;
    answer: Profile;
  };
  'GET /api/me/export/': {
    query: {
      /** Empty or left out to begin, then as in `next`; of the same user. */
      cursor?: string | undefined;
    };
    answer: ProfileExport;
  };
};

/** Every code of an error. A later version of the service may have more. */
export type ErrorCode =
  | 'api_key_invalid'
  | 'body_too_large'
  | 'client_unknown'
  | 'cross_site'
  | 'idempotency_key_reused'
  | 'internal_error'
  | 'invoice_in_progress'
  | 'invoice_window_closed'
  | 'malformed_json'
  | 'not_authenticated'
  | 'not_found'
  | 'not_json'
  | 'not_payable'
  | 'nothing_to_invoice'
  | 'order_cancelled'
  | 'order_changed_meanwhile'
  | 'order_invoiced'
  | 'order_not_cancellable'
  | 'order_not_changeable'
  | 'order_not_waiting'
  | 'order_on_credit'
  | 'order_paid'
  | 'out_of_stock'
  | 'password_url_missing'
  | 'payment_rejected'
  | 'rebuilding'
  | 'throttled'
  | 'timeout'
  | 'token_expired'
  | 'token_invalid'
  | 'too_many_attempts'
  | 'too_many_invoices'
  | 'too_many_orders'
  | 'too_many_references'
  | 'total_changed'
  | 'unavailable'
  | 'wrong_credentials';
