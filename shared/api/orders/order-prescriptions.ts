import * as z from 'zod';
import { MAX_DOCUMENTS_PER_ORDER } from '../../domain/prescriptions/prescription.ts';
import { contract } from '../contract.ts';
import { list, pathId } from '../fields.ts';
import { idempotencyKey } from './idempotency.ts';
import { order } from './orders.ts';
import { prescriptionInput } from './prescriptions.ts';

export const addPrescriptionsContract = contract({
  operationId: 'addPrescriptions',
  tag: 'Orders',
  summary: 'Add prescriptions to an order',
  description:
    'Adds documents to an order that waits for approval, by the rules of a new order: at most 10 and 4 MB together with those that it has.',
  authentication: 'user',
  caching: 'never',
  path: z.object({ id: pathId }),
  body: z
    .object({
      prescriptions: list(prescriptionInput, {
        minimum: 1,
        maximum: MAX_DOCUMENTS_PER_ORDER,
        tooMany: 'too_many_documents',
      }).describe('Prescriptions of the products that require one.'),
    })
    .meta({ id: 'AddPrescriptionsRequest', description: 'Prescriptions for an order that waits for approval.' }),
  headers: z.object({
    'Idempotency-Key': idempotencyKey.describe(
      'A key of your own for this request: sent again within 24 hours with the same body, it adds nothing and answers the order as it is.',
    ),
  }),
  answerHeaders: ['Idempotent-Replayed'],
  refusals: ['order_not_waiting', 'order_changed_meanwhile', 'rebuilding'],
  answers: { 201: order },
});
export type AddPrescriptionsRequest = z.infer<typeof addPrescriptionsContract.body>;
