import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { once } from '../../../shared/runtime/once.ts';
import { INDEXES, TABLE } from '../../../shared/store/keys.ts';
import { setting } from '../command.ts';
import { type Check, CLIENT_LIMITS, type Finding } from './check.ts';

const NOT_LOCALLY = 'The local DynamoDB has nothing of the kind.';
const DEPLOY = 'Deploy the stack again: it sets this.';

export function tableChecks(): Check[] {
  const client = once(() => new DynamoDBClient(CLIENT_LIMITS));
  const name = () => ({ TableName: setting('TABLE_NAME') });
  const described = once(async () => (await client().send(new DescribeTableCommand(name()))).Table ?? {});
  const check = (what: string, more: Pick<Check, 'remedy' | 'look' | 'notLocally'>): Check => ({
    name: what,
    needs: ['TABLE_NAME'],
    ...more,
  });
  return [
    check('table', {
      remedy: 'Deploy the stack, or point at it with --outputs.',
      look: async () => activity(await described()),
    }),
    check('table indexes', {
      remedy: 'Local indexes come with a new table only: restore its data into one.',
      look: async () => indexes(await described()),
    }),
    check('table time to live', {
      remedy: DEPLOY,
      look: async () => {
        const { TimeToLiveDescription: ttl } = await client().send(new DescribeTimeToLiveCommand(name()));
        const isOn = ttl?.AttributeName === TABLE.timeToLive && ttl.TimeToLiveStatus === 'ENABLED';
        return isOn ? { ok: `by ${TABLE.timeToLive}` } : { failed: `It is not on by ${TABLE.timeToLive}.` };
      },
    }),
    check('table backups', {
      notLocally: NOT_LOCALLY,
      remedy: DEPLOY,
      look: async () => {
        const answer = await client().send(new DescribeContinuousBackupsCommand(name()));
        const recovery = answer.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
        if (recovery?.PointInTimeRecoveryStatus !== 'ENABLED') return { failed: 'Point-in-time recovery is off.' };
        return { ok: `to any second since ${recovery.EarliestRestorableDateTime?.toISOString()}` };
      },
    }),
    check('table deletion protection', {
      notLocally: NOT_LOCALLY,
      remedy: DEPLOY,
      look: async () => ((await described()).DeletionProtectionEnabled ? { ok: 'on' } : { failed: 'It is off.' }),
    }),
  ];
}

const activity = ({ TableName, TableStatus }: TableDescription): Finding =>
  TableStatus === 'ACTIVE' ? { ok: `${TableName}` } : { failed: `${TableName} is ${TableStatus}.` };

/** As the code defines them: all attributes, so that a list needs no second read. */
function indexes({ KeySchema = [], LocalSecondaryIndexes = [] }: TableDescription): Finding {
  const own = KeySchema.map(({ AttributeName }) => AttributeName).join();
  if (own !== `${TABLE.partitionKey},${TABLE.sortKey}`) return { failed: `The table is keyed by ${own}.` };
  const missing = Object.entries(INDEXES).filter(
    ([name, { sortKey }]) =>
      !LocalSecondaryIndexes.some(
        (index) =>
          index.IndexName === name &&
          index.KeySchema?.[1]?.AttributeName === sortKey &&
          index.Projection?.ProjectionType === 'ALL',
      ),
  );
  const names = (entries: readonly (readonly [string, unknown])[]) => entries.map(([name]) => name).join(', ');
  return missing.length > 0 ? { failed: `Missing: ${names(missing)}.` } : { ok: names(Object.entries(INDEXES)) };
}
