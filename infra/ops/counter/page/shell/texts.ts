import { defineTexts } from '../text.ts';

export const SHELL_TEXTS = defineTexts({
  brand: { es: 'Mostrador', en: 'Counter' },
  skip: { es: 'Ir al contenido', en: 'Skip to the content' },
  navigation: { es: 'Vistas', en: 'Views' },
  queue: { es: 'Órdenes', en: 'Orders' },
  catalog: { es: 'Catálogo', en: 'Catalog' },
  invoices: { es: 'Facturas', en: 'Invoices' },
  pictures: { es: 'Gráficas', en: 'Pictures' },
  goToQueue: { es: 'Ir a las órdenes', en: 'Go to the orders' },
  goToCatalog: { es: 'Ir al catálogo', en: 'Go to the catalog' },
  goToInvoices: { es: 'Ir a las facturas', en: 'Go to the invoices' },
  goToPictures: { es: 'Ir a las gráficas', en: 'Go to the pictures' },
  locked: {
    es: 'Falta la clave del mostrador: abra la dirección completa que mostró la terminal.',
    en: 'The token of the counter is missing: open the whole address that the terminal showed.',
  },
  worksAs: { es: 'Trabaja como {operator}', en: 'You work as {operator}' },
  // Each is named in its own language, for those who do not read the other.
  switchLanguage: { es: 'English', en: 'Español' },
  theme: { es: 'Colores', en: 'Colours' },
  themeAuto: { es: 'Del sistema', en: 'System' },
  themeLight: { es: 'Claros', en: 'Light' },
  themeDark: { es: 'Oscuros', en: 'Dark' },
});
