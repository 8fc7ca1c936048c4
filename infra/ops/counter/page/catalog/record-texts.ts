import type { ComparedKind } from '../../../../../shared/catalog/compare/content.ts';
import { type Text, translate } from '../text.ts';

const KIND_TEXTS: Readonly<Record<ComparedKind, Text>> = {
  products: { es: 'Productos', en: 'Products' },
  bases: { es: 'Productos base', en: 'Base products' },
  categories: { es: 'Categorías', en: 'Categories' },
  companies: { es: 'Laboratorios', en: 'Companies' },
  diseases: { es: 'Padecimientos', en: 'Diseases' },
  tags: { es: 'Etiquetas', en: 'Tags' },
  suppliers: { es: 'Proveedores', en: 'Suppliers' },
  variants: { es: 'Variantes', en: 'Variants' },
  stores: { es: 'Tiendas', en: 'Stores' },
  shipping_methods: { es: 'Métodos de envío', en: 'Shipping methods' },
  shipping_rates: { es: 'Tarifas de envío', en: 'Shipping rates' },
  payment_methods: { es: 'Métodos de pago', en: 'Payment methods' },
  coupons: { es: 'Cupones', en: 'Coupons' },
  holidays: { es: 'Días festivos', en: 'Holidays' },
};

/** The fields that change most; others are shown by their names in the catalog folder. */
const FIELD_TEXTS: Readonly<Record<string, Text>> = {
  price: { es: 'precio', en: 'price' },
  public_price: { es: 'precio al público', en: 'public price' },
  cost: { es: 'costo', en: 'cost' },
  name: { es: 'nombre', en: 'name' },
  presentation: { es: 'presentación', en: 'presentation' },
  description: { es: 'descripción', en: 'description' },
  has_shortage: { es: 'existencia', en: 'stock' },
  is_active: { es: 'a la venta', en: 'for sale' },
  has_iva: { es: 'IVA', en: 'IVA' },
  ean_key: { es: 'código de barras', en: 'barcode' },
  category: { es: 'categoría', en: 'category' },
  pharmaceutical_company: { es: 'laboratorio', en: 'company' },
  medical_information: { es: 'información médica', en: 'medical information' },
  tags: { es: 'etiquetas', en: 'tags' },
  diseases: { es: 'padecimientos', en: 'diseases' },
  name_slug: { es: 'dirección', en: 'address' },
};

export const nameKind = (kind: ComparedKind): string => translate(KIND_TEXTS[kind]);

export function nameField(field: string): string {
  const text = FIELD_TEXTS[field];
  return text ? translate(text) : field;
}
