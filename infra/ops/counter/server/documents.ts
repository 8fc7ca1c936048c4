import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../../../shared/domain/refusal.ts';
import { openTable } from '../../../../shared/store/table.ts';
import { existingOrder } from '../../../../shared/usecases/operations/operate-order.ts';
import { openDocuments } from '../../context.ts';

type Named = { readonly order: string; readonly prescription: string };

// A browser that is led here shows nothing: whatever the bytes are, they are a file to be kept.
const HEADERS = { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'attachment' };

/** Serves `GET /documents/<order>/<prescription>`: the bytes of the document of a prescription. */
export function serveDocuments(server: FastifyInstance): void {
  server.get<{ Params: Named }>('/documents/:order/:prescription', async ({ params }, reply) => {
    const bytes = await openDocuments().read(await findDocumentKey(params));
    return reply.headers(HEADERS).send(Buffer.from(bytes));
  });
}

/** Returns the key of a prescription's document, also of one that is kept of an erased patient. Throws `not_found`. */
async function findDocumentKey({ order: orderId, prescription }: Named): Promise<string> {
  const { prescriptions, retained } = await existingOrder(openTable(), readId(orderId));
  const kept = [...prescriptions, ...(retained?.documents ?? [])];
  const meant = kept.find(({ id }) => id === readId(prescription));
  if (!meant) throw new Refusal('not_found');
  return meant.documentKey;
}

function readId(written: string): number {
  if (!/^[1-9]\d{0,14}$/.test(written)) throw new Refusal('not_found');
  return Number(written);
}
