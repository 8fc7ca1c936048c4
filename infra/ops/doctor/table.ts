import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { once } from '../../../shared/runtime/once.ts';
import { TABLE } from '../../../shared/store/keys.ts';
import { findWrongKeys, TABLE_KEYS } from '../../table-keys.ts';
import { setting } from '../command.ts';
import { type Check, CLIENT_LIMITS, type Finding, REMEDIES } from './check.ts';

const onAwsOnly = { notLocally: 'The local DynamoDB has nothing of the kind.', remedy: REMEDIES.deployAgain };

export function tableChecks(): Check[] {
  const client = once(() => new DynamoDBClient(CLIENT_LIMITS));
  const name = () => ({ TableName: setting('TABLE_NAME') });
  const described = once(async () => (await client().send(new DescribeTableCommand(name()))).Table ?? {});
  const checks: Omit<Check, 'needs'>[] = [
    { name: 'table', remedy: REMEDIES.deploy, look: async () => checkActivity(await described()) },
    {
      name: 'table keys',
      remedy: 'Keys and local indexes of a table are fixed: deploy a new table.',
      look: async () => checkKeys(await described()),
    },
    {
      name: 'table time to live',
      remedy: REMEDIES.deployAgain,
      look: async () => {
        const { TimeToLiveDescription: ttl } = await client().send(new DescribeTimeToLiveCommand(name()));
        const isOn = ttl?.AttributeName === TABLE.timeToLive && ttl.TimeToLiveStatus === 'ENABLED';
        return isOn ? { ok: `by ${TABLE.timeToLive}` } : { failed: `It is not on by ${TABLE.timeToLive}.` };
      },
    },
    {
      name: 'table backups',
      ...onAwsOnly,
      look: async () => {
        const answer = await client().send(new DescribeContinuousBackupsCommand(name()));
        const recovery = answer.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
        if (recovery?.PointInTimeRecoveryStatus !== 'ENABLED') return { failed: 'Point-in-time recovery is off.' };
        return { ok: `to any second since ${recovery.EarliestRestorableDateTime?.toISOString()}` };
      },
    },
    {
      name: 'table deletion protection',
      ...onAwsOnly,
      look: async () => ((await described()).DeletionProtectionEnabled ? { ok: 'on' } : { failed: 'It is off.' }),
    },
  ];
  return checks.map((check) => ({ ...check, needs: ['TABLE_NAME'] }));
}

const checkActivity = ({ TableName, TableStatus }: TableDescription): Finding =>
  TableStatus === 'ACTIVE' ? { ok: `${TableName}` } : { failed: `${TableName} is ${TableStatus}.` };

function checkKeys(described: TableDescription): Finding {
  const wrong = findWrongKeys(described);
  return wrong ? { failed: `The table ${wrong}.` } : { ok: `${TABLE_KEYS}, no local index` };
}
