import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { HeadBucketCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { productsContract } from '../../../shared/api/catalog/products.ts';
import type { Pointer } from '../../../shared/catalog/file/snapshot.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { findWrongKeys, TABLE_KEYS } from '../../table-keys.ts';
import { withPublishedCatalog } from '../catalog/published-catalog.ts';
import { setting } from '../errors.ts';
import { countText } from '../output.ts';
import { type Check, CLIENT_LIMITS, type Finding } from './check.ts';

const DEPLOY = 'Deploy the stack, or point at it with --outputs.';

export function dataChecks(): Check[] {
  return [
    {
      name: 'table',
      needs: ['TABLE_NAME'],
      remedy: `${DEPLOY} Keys of a table are fixed: with other ones, deploy a new table.`,
      look: checkTable,
    },
    bucketCheck('catalog bucket', 'CATALOG_BUCKET'),
    bucketCheck('documents bucket', 'DOCUMENTS_BUCKET'),
    {
      name: 'catalog',
      needs: ['CATALOG_BUCKET'],
      remedy: 'Publish one with active products in stock: catalog publish <folder>.',
      look: () =>
        withPublishedCatalog((catalog, pointer) => checkCatalog(pointer, catalog.products(canBeBought()).count)),
    },
  ];
}

async function checkTable(): Promise<Finding> {
  const describe = new DescribeTableCommand({ TableName: setting('TABLE_NAME') });
  const { Table: described = {} } = await new DynamoDBClient(CLIENT_LIMITS).send(describe);
  const { TableName, TableStatus } = described;
  const wrong = findWrongKeys(described);
  if (TableStatus !== 'ACTIVE') return { failed: `${TableName} is ${TableStatus}.` };
  return wrong ? { failed: `The table ${wrong}.` } : { ok: `${TableName}, ${TABLE_KEYS}` };
}

function bucketCheck(name: string, variable: string): Check {
  const look = async (): Promise<Finding> => {
    const s3 = new S3Client({ ...CLIENT_LIMITS, forcePathStyle: process.env.S3_PATH_STYLE === 'true' });
    try {
      await s3.send(new HeadBucketCommand({ Bucket: setting(variable) }));
      return { ok: setting(variable) };
    } catch (error) {
      if (!(error instanceof S3ServiceException)) throw error;
      // The answer to a HEAD has no body that could say more than its status.
      return { failed: `S3 answers ${error.$metadata.httpStatusCode}.` };
    }
  };
  return { name, needs: [variable], remedy: DEPLOY, look };
}

const canBeBought = () => productsContract.query.parse({ is_active: 'true', has_shortage: 'false' });
const DAY_MS = 24 * 60 * 60 * 1_000;

function checkCatalog({ version, published_at }: Pointer, bought: number): Finding {
  const days = Math.floor((now().getTime() - Date.parse(published_at)) / DAY_MS);
  const most = Number(process.env.CATALOG_MAXIMUM_AGE_DAYS ?? Number.POSITIVE_INFINITY);
  if (bought === 0) return { failed: 'No product can be bought.' };
  if (days > most) return { failed: `It was published ${days} days ago; ${most} are allowed.` };
  return { ok: `version ${version}, ${countText(days, 'day')} old, ${bought} products can be bought` };
}
