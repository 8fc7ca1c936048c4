import type { Order } from '../../../shared/order/order.ts';
import { derivedWrites } from '../../../shared/order/order-writes.ts';
import type { RecordKind } from '../../../shared/store/keys.ts';
import type { Write } from '../../../shared/store/table.ts';

/** Returns the writes of these kinds that bring what follows from an order from `before` to `after`. */
export const writesOfKinds = (kinds: readonly RecordKind[], before: Order | null, after: Order): Write[] =>
  derivedWrites(before, after).filter((write) => kinds.some((kind) => partitionOf(write).startsWith(`${kind}#`)));

function partitionOf(write: Write): string {
  if ('Put' in write) return String(write.Put.Item?.pk);
  return String(('Delete' in write ? write.Delete : 'Update' in write ? write.Update : write.ConditionCheck).Key?.pk);
}
