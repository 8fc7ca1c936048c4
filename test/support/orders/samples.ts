/** The smallest valid file of each document type, in base64. */
export const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n').toString(
  'base64',
);
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
export const JPEG =
  '/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k=';

/** An address in Mexico City, as a client sends it. */
export const ADDRESS = {
  street: 'Calle de Durango',
  exterior_number: '245',
  interior_number: '3B',
  neighborhood: 'Roma Norte',
  city: 'Ciudad de México',
  state: 'CDMX',
  country: 'México',
  zipcode: '06700',
  phone: '+525555550199',
  additional_info: 'Timbre azul',
  latitude: 19.4179005,
  longitude: '-99.1682',
};

export const INVOICING = {
  full_name: 'ANA PAZ LUNA',
  rfc: 'PALA800101AB1',
  street: 'Calle de Durango',
  exterior_number: '245',
  neighborhood: 'Roma Norte',
  city: 'Ciudad de México',
  state: 'CDMX',
  country: 'México',
  zipcode: '06700',
  cfdi_use: 'G03',
  fiscal_regime: '612',
  email: 'Facturas@demo.example',
};

type Order = Record<string, unknown>;

/** Two boxes of product 1 (28.50, no IVA) for one person, to be paid by card and sent to ADDRESS. */
export const orderBody = (email: string, order: Order = {}, more: Record<string, unknown> = {}) => ({
  user: { email, first_name: 'Ana', last_name: 'Paz' },
  order: { details: [{ product: 1, quantity: 2 }], payment_method: 1, shipping: ADDRESS, ...order },
  ...more,
});

export const folioOf = (id: number): string => `RX-${String(id).padStart(8, '0')}`;
