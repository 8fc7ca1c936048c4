import { mapById, type RecordReader } from '../file/records.ts';
import type { References } from './product-shapes.ts';

/** Reads all records that products link to. */
export function readReferences(records: RecordReader, toAddress: References['toAddress']): References {
  return {
    companies: mapById(records.all('companies')),
    categories: mapById(records.all('categories')),
    diseases: mapById(records.all('diseases')),
    tags: mapById(records.all('tags')),
    suppliers: mapById(records.all('suppliers')),
    variants: mapById(records.all('variants')),
    toAddress,
  };
}
