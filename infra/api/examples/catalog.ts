import type { Example, Examples } from './example.ts';

const BAD_LIST: Example = {
  name: 'badParameters',
  summary: 'A page of nothing, in an order that does not exist',
  query: { limit: 0, ordering: ['colour'] },
  status: 400,
};

export const CATALOG_EXAMPLES: Examples = {
  'GET /api/products/': [
    {
      name: 'search',
      summary: 'Products in stock by name, cheapest first',
      query: { search: 'paracetamol 500', has_shortage: false, ordering: ['price', '-created_at'], page: 1, limit: 20 },
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
    },
    {
      name: 'facets',
      summary: 'With the numbers of products of each category and company',
      query: { base__category: 4, facets: ['base__category', 'base__pharmaceutical_company'], limit: 1 },
    },
    {
      name: 'spelling',
      summary: 'Another spelling of a search that finds nothing',
      query: { search: 'paracetmol 500', spelling: true },
    },
    BAD_LIST,
  ],
  'GET /api/products/{id}/': [{ name: 'paracetamol', summary: 'A product in full', path: { id: 1 } }],
  'GET /api/products/{id}/substitutes/': [
    {
      name: 'inShortage',
      summary: 'The substitutes of a product that is out of stock, in another presentation',
      path: { id: 16 },
      query: { page: 1, limit: 20 },
    },
  ],
  'GET /api/categories/': [
    {
      name: 'search',
      summary: 'Categories by name, only with products to buy',
      query: { search: 'diabetes', available: true, ordering: ['name'], page: 1, limit: 20 },
    },
    BAD_LIST,
  ],
  'GET /api/pharmaceutical-companies/': [
    {
      name: 'search',
      summary: 'Companies by name, only with products to buy',
      query: { search: 'solmar', available: true, ordering: ['name'], page: 1, limit: 20 },
    },
    BAD_LIST,
  ],
  'GET /api/diseases/': [
    {
      name: 'search',
      summary: 'Diseases by name',
      query: { search: 'fiebre', ordering: ['name'], page: 1, limit: 20 },
    },
    BAD_LIST,
  ],
  'GET /api/stores/': [
    {
      name: 'search',
      summary: 'Stores by name',
      query: { search: 'centro', ordering: ['name'], page: 1, limit: 20 },
    },
    BAD_LIST,
  ],
};
