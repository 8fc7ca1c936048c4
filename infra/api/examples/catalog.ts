import type { Example, Examples } from './example.ts';
import { LISTED_PARACETAMOL, PARACETAMOL, SOLMAR } from './products.ts';

const onlyPage = (result: object) => ({ count: 1, next: null, previous: null, results: [result] });

const badList = (fields: string): Example => ({
  name: 'badParameters',
  summary: 'A page of nothing, in an order that does not exist',
  query: { limit: 0, ordering: ['colour'] },
  status: 400,
  answer: { limit: ['Debe ser mayor o igual a 1.'], ordering: [`Solo se puede ordenar por: ${fields}.`] },
});

export const CATALOG_EXAMPLES: Examples = {
  'GET /api/products/': [
    {
      name: 'search',
      summary: 'Products in stock by name, cheapest first',
      query: { search: 'paracetamol 500', has_shortage: false, ordering: ['price', '-created_at'], page: 1, limit: 20 },
      status: 200,
      answer: onlyPage(LISTED_PARACETAMOL),
    },
    {
      name: 'filters',
      summary: 'By filters',
      query: {
        base__diseases: 1,
        base__category: 1,
        base__pharmaceutical_company: 1,
        is_active: true,
        min_price: 20,
        max_price: 30.5,
        id__in: [1, 2],
        ean_key__in: ['7509999000013', '7509999000020'],
      },
      status: 200,
      answer: onlyPage(LISTED_PARACETAMOL),
    },
    badList('created_at, updated_at, base__name, price'),
  ],
  'GET /api/products/{id}/': [
    { name: 'paracetamol', summary: 'A product in full', path: { id: 1 }, status: 200, answer: PARACETAMOL },
  ],
  'GET /api/categories/': [
    {
      name: 'search',
      summary: 'Categories by name, only with products to buy',
      query: { search: 'diabetes', available: true, ordering: ['name'], page: 1, limit: 20 },
      status: 200,
      answer: onlyPage({
        id: 9,
        name: 'Diabetes',
        parent: 30,
        created_at: '2026-01-11T14:56:00.000Z',
        updated_at: '2026-03-24T14:28:00.000Z',
      }),
    },
    badList('updated_at, name'),
  ],
  'GET /api/pharmaceutical-companies/': [
    {
      name: 'search',
      summary: 'Companies by name, only with products to buy',
      query: { search: 'solmar', available: true, ordering: ['name'], page: 1, limit: 20 },
      status: 200,
      answer: onlyPage(SOLMAR),
    },
    badList('updated_at, name'),
  ],
  'GET /api/diseases/': [
    {
      name: 'search',
      summary: 'Diseases by name',
      query: { search: 'fiebre', ordering: ['name'], page: 1, limit: 20 },
      status: 200,
      answer: onlyPage({
        id: 1,
        name: 'Fiebre',
        is_chronic: false,
        created_at: '2026-01-05T14:00:00.000Z',
        updated_at: '2026-03-02T14:00:00.000Z',
      }),
    },
    badList('updated_at, name'),
  ],
};
