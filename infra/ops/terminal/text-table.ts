export { printable, recordTable, textTable } from '../output.ts';
