export { Interrupted, untilInterrupted } from '../prompt.ts';
