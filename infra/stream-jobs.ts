import { EVENT_START, partitionStart, type RecordKind, STORE_START } from '../shared/store/keys.ts';

/** A function on the stream of the table, which gets some of its records, each after those before it. */
export type StreamSource = {
  readonly handler: `functions/jobs/${string}.ts`;
  readonly kind: RecordKind;
  /** It gets only new items whose sort keys begin with this. */
  readonly newItems: string;
  /** It also gets levels of stock that are new, or whose `available` becomes or was 0. */
  readonly stock?: true;
};

export const STOCK_LEVELS = { pk: partitionStart('STOCK'), sk: STORE_START } as const;

export const PUBLISHER = {
  handler: 'functions/jobs/publish-events.ts',
  kind: 'ORDER',
  newItems: EVENT_START,
  stock: true,
} as const satisfies StreamSource;
export const WEBHOOKS = {
  handler: 'functions/jobs/deliver-webhooks.ts',
  kind: 'FEED',
  newItems: EVENT_START,
} as const satisfies StreamSource;

/** The beginning of the partition keys of the records that a function gets. */
export const keyStart = ({ kind }: StreamSource): string => partitionStart(kind);
