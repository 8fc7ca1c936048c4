import type { Words } from './words.ts';

const AMOUNTS = {
  subtotal: 'Price by quantity, before discount and IVA.',
  discount: 'What the coupon takes off.',
  iva: 'Value added tax.',
  total: 'What is to be paid.',
};

const DELIVERY = {
  expected_delivery_date: 'When delivery is expected; null when the method promises nothing.',
  max_delivery_date: 'When delivery is expected at the latest; null when the method promises nothing.',
};

const WORKING_DAYS = {
  min_delivery_days: 'Working days that it takes at least.',
  max_delivery_days: 'Working days that it takes at most.',
};

const STATES = {
  order_status: 'Where the order stands in the pharmacy.',
  patient_order_status: 'Where the order stands for the patient.',
  payment_status: 'Where the payment stands.',
};

const ORDER = {
  ...AMOUNTS,
  ...DELIVERY,
  ...STATES,
  details: 'The lines of the order.',
  patient: 'The patient whom the order is for.',
  shipping: 'Where it is delivered to; null for a pickup.',
  store: 'Where it is picked up; null for a delivery.',
  payment: 'The card that it is paid with, or null.',
  wallet_agreement: 'The wallet agreement that it is paid by, or null.',
  payment_references: 'References to pay by elsewhere, such as in a shop.',
  payment_method: 'How it is paid.',
  coupon: 'The coupon that was applied, or null.',
  generated_by: 'The user who placed it.',
  updated_by: 'The user who changed it last.',
  invoicing: 'The tax data that came with it, or null.',
  payment_date: 'When it was paid.',
  shipping_date: 'When it was shipped.',
  receiving_date: 'When it was delivered.',
  prescriptions: 'The prescriptions that came with it.',
  tags: 'Tags, separated by commas.',
  shipping_method: 'How it is shipped.',
  insurance_refund_status: 'Where the refund of the insurer stands.',
  rejection_reason: 'Why the payment processor rejected the payment.',
  origin: 'The channel that it came through.',
  shipping_price: 'What shipping costs, IVA included.',
  shipping_discount: 'What is taken off shipping.',
  shipping_cost: 'What the shipment costs the pharmacy.',
  folio: 'Its number for people.',
  cfdi: 'Id of its invoice; empty when there is none.',
  external_payment_id: 'Id of the payment with the processor.',
  reminder: 'The reminder that it came from, by id.',
  subscription: 'The subscription that it came from, by id.',
};

/** Words of baskets and orders. */
export const ORDER_WORDS = {
  OrderDetailInput: {
    about: 'One line of a basket.',
    fields: { product: 'The product, by id.', quantity: 'How many of it.' },
  },
  QuoteRequest: {
    about: 'A basket to be priced.',
    fields: {
      details: 'The lines of the basket.',
      zipcode: 'Postal code to deliver to, five digits; not together with `store`.',
      store: 'The store to pick up at, by id; not together with `zipcode`.',
      coupon: 'Code of a coupon, whatever its case.',
      shipping_method: 'One of the methods that the postal code has, by id.',
    },
  },
  Quotation: {
    about: 'What a basket costs and when it arrives.',
    fields: {
      ...AMOUNTS,
      ...DELIVERY,
      shipping_price: 'What shipping costs, IVA included.',
      shipping_discount: 'What is taken off shipping.',
      coupon: 'The coupon that was applied, or null.',
      shipping_method_options: 'The methods that the postal code or store has, with their prices.',
      selected_shipping_method: 'The method that was reckoned with, by id: the one asked for, else the default one.',
      errors: 'What was left out of the reckoning and why: a message by the name of the field.',
      details: 'The lines in the order in which they were sent.',
    },
  },
  QuotedDetail: {
    about: 'One line of a priced basket.',
    fields: { ...AMOUNTS, product: 'The product, by id.', quantity: 'How many of it.' },
  },
  QuotedCoupon: {
    about: 'A coupon that was applied to a basket.',
    fields: { code: 'Its code.', value: 'Up to 1 a share of the subtotal, above it an amount.' },
  },
  ShippingOption: {
    about: 'A way to ship a basket.',
    fields: {
      ...WORKING_DAYS,
      company: 'The company that delivers.',
      method: 'Kind of delivery.',
      price: 'What it costs, IVA included.',
    },
  },
  CreateOrderRequest: {
    about: 'An order together with the person it is for and, if wanted, the data of its invoice.',
    fields: {
      user: 'The person whom the order is for.',
      order: 'What is ordered.',
      invoicing: 'Tax data; when sent, the order is invoiced at once.',
    },
  },
  NewOrder: {
    about: 'What is ordered, where it goes and how it is paid.',
    fields: {
      details: 'The lines of the order; at least one has a quantity above 0.',
      payment_method: 'A payment method of the client, by id.',
      shipping: 'Where to deliver to; without it and `store`, the patient’s default address.',
      shipping_method: 'One of the methods that the postal code has, by id; else the default one.',
      store: 'The store to pick up at, by id; not together with `shipping`.',
      coupon: 'Code of a coupon; an invalid one is left out without a fault.',
      prescriptions: 'Prescriptions of the products that require one; at most 10 and 4 MB together.',
      comments: 'What the pharmacy should know.',
    },
  },
  UpdateOrderRequest: {
    about: 'Exactly one of two changes: other products, or the end of the order.',
    fields: {
      details: 'The lines that replace all present ones.',
      order_status: '`cancelled` ends the order for good.',
    },
  },
  Order: { about: 'An order as it stands.', fields: ORDER },
  OrderReference: {
    about: 'An order whose related records are ids.',
    fields: {
      ...ORDER,
      patient: 'The patient whom the order is for, by id.',
      shipping: 'The address that it is delivered to, by id; null for a pickup.',
      store: 'The store where it is picked up, by id; null for a delivery.',
      payment: 'The card that it is paid with, by id, or null.',
      wallet_agreement: 'The wallet agreement that it is paid by, by id, or null.',
      payment_method: 'How it is paid, by id.',
      coupon: 'The coupon that was applied, by id, or null.',
      generated_by: 'The user who placed it, by id.',
      updated_by: 'The user who changed it last, by id.',
      invoicing: 'The tax data that it is invoiced to, by id, or null.',
      shipping_method: 'How it is shipped, by id.',
    },
  },
  InvoiceRequest: {
    about: 'Whom an order is to be invoiced to.',
    fields: { invoicing: 'Tax data, or the id of those that the patient has already.' },
  },
  OrderDetail: {
    about: 'One line of an order, at the prices of its last change.',
    fields: {
      ...AMOUNTS,
      product: 'The product as it is published today.',
      price: 'Price of one, before IVA.',
      quantity: 'How many of it.',
      order: 'The order, by id.',
    },
  },
  Coupon: {
    about: 'A coupon of an order.',
    fields: {
      code: 'Its code.',
      description: 'What it is about.',
      value: 'Up to 1 a share of the subtotal, above it an amount.',
      has_free_shipping: 'Whether it makes shipping free.',
    },
  },
  Payment: {
    about: 'A card that an order is paid with.',
    fields: {
      user: 'The owner of the card, by id.',
      card_id: 'Id of the card with the processor.',
      method: 'Kind of payment.',
      name: 'How the card is called.',
    },
  },
  WalletAgreement: {
    about: 'An agreement to bill a wallet of another provider.',
    fields: { email: 'E-mail of the wallet.', user: 'The owner of the wallet, by id.' },
  },
  PaymentReference: {
    about: 'A reference to pay an order by elsewhere.',
    fields: {
      order: 'The order, by id.',
      method: 'Kind of payment.',
      reference: 'The reference to give when paying.',
      institution: 'Where to pay.',
      external_url: 'Page that shows the reference.',
    },
  },
  PaymentMethod: {
    about: 'A way to pay.',
    fields: { fee: 'Share that it costs; not in the total.', fixed_fee: 'Amount that it costs; not in the total.' },
  },
  ShippingMethod: {
    about: 'A way to ship.',
    fields: { ...WORKING_DAYS, company: 'The company that delivers.', method: 'Kind of delivery.' },
  },
  OrderPage: { about: 'One page of the orders that the caller may see.', fields: {} },
  ListOrder: {
    about: 'An order as lists show it.',
    fields: {
      ...DELIVERY,
      ...STATES,
      patient: 'Full name of the patient.',
      products_count: 'How many lines it has.',
      details: 'The lines of the order.',
      shipping: 'Where it is delivered to; null for a pickup.',
      payment_method: 'Name of the payment method.',
      coupon: 'Code of the coupon, or null.',
      total: 'What is to be paid.',
      origin: 'The channel that it came through.',
      tags: 'Tags, separated by commas.',
      subscription: 'The subscription that it came from, by id.',
    },
  },
  ListOrderDetail: {
    about: 'One line of an order as lists show it.',
    fields: { default_image: 'Address of an image of the product.', quantity: 'How many of it.' },
  },
  ListOrderShipping: {
    about: 'An address as lists show it.',
    fields: { street: 'Street.', exterior_number: 'Number of the building.', city: 'City.' },
  },
} as const satisfies Readonly<Record<string, Words>>;
