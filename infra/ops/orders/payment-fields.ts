export { amount, paymentForm } from './act.ts';
