import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';

const toIndex = (name: string, sortKey: string) => ({
  IndexName: name,
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' as const },
    { AttributeName: sortKey, KeyType: 'RANGE' as const },
  ],
  Projection: { ProjectionType: 'ALL' as const },
});

/** Creates a table with local indexes by status, as an older version did. */
export async function createFormerTable(client: DynamoDBClient, name: string): Promise<void> {
  const attributes = ['pk', 'sk', 'orderStatusKey', 'paymentStatusKey'];
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: attributes.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      LocalSecondaryIndexes: [
        toIndex('byOrderStatus', 'orderStatusKey'),
        toIndex('byPaymentStatus', 'paymentStatusKey'),
      ],
    }),
  );
}
