import * as z from 'zod';
import type { MessageCode } from '../../messages/messages.ts';

/** A key that a caller gives to a request, so that it can be repeated safely. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{8,255}$/, 'not_an_idempotency_key' satisfies MessageCode)
  .meta({ minLength: 8, maxLength: 255 })
  .optional();
