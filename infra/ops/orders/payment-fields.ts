import * as z from 'zod';
import { FORM_TO_BE_DEFINED } from '../../../shared/domain/invoices/content/invoice.ts';
import { PAYMENT_FORMS } from '../../../shared/domain/invoices/sat-tables.ts';
import { parseCents } from '../../../shared/domain/money.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';

// Money that has moved has a form.
const FORMS = Object.keys(PAYMENT_FORMS).filter((form) => form !== FORM_TO_BE_DEFINED);

/** SAT's c_FormaPago of a payment or of what goes back. */
export const paymentForm = z.enum(FORMS).meta({ title: 'NN' });

/** An amount of money in cents. */
export const amount = z
  .string()
  .max(15)
  .transform((written) => parseCents(written) ?? 0)
  .refine((cents) => cents > 0, 'invalid_value' satisfies MessageCode)
  .meta({ title: '100.00' });
