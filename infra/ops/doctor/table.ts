import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  type PointInTimeRecoveryDescription,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { once } from '../../../shared/runtime/async.ts';
import { TABLE } from '../../../shared/store/keys.ts';
import { findWrongKeys, TABLE_KEYS } from '../../table-keys.ts';
import { setting } from '../command.ts';
import { type Check, CLIENT_LIMITS, type Finding, REMEDIES } from './check.ts';

const protection = {
  needs: ['DATA_ON_REMOVAL'],
  notLocally: 'The local DynamoDB has nothing of the kind.',
  remedy: 'Deploy the stack again: it sets this by `dataOnRemoval`.',
};

export function tableChecks(): Check[] {
  const client = once(() => new DynamoDBClient(CLIENT_LIMITS));
  const name = () => ({ TableName: setting('TABLE_NAME') });
  const described = once(async () => (await client().send(new DescribeTableCommand(name()))).Table ?? {});
  const checks: (Omit<Check, 'needs'> & Partial<Check>)[] = [
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
      ...protection,
      look: async () => {
        const answer = await client().send(new DescribeContinuousBackupsCommand(name()));
        return checkRecovery(answer.ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {});
      },
    },
    {
      name: 'table deletion protection',
      ...protection,
      look: async () => checkProtection(await described()),
    },
  ];
  return checks.map((check) => ({ ...check, needs: ['TABLE_NAME', ...(check.needs ?? [])] }));
}

const isKept = (): boolean => setting('DATA_ON_REMOVAL') === 'kept';
const UNPROTECTED: Finding = { ok: 'off: the data is removed with the stack' };

function checkRecovery(recovery: PointInTimeRecoveryDescription): Finding {
  const { PointInTimeRecoveryStatus: status, EarliestRestorableDateTime: since } = recovery;
  if (status === 'ENABLED') return { ok: `to any second since ${since?.toISOString()}` };
  return isKept() ? { failed: 'Point-in-time recovery is off.' } : UNPROTECTED;
}

function checkProtection({ DeletionProtectionEnabled: isOn }: TableDescription): Finding {
  if (isKept()) return isOn ? { ok: 'on' } : { failed: 'It is off.' };
  return isOn ? { warning: 'It is on: the stack cannot be removed.' } : UNPROTECTED;
}

const checkActivity = ({ TableName, TableStatus }: TableDescription): Finding =>
  TableStatus === 'ACTIVE' ? { ok: `${TableName}` } : { failed: `${TableName} is ${TableStatus}.` };

function checkKeys(described: TableDescription): Finding {
  const wrong = findWrongKeys(described);
  return wrong ? { failed: `The table ${wrong}.` } : { ok: `${TABLE_KEYS}, no local index` };
}
