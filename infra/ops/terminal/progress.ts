export { withProgress } from '../prompt.ts';
