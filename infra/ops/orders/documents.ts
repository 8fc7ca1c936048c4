export { openDocuments } from '../context.ts';
