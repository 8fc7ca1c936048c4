import { orderBody } from '../orders/samples.ts';
import type { TestServer } from '../servers/test-server.ts';

/** Places an order of product 4 (58.00, on prescription) with these documents, or without any of product 1 (28.50). */
export async function placeOrder(
  server: TestServer,
  files: readonly Buffer[] = [],
  email = 'ana@example.mx',
  more: Readonly<Record<string, unknown>> = {},
) {
  const token = await server.login('aseguradora@demo.example');
  const prescriptions = files.map((file) => ({ document: file.toString('base64'), issue_date: '2026-11-20' }));
  const details = [{ product: files.length > 0 ? 4 : 1, quantity: 1 }];
  const body = orderBody(email, { details, prescriptions, ...more });
  const answer = await server.request('POST', '/api/orders/resources/', { token, body });
  if (answer.status !== 201) throw new Error(`the order was not placed: ${answer.status}`);
  return Number(answer.body.id);
}
