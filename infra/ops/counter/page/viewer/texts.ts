import { defineTexts } from '../text.ts';

export const VIEWER_TEXTS = defineTexts({
  frame: { es: 'Documento: {name}', en: 'Document: {name}' },
  page: { es: '{name}, página {page} de {pages}', en: '{name}, page {page} of {pages}' },
  position: { es: 'Página {page} de {pages}', en: 'Page {page} of {pages}' },
  loading: { es: 'Abriendo el documento…', en: 'Opening the document…' },
  broken: {
    es: 'El documento no se puede mostrar: está dañado o no es una imagen ni un PDF que se pueda dibujar.',
    en: 'The document cannot be shown: it is damaged, or is no picture or PDF that can be drawn.',
  },
  late: {
    es: 'El documento no se puede mostrar: tardó demasiado en abrirse o en dibujarse.',
    en: 'The document cannot be shown: it took too long to open or to draw.',
  },
  pageBroken: {
    es: 'Esta página no se puede mostrar: está dañada, o es una imagen que no se puede dibujar.',
    en: 'This page cannot be shown: it is damaged, or a picture that cannot be drawn.',
  },
  controls: { es: 'Ver el documento', en: 'View of the document' },
  previousPage: { es: 'Página anterior', en: 'Previous page' },
  nextPage: { es: 'Página siguiente', en: 'Next page' },
  zoomIn: { es: 'Acercar', en: 'Zoom in' },
  zoomOut: { es: 'Alejar', en: 'Zoom out' },
  rotate: { es: 'Girar', en: 'Rotate' },
});
