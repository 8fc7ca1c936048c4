export { OWNER_ONLY, writeWhole } from '../files.ts';
