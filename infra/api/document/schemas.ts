import { invoicing, invoicingInput, shipping, shippingInput, store } from '../../../shared/api/addresses.ts';
import { categoriesContract, category } from '../../../shared/api/categories.ts';
import { disease, diseasesContract } from '../../../shared/api/diseases.ts';
import { orderReference, requestInvoiceInFullContract } from '../../../shared/api/invoices.ts';
import { named } from '../../../shared/api/named.ts';
import { orderListItem, ordersContract } from '../../../shared/api/order-list.ts';
import {
  coupon,
  createOrderContract,
  order,
  orderDetail,
  paymentMethod,
  shippingMethod,
  updateOrderContract,
} from '../../../shared/api/orders.ts';
import { payment, paymentReference, walletAgreement } from '../../../shared/api/payments.ts';
import { insuranceCarrier, patient, user, userInput } from '../../../shared/api/people.ts';
import { companiesContract, company } from '../../../shared/api/pharmaceutical-companies.ts';
import { prescription, prescriptionInput } from '../../../shared/api/prescriptions.ts';
import {
  medicalInformation,
  medicalSummary,
  product,
  productBase,
  productListItem,
  productsContract,
  reference,
} from '../../../shared/api/products.ts';
import { orderDetailInput, quotation, quoteContract } from '../../../shared/api/quotes.ts';
import { tokenContract } from '../../../shared/api/token.ts';

/** Everything that is sent, by its name in the description. */
export const REQUEST_SCHEMAS = {
  TokenRequest: tokenContract.body,
  QuoteRequest: quoteContract.body,
  CreateOrderRequest: createOrderContract.body,
  NewOrder: createOrderContract.body.shape.order,
  UpdateOrderRequest: updateOrderContract.body,
  InvoiceRequest: requestInvoiceInFullContract.body,
  OrderDetailInput: orderDetailInput,
  UserInput: userInput,
  ShippingInput: shippingInput,
  InvoicingInput: invoicingInput,
  PrescriptionInput: prescriptionInput,
} as const;

/** Everything that is answered, by the interface's name where it has one. */
export const ANSWER_SCHEMAS = {
  AccessToken: tokenContract.answers[200],
  Quotation: quotation,
  QuotedDetail: quotation.shape.details.element,
  QuotedCoupon: quotation.shape.coupon.unwrap(),
  ShippingOption: quotation.shape.shipping_method_options.element,
  Order: order,
  OrderReference: orderReference,
  OrderDetail: orderDetail,
  User: user,
  Patient: patient,
  InsuranceCarrier: insuranceCarrier,
  Shipping: shipping,
  Store: store,
  Invoicing: invoicing,
  Prescription: prescription,
  Coupon: coupon,
  Payment: payment,
  WalletAgreement: walletAgreement,
  PaymentReference: paymentReference,
  PaymentMethod: paymentMethod,
  ShippingMethod: shippingMethod,
  OrderPage: ordersContract.answers[200],
  ListOrder: orderListItem,
  ListOrderDetail: orderListItem.shape.details.element,
  ListOrderShipping: orderListItem.shape.shipping.unwrap(),
  ProductPage: productsContract.answers[200],
  ListProduct: productListItem,
  ListProductBase: productListItem.shape.base,
  MedicalSummary: medicalSummary,
  Reference: reference,
  Product: product,
  ProductBase: productBase,
  MedicalInformation: medicalInformation,
  SupplierProduct: product.shape.supplier_products.element,
  Album: product.shape.album.unwrap(),
  AlbumImage: product.shape.album.unwrap().shape.images.element,
  ProductVariant: product.shape.product_variants.element,
  Named: named,
  CategoryPage: categoriesContract.answers[200],
  Category: category,
  CompanyPage: companiesContract.answers[200],
  Company: company,
  DiseasePage: diseasesContract.answers[200],
  Disease: disease,
} as const;

export type SchemaName = keyof typeof REQUEST_SCHEMAS | keyof typeof ANSWER_SCHEMAS;
