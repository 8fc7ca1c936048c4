import * as z from 'zod';

/** A CSV file of products that a folder is changed by. */
export const csvFile = z.string().meta({ title: 'file' }).optional();

export const CSV = `  --csv             change or add products by this CSV file, whose header has names of fields: id,price
`;
