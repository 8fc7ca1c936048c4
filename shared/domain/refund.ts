/** How a refund stands; `requested`: the payment provider was asked, and its answer is not recorded yet. */
export const REFUND_STATUSES = ['requested', 'pending', 'succeeded', 'failed'] as const;
