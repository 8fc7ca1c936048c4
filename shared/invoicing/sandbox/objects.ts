import { hash } from 'node:crypto';

const FOLDER = 'sandbox-invoices/';
const INVOICE_ID_DIGITS = 24;

/** Returns an id in Facturapi's format; the same key always gets the same id, by which its invoice is found. */
export const makeSandboxId = (key: string): string => hash('sha256', key).slice(0, INVOICE_ID_DIGITS);

/** Returns the name of the object that holds an invoice with its files. */
export const sandboxObject = (id: string): string => `${FOLDER}${id}`;
