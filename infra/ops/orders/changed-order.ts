export { orderId, version } from '../input.ts';
export { toChangedResult as changed } from './show.ts';
