/** How a refund stands; `requested`: the payment provider was asked, and its answer is not recorded yet. */
export const REFUND_STATUSES = ['requested', 'pending', 'failed', 'succeeded'] as const;

type Refund = { readonly provided?: { readonly status: (typeof REFUND_STATUSES)[number] } };

/** Returns how a refund stands for who waits for it; what an operator gave back by hand has gone back. */
export function getRefundStatus({ provided }: Refund): 'pending' | 'succeeded' | 'failed' {
  if (!provided) return 'succeeded';
  return provided.status === 'requested' ? 'pending' : provided.status;
}
