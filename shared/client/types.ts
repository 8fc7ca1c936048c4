// Made from the API description by `npm run client`.

/** Who wants to log in. */
export type TokenRequest = {
  /** E-mail address of the user. */
  email: string;
  /** Password of the user. */
  password: string;
};

/** A basket to be priced. */
export type QuoteRequest = {
  /** The lines of the basket. */
  details: OrderDetailInput[];
  /** Postal code to deliver to, five digits; not together with `store`. */
  zipcode?: string | undefined;
  /** The store to pick up at, by id; not together with `zipcode`. */
  store?: number | undefined;
  /** Code of a coupon, whatever its case. */
  coupon?: string | undefined;
  /** One of the methods that the postal code has, by id. */
  shipping_method?: number | undefined;
};

/** An order together with the person it is for and, if wanted, the data of its invoice. */
export type CreateOrderRequest = {
  user: UserInput;
  order: NewOrder;
  invoicing?: InvoicingInput | undefined;
};

/** What is ordered, where it goes and how it is paid. */
export type NewOrder = {
  /** The lines of the order; at least one has a quantity above 0. */
  details: OrderDetailInput[];
  /** A payment method of the client, by id. */
  payment_method: number;
  shipping?: ShippingInput | undefined;
  /** One of the methods that the postal code has, by id; else the default one. */
  shipping_method?: number | undefined;
  /** The store to pick up at, by id; not together with `shipping`. */
  store?: number | null | undefined;
  /** Code of a coupon; an invalid one is left out without a fault. */
  coupon?: string | null | undefined;
  /** Prescriptions of the products that require one; at most 10 and 4 MB together. */
  prescriptions?: PrescriptionInput[] | undefined;
  /** What the pharmacy should know. */
  comments?: string | undefined;
};

/** Exactly one of two changes: other products, or the end of the order. */
export type UpdateOrderRequest =
  | {
      /** The lines that replace all present ones. */
      details: OrderDetailInput[];
      /** `cancelled` ends the order for good. */
      order_status?: 'cancelled' | undefined;
    }
  | {
      /** The lines that replace all present ones. */
      details?: OrderDetailInput[] | undefined;
      /** `cancelled` ends the order for good. */
      order_status: 'cancelled';
    };

/** Whom an order is to be invoiced to. */
export type InvoiceRequest = {
  /** Tax data, or the id of those that the patient has already. */
  invoicing: number | InvoicingInput;
};

/** One line of a basket. */
export type OrderDetailInput = {
  /** The product, by id. */
  product: number;
  /** How many of it. */
  quantity: number;
};

/** The person whom an order is for; registered with the order when the e-mail is not known yet. */
export type UserInput = {
  /** E-mail address, unique within the client. */
  email: string;
  /** First name. */
  first_name: string;
  /** First surname. */
  last_name: string;
  /** Telephone as `+`, country code and number; unique within the client. */
  phone?: string | undefined;
  /** Second surname. */
  second_last_name?: string | null | undefined;
  /** Sex, `M` or `F`. */
  sex?: 'M' | 'F' | undefined;
  /** Date of birth. */
  birthdate?: string | null | undefined;
  /** Conditions that the pharmacy should know of. */
  medical_condition?: string | undefined;
};

/** An address to deliver to. */
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
  /** Country. */
  country: string;
  /** Mexican postal code, five digits. */
  zipcode: string;
  /** Telephone to call on delivery. */
  phone: string;
  /** How this address is called. */
  name?: string | undefined;
  /** Number of the flat, floor or unit. */
  interior_number?: string | undefined;
  /** What else helps to find the place. */
  additional_info?: string | undefined;
  /** Degrees north, six decimals. */
  latitude?: number | string | null | undefined;
  /** Degrees east, six decimals. */
  longitude?: number | string | null | undefined;
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
  /** What the invoice is for, by SAT’s catalog c_UsoCFDI. */
  cfdi_use: string;
  /** Tax regime of the receiver, by SAT’s catalog c_RegimenFiscal. */
  fiscal_regime: string;
  /** Where the invoice is sent instead of the user’s own e-mail. */
  email?: string | undefined;
  /** Degrees north, six decimals. */
  latitude?: number | string | null | undefined;
  /** Degrees east, six decimals. */
  longitude?: number | string | null | undefined;
};

/** A prescription that comes with an order. */
export type PrescriptionInput = {
  /** A PDF, JPEG or PNG of at most 3 MB in base64, with or without a `data:` prefix. */
  document: string;
  /** When it was issued; not in the future. */
  issue_date: string;
  /** File name under which it is shown. */
  document_name?: string | undefined;
  /** Until when it is good; neither past nor before the issue. */
  expiring_date?: string | undefined;
};

/** A short-lived credential of one user. */
export type AccessToken = {
  /** JWT to be sent as `Authorization: Bearer`; its claim `access_lifetime` says for how many seconds it lives. */
  access: string;
};

/** What a basket costs and when it arrives. */
export type Quotation = {
  /** Price by quantity, before discount and IVA. */
  subtotal: string;
  /** What shipping costs, IVA included. */
  shipping_price: string;
  /** What is taken off shipping. */
  shipping_discount: string;
  /** What the coupon takes off. */
  discount: string;
  /** Value added tax. */
  iva: string;
  /** What is to be paid. */
  total: string;
  /** The coupon that was applied, or null. */
  coupon: QuotedCoupon | null;
  /** The methods that the postal code or store has, with their prices. */
  shipping_method_options: ShippingOption[];
  /** The method that was reckoned with, by id: the one asked for, else the default one. */
  selected_shipping_method: number | null;
  /** What was left out of the reckoning and why: a message by the name of the field. */
  errors: { [name: string]: string };
  /** When delivery is expected; null when the method promises nothing. */
  expected_delivery_date: string | null;
  /** When delivery is expected at the latest; null when the method promises nothing. */
  max_delivery_date: string | null;
  /** The lines in the order in which they were sent. */
  details: QuotedDetail[];
};

/** One line of a priced basket. */
export type QuotedDetail = {
  /** The product, by id. */
  product: number;
  /** How many of it. */
  quantity: number;
  /** Price by quantity, before discount and IVA. */
  subtotal: string;
  /** What the coupon takes off. */
  discount: string;
  /** Value added tax. */
  iva: string;
  /** What is to be paid. */
  total: string;
};

/** A coupon that was applied to a basket. */
export type QuotedCoupon = {
  /** Its code. */
  code: string;
  /** Up to 1 a share of the subtotal, above it an amount. */
  value: string;
};

/** A way to ship a basket. */
export type ShippingOption = {
  /** Its identifier. */
  id: number;
  /** The company that delivers. */
  company: string;
  /** Kind of delivery. */
  method: 'standard' | 'express' | 'local' | 'default';
  /** Working days that it takes at least. */
  min_delivery_days: number | null;
  /** Working days that it takes at most. */
  max_delivery_days: number | null;
  /** What it costs, IVA included. */
  price: string;
};

/** An order as it stands. */
export type Order = {
  /** Its identifier. */
  id: number;
  /** The lines of the order. */
  details: OrderDetail[];
  patient: Patient;
  /** Where it is delivered to; null for a pickup. */
  shipping: Shipping | null;
  /** Where it is picked up; null for a delivery. */
  store: Store | null;
  /** The card that it is paid with, or null. */
  payment: Payment | null;
  /** The wallet agreement that it is paid by, or null. */
  wallet_agreement: WalletAgreement | null;
  /** References to pay by elsewhere, such as in a shop. */
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
  /** When it was paid. */
  payment_date: string | null;
  /** When it was shipped. */
  shipping_date: string | null;
  /** When delivery is expected; null when the method promises nothing. */
  expected_delivery_date: string | null;
  /** When delivery is expected at the latest; null when the method promises nothing. */
  max_delivery_date: string | null;
  /** When it was delivered. */
  receiving_date: string | null;
  /** Where the order stands for the patient. */
  patient_order_status: 'in_process' | 'shipped' | 'delivered' | 'cancelled';
  /** The prescriptions that came with it. */
  prescriptions: Prescription[];
  /** Tags, separated by commas. */
  tags: string;
  shipping_method: ShippingMethod;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** When it was removed; null while it is in use. */
  deleted_at: string | null;
  /** Where the refund of the insurer stands. */
  insurance_refund_status:
    | 'not_started'
    | 'missing_data'
    | 'sent_to_broker'
    | 'sent_to_insurer'
    | 'approved_by_insurer';
  /** Where the order stands in the pharmacy. */
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
  /** Where the payment stands. */
  payment_status: 'unpaid' | 'credit' | 'paid' | 'in_process' | 'processing' | 'rejected';
  /** Why the payment processor rejected the payment. */
  rejection_reason: string;
  /** The channel that it came through. */
  origin: string;
  /** Price by quantity, before discount and IVA. */
  subtotal: string;
  /** Value added tax. */
  iva: string;
  /** What shipping costs, IVA included. */
  shipping_price: string;
  /** What is taken off shipping. */
  shipping_discount: string;
  /** What the shipment costs the pharmacy. */
  shipping_cost: string | null;
  /** What the coupon takes off. */
  discount: string;
  /** What is to be paid. */
  total: string;
  /** Its number for people. */
  folio: string;
  /** Id of its invoice; empty when there is none. */
  cfdi: string;
  /** Id of the payment with the processor. */
  external_payment_id: string;
  /** The reminder that it came from, by id. */
  reminder: number | null;
  /** The subscription that it came from, by id. */
  subscription: number | null;
};

/** An order whose related records are ids. */
export type OrderReference = {
  /** Its identifier. */
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
  /** References to pay by elsewhere, such as in a shop. */
  payment_references: PaymentReference[];
  /** How it is paid, by id. */
  payment_method: number;
  /** The coupon that was applied, by id, or null. */
  coupon: number | null;
  /** The user who placed it, by id. */
  generated_by: number | null;
  /** The user who changed it last, by id. */
  updated_by: number | null;
  /** The tax data that it is invoiced to, by id, or null. */
  invoicing: number | null;
  /** When it was paid. */
  payment_date: string | null;
  /** When it was shipped. */
  shipping_date: string | null;
  /** When delivery is expected; null when the method promises nothing. */
  expected_delivery_date: string | null;
  /** When delivery is expected at the latest; null when the method promises nothing. */
  max_delivery_date: string | null;
  /** When it was delivered. */
  receiving_date: string | null;
  /** Where the order stands for the patient. */
  patient_order_status: 'in_process' | 'shipped' | 'delivered' | 'cancelled';
  /** The prescriptions that came with it. */
  prescriptions: Prescription[];
  /** Tags, separated by commas. */
  tags: string;
  /** How it is shipped, by id. */
  shipping_method: number;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** When it was removed; null while it is in use. */
  deleted_at: string | null;
  /** Where the refund of the insurer stands. */
  insurance_refund_status:
    | 'not_started'
    | 'missing_data'
    | 'sent_to_broker'
    | 'sent_to_insurer'
    | 'approved_by_insurer';
  /** Where the order stands in the pharmacy. */
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
  /** Where the payment stands. */
  payment_status: 'unpaid' | 'credit' | 'paid' | 'in_process' | 'processing' | 'rejected';
  /** Why the payment processor rejected the payment. */
  rejection_reason: string;
  /** The channel that it came through. */
  origin: string;
  /** Price by quantity, before discount and IVA. */
  subtotal: string;
  /** Value added tax. */
  iva: string;
  /** What shipping costs, IVA included. */
  shipping_price: string;
  /** What is taken off shipping. */
  shipping_discount: string;
  /** What the shipment costs the pharmacy. */
  shipping_cost: string | null;
  /** What the coupon takes off. */
  discount: string;
  /** What is to be paid. */
  total: string;
  /** Its number for people. */
  folio: string;
  /** Id of its invoice; empty when there is none. */
  cfdi: string;
  /** Id of the payment with the processor. */
  external_payment_id: string;
  /** The reminder that it came from, by id. */
  reminder: number | null;
  /** The subscription that it came from, by id. */
  subscription: number | null;
};

/** One line of an order, at the prices of its last change. */
export type OrderDetail = {
  /** Its identifier. */
  id: number;
  product: Product;
  /** Price of one, before IVA. */
  price: string;
  /** Price by quantity, before discount and IVA. */
  subtotal: string;
  /** What is to be paid. */
  total: string;
  /** What the coupon takes off. */
  discount: string;
  /** Value added tax. */
  iva: string;
  /** How many of it. */
  quantity: number;
  /** The order, by id. */
  order: number;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
};

/** A person; what the reader may not see of somebody else is null. */
export type User = {
  /** Its identifier. */
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
  /** Sex, `M` or `F`. */
  sex: 'M' | 'F' | null;
  /** Date of birth. */
  birthdate: string | null;
  /** Conditions that the pharmacy should know of. */
  medical_condition: string | null;
  /** When the person was registered. */
  date_joined: string | null;
  /** When it was created. */
  created_at: string | null;
  /** When it was last changed. */
  updated_at: string | null;
  /** When it was removed; null while it is in use. */
  deleted_at: string | null;
  /** Id of the person’s record as a patient, or null. */
  patient: string | null;
  /** Id of the person’s record as a doctor, or null. */
  doctor: string | null;
  /** Id of the person’s record as an insurance employee, or null. */
  insurance_employee: string | null;
  /** Country code of the telephone, without the plus sign. */
  country_code: string | null;
  /** The telephone without its country code. */
  national_number: string | null;
  /** The user whose order registered this person. */
  created_by: number | null;
  /** Groups of the person, by id. */
  groups: number[];
};

/** A person as a patient. */
export type Patient = {
  /** Its identifier. */
  id: number;
  user: User;
  /** The doctor whose order registered the patient, by id. */
  referred_by: number | null;
  /** The address that an order without one is sent to, by id. */
  default_shipping: number | null;
  /** The tax data kept for the patient, by id. */
  default_invoicing: number | null;
  /** The card that the patient prefers, by id. */
  preferred_payment: number | null;
  /** The insurers of the patient. */
  insurance_carriers: InsuranceCarrier[];
};

/** An insurer of a patient. */
export type InsuranceCarrier = {
  /** Its identifier. */
  id: number;
  /** Its name. */
  name: string;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** When it was removed; null while it is in use. */
  deleted_at: string | null;
  /** The patient shown, by id. */
  patients: number[];
};

/** An address that an order is delivered to. */
export type Shipping = {
  /** Its identifier. */
  id: number;
  /** How this address is called. */
  name: string;
  /** Street. */
  street: string;
  /** Number of the building. */
  exterior_number: string;
  /** Number of the flat, floor or unit. */
  interior_number: string;
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
  /** What else helps to find the place. */
  additional_info: string;
  /** Degrees north, six decimals. */
  latitude: string | null;
  /** Degrees east, six decimals. */
  longitude: string | null;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** The user who changed it last, by id. */
  updated_by: number | null;
};

/** A store where an order is picked up. */
export type Store = {
  /** Its identifier. */
  id: number;
  /** How this address is called. */
  name: string;
  /** Street. */
  street: string;
  /** Number of the building. */
  exterior_number: string;
  /** Number of the flat, floor or unit. */
  interior_number: string;
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
  /** What else helps to find the place. */
  additional_info: string;
  /** Degrees north, six decimals. */
  latitude: string | null;
  /** Degrees east, six decimals. */
  longitude: string | null;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** The company that runs the store. */
  company_name: string;
  /** When the store is open. */
  business_hours: string;
};

/** The tax data that an order is invoiced to. */
export type Invoicing = {
  /** Its identifier. */
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
  /** What the invoice is for, by SAT’s catalog c_UsoCFDI. */
  cfdi_use: string;
  /** Tax regime of the receiver, by SAT’s catalog c_RegimenFiscal. */
  fiscal_regime: string;
  /** Where the invoice is sent instead of the user’s own e-mail. */
  email: string;
  /** Degrees north, six decimals. */
  latitude: string | null;
  /** Degrees east, six decimals. */
  longitude: string | null;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** The user who changed it last, by id. */
  updated_by: number | null;
};

/** A prescription of an order. */
export type Prescription = {
  /** Its identifier. */
  id: number;
  /** When it was issued. */
  issue_date: string;
  /** The patient whom it is for, by id. */
  patient: number;
  /** Until when it is good. */
  expiring_date: string | null;
  /** Address that gives the document for five minutes. */
  document: string;
  /** File name under which it is shown. */
  document_name: string;
  /** Whether the pharmacy has checked it. */
  is_verified: boolean;
  /** The order that it came with, by id. */
  order: number | null;
  /** The user who changed it last, by id. */
  updated_by: number | null;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
};

/** A coupon of an order. */
export type Coupon = {
  /** Its code. */
  code: string;
  /** What it is about. */
  description: string;
  /** Up to 1 a share of the subtotal, above it an amount. */
  value: string;
  /** Whether it makes shipping free. */
  has_free_shipping: boolean;
};

/** A card that an order is paid with. */
export type Payment = {
  /** Its identifier. */
  id: number;
  /** The owner of the card, by id. */
  user: number;
  /** Id of the card with the processor. */
  card_id: string;
  /** Kind of payment. */
  method: string;
  /** How the card is called. */
  name: string;
};

/** An agreement to bill a wallet of another provider. */
export type WalletAgreement = {
  /** Its identifier. */
  id: number;
  /** E-mail of the wallet. */
  email: string;
  /** The owner of the wallet, by id. */
  user: number;
};

/** A reference to pay an order by elsewhere. */
export type PaymentReference = {
  /** Its identifier. */
  id: number;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** The order, by id. */
  order: number;
  /** Kind of payment. */
  method: string;
  /** The reference to give when paying. */
  reference: string;
  /** Where to pay. */
  institution: string;
  /** Page that shows the reference. */
  external_url: string;
};

/** A way to pay. */
export type PaymentMethod = {
  /** Its identifier. */
  id: number;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** Its name. */
  name: string;
  /** Share that it costs; not in the total. */
  fee: string;
  /** Amount that it costs; not in the total. */
  fixed_fee: string;
};

/** A way to ship. */
export type ShippingMethod = {
  /** Its identifier. */
  id: number;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** The company that delivers. */
  company: string;
  /** Kind of delivery. */
  method: 'standard' | 'express' | 'local' | 'default';
  /** Working days that it takes at least. */
  min_delivery_days: number | null;
  /** Working days that it takes at most. */
  max_delivery_days: number | null;
};

/** One page of the orders that the caller may see. */
export type OrderPage = {
  /** How many results there are on all pages together. */
  count: number;
  /** The address of the next page; null on the last one. */
  next: string | null;
  /** The address of the page before; null on the first one. */
  previous: string | null;
  /** The results of this page. */
  results: ListOrder[];
};

/** An order as lists show it. */
export type ListOrder = {
  /** Its identifier. */
  id: number;
  /** When it was created. */
  created_at: string;
  /** Where the order stands in the pharmacy. */
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
  /** Where the order stands for the patient. */
  patient_order_status: 'in_process' | 'shipped' | 'delivered' | 'cancelled';
  /** Full name of the patient. */
  patient: string;
  /** Where the payment stands. */
  payment_status: 'unpaid' | 'credit' | 'paid' | 'in_process' | 'processing' | 'rejected';
  /** How many lines it has. */
  products_count: number;
  /** The lines of the order. */
  details: ListOrderDetail[];
  /** Where it is delivered to; null for a pickup. */
  shipping: ListOrderShipping | null;
  /** Name of the payment method. */
  payment_method: string;
  /** Code of the coupon, or null. */
  coupon: string | null;
  /** What is to be paid. */
  total: string;
  /** The channel that it came through. */
  origin: string;
  /** Tags, separated by commas. */
  tags: string;
  /** The subscription that it came from, by id. */
  subscription: number | null;
  /** When delivery is expected; null when the method promises nothing. */
  expected_delivery_date: string | null;
  /** When delivery is expected at the latest; null when the method promises nothing. */
  max_delivery_date: string | null;
};

/** One line of an order as lists show it. */
export type ListOrderDetail = {
  /** Address of an image of the product. */
  default_image: string | null;
  /** How many of it. */
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

/** One page of products. */
export type ProductPage = {
  /** How many results there are on all pages together. */
  count: number;
  /** The address of the next page; null on the last one. */
  next: string | null;
  /** The address of the page before; null on the first one. */
  previous: string | null;
  /** The results of this page. */
  results: ListProduct[];
};

/** A product as lists show it. */
export type ListProduct = {
  /** Its identifier. */
  id: number;
  /** How it is packed. */
  presentation: string;
  base: ListProductBase;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** Price of one, before IVA. */
  price: string;
  /** Whether it can be bought. */
  is_active: boolean;
  /** Whether it is out of stock at present. */
  has_shortage: boolean;
  /** Barcode. */
  ean_key: string;
  /** Address of its main image, or null. */
  default_image: string | null;
  /** Name and presentation as a part of an address. */
  name_slug: string;
};

/** A base product as lists show it. */
export type ListProductBase = {
  /** Its identifier. */
  id: number;
  /** Its name. */
  name: string;
  pharmaceutical_company: Reference;
  category: Reference;
  /** Its tags. */
  tags: Named[];
  /** What is known of it as a medicine, or null. */
  medical_information: MedicalSummary | null;
};

/** What lists show of a medicine. */
export type MedicalSummary = {
  /** Active ingredient. */
  active_ingredient: string;
  /** Whether it is a generic. */
  is_generic: boolean;
  /** Number of its group. */
  group_number: number;
  /** Whether an order of it needs a prescription. */
  requires_prescription: boolean;
};

/** An id with its name. */
export type Reference = {
  /** Its identifier. */
  id: number;
  /** Its name. */
  name: string;
};

/** A product in full; what nobody published is null. */
export type Product = {
  /** Its identifier. */
  id: number;
  /** Its name. */
  name: string;
  /** How it is packed. */
  presentation: string;
  /** What it is. */
  description: string;
  /** Price of one, before IVA. */
  price: string;
  /** What it costs the pharmacy. */
  cost: string | null;
  /** Price to the public. */
  public_price: string | null;
  /** What it costs the pharmacy on average. */
  average_cost: string | null;
  /** Whether IVA is added to its price. */
  has_iva: boolean;
  /** Whether it can be bought. */
  is_active: boolean;
  /** Whether it is out of stock at present. */
  has_shortage: boolean | null;
  /** Whether its price is to be calculated. */
  should_calculate_price: boolean | null;
  /** Whether it is a generic. */
  is_generic: boolean | null;
  /** Kind of product by SAT’s catalog c_ClaveProdServ. */
  sat_key: string;
  /** Unit by SAT’s catalog c_ClaveUnidad. */
  sat_unit: string;
  /** Barcode. */
  ean_key: string;
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
  /** Who supplies it at present. */
  current_supplier: Named | null;
  /** What it costs at each supplier. */
  supplier_products: SupplierProduct[];
  /** Its images. */
  album: Album | null;
  /** In what it varies from other presentations. */
  product_variants: ProductVariant[];
  /** What it has in common with its other presentations. */
  base: ProductBase | null;
  /** When it was created. */
  created_at: string | null;
  /** When it was last changed. */
  updated_at: string | null;
};

/** What the presentations of a product have in common. */
export type ProductBase = {
  /** Its identifier. */
  id: number;
  /** Its name. */
  name: string;
  /** Whether it is a medicine, as text. */
  is_medicine: 'true' | 'false';
  /** What it is. */
  description: string;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
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
  /** What is known of it as a medicine, or null. */
  medical_information: MedicalInformation | null;
};

/** What is known of a medicine. */
export type MedicalInformation = {
  /** Its identifier. */
  id: number;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** Active ingredient. */
  active_ingredient: string;
  /** Whether it is a generic. */
  is_generic: boolean;
  /** Number of its group. */
  group_number: number;
  /** Whether an order of it needs a prescription. */
  requires_prescription: boolean;
  /** The base product, by id. */
  base_product: number;
};

/** A product at one supplier. */
export type SupplierProduct = {
  supplier: Named;
  /** What it costs there. */
  cost: string;
  /** The product, by id. */
  product: number;
  /** Its identifier. */
  id: number;
};

/** The images of a product. */
export type Album = {
  /** Its identifier. */
  id: number;
  /** The images. */
  images: AlbumImage[];
};

/** An image of a product. */
export type AlbumImage = {
  /** Its identifier. */
  id: number;
  /** Its album, by id. */
  album: number;
  /** Its address. */
  image: string;
  /** Whether it is the main image. */
  is_default: boolean;
};

/** In what a product varies from other presentations. */
export type ProductVariant = {
  /** Its identifier. */
  id: number;
  /** What it has of that, such as a size. */
  value: string;
  variant: Named;
};

/** A supplier, variant, company, disease or tag. */
export type Named = {
  /** Its identifier. */
  id: number;
  /** Its name. */
  name: string;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
};

/** One page of categories. */
export type CategoryPage = {
  /** How many results there are on all pages together. */
  count: number;
  /** The address of the next page; null on the last one. */
  next: string | null;
  /** The address of the page before; null on the first one. */
  previous: string | null;
  /** The results of this page. */
  results: Category[];
};

/** A category of products. */
export type Category = {
  /** Its identifier. */
  id: number;
  /** Its name. */
  name: string;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** The category above it, by id, or null. */
  parent: number | null;
};

/** One page of pharmaceutical companies. */
export type CompanyPage = {
  /** How many results there are on all pages together. */
  count: number;
  /** The address of the next page; null on the last one. */
  next: string | null;
  /** The address of the page before; null on the first one. */
  previous: string | null;
  /** The results of this page. */
  results: Company[];
};

/** A pharmaceutical company. */
export type Company = {
  /** Its identifier. */
  id: number;
  /** Its name. */
  name: string;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
};

/** One page of diseases. */
export type DiseasePage = {
  /** How many results there are on all pages together. */
  count: number;
  /** The address of the next page; null on the last one. */
  next: string | null;
  /** The address of the page before; null on the first one. */
  previous: string | null;
  /** The results of this page. */
  results: Disease[];
};

/** A disease. */
export type Disease = {
  /** Its identifier. */
  id: number;
  /** Its name. */
  name: string;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** Whether it is chronic. */
  is_chronic: boolean;
};

/** Why a request was refused. */
export type Error = {
  /** A message for people, in the language of `Content-Language`. */
  detail: string;
  /** A stable code for programs. */
  code: string;
};

/** The request mirrored: each bad field holds its messages, each bad array one entry per element (`{}` for a good one); what is wrong with an object as a whole stands under `non_field_errors`. */
export type FieldErrors = { [name: string]: string[] | FieldErrors[] | FieldErrors };

/** What each route takes, and answers when it succeeds. */
export type Operations = {
  'POST /api/token/': {
    body: TokenRequest;
    answer: AccessToken;
  };
  'POST /api/orders/calculate/': {
    body: QuoteRequest;
    answer: Quotation;
  };
  'POST /api/orders/resources/': {
    body: CreateOrderRequest;
    answer: Order;
  };
  'GET /api/orders/': {
    query: {
      /** Number of the page. */
      page?: number | undefined;
      /** Results on a page; more than 100 count as 100. */
      limit?: number | undefined;
      /** Words of the patient’s full name. */
      search?: string | undefined;
      /** Fields to order by, most important first; `-` before one turns it around. */
      ordering?: ('created_at' | '-created_at' | 'expected_delivery_date' | '-expected_delivery_date')[] | undefined;
      /** The patient, by id. */
      patient?: number | undefined;
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
      /** Expected on this day or earlier. */
      expected_delivery_date_before?: string | undefined;
      /** Expected on this day or later. */
      expected_delivery_date_after?: string | undefined;
      /** Expected at the latest on this day or earlier. */
      max_delivery_date_before?: string | undefined;
      /** Expected at the latest on this day or later. */
      max_delivery_date_after?: string | undefined;
    };
    answer: OrderPage;
  };
  'GET /api/orders/{id}/': {
    answer: Order;
  };
  'PATCH /api/orders/{id}/': {
    body: UpdateOrderRequest;
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
  'GET /api/products/': {
    query: {
      /** Number of the page. */
      page?: number | undefined;
      /** Results on a page; more than 100 count as 100. */
      limit?: number | undefined;
      /** Words of the name of the base product, or of the barcode. */
      search?: string | undefined;
      /** Fields to order by, most important first; `-` before one turns it around. */
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
      /** Used for this disease, by id. */
      base__diseases?: number | undefined;
      /** Of this category, by id. */
      base__category?: number | undefined;
      /** Made by this company, by id. */
      base__pharmaceutical_company?: number | undefined;
      /** `true` for what can be bought. */
      is_active?: boolean | undefined;
      /** `false` for what is in stock. */
      has_shortage?: boolean | undefined;
      /** Of this price or more. */
      min_price?: number | undefined;
      /** Of this price or less. */
      max_price?: number | undefined;
      /** Only these products, by id. */
      id__in?: number[] | undefined;
      /** Only products of these barcodes. */
      ean_key__in?: string[] | undefined;
    };
    answer: ProductPage;
  };
  'GET /api/products/{id}/': {
    answer: Product;
  };
  'GET /api/categories/': {
    query: {
      /** Number of the page. */
      page?: number | undefined;
      /** Results on a page; more than 100 count as 100. */
      limit?: number | undefined;
      /** Words of the name. */
      search?: string | undefined;
      /** Fields to order by, most important first; `-` before one turns it around. */
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
      /** Words of the name. */
      search?: string | undefined;
      /** Fields to order by, most important first; `-` before one turns it around. */
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
      /** Words of the name. */
      search?: string | undefined;
      /** Fields to order by, most important first; `-` before one turns it around. */
      ordering?: ('updated_at' | '-updated_at' | 'name' | '-name')[] | undefined;
    };
    answer: DiseasePage;
  };
};
