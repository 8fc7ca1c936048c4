import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListObjectsCommand, S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';

/** Lists the items of the server's whole table, and the objects of its documents bucket, that have a text of this form. */
export async function findTraces(form: RegExp): Promise<string[]> {
  return [...(await tracesInTable(form)), ...(await tracesInBucket(form))].sort();
}

async function tracesInTable(form: RegExp): Promise<string[]> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const found: string[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: process.env.TABLE_NAME })) {
    for (const item of Items) {
      const text = JSON.stringify(item, (_, value) => (value instanceof Set ? [...value] : value));
      // The attributes of an item have no order.
      const met = [...new Set(text.match(new RegExp(form, 'g')))].sort();
      if (met.length > 0) found.push(`${item.pk} ${item.sk}: ${met.join(' ')}`);
    }
  }
  client.destroy();
  return found;
}

async function tracesInBucket(form: RegExp): Promise<string[]> {
  const s3 = new S3Client({ forcePathStyle: true });
  const Bucket = process.env.DOCUMENTS_BUCKET;
  const { Contents = [] } = await s3.send(new ListObjectsCommand({ Bucket }));
  const found: string[] = [];
  for (const { Key } of Contents) {
    const object = await s3.send(new GetObjectCommand({ Bucket, Key }));
    const text = `${Key} ${object.ContentDisposition} ${await object.Body?.transformToString()}`;
    if (form.test(text)) found.push(text.slice(0, 200));
  }
  s3.destroy();
  return found;
}
