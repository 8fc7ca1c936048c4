import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';

/*
 * The streams of DynamoDB Local (3.3) leave out the type of an empty map: `{}` instead of `{"M":{}}`, which is what AWS
 * writes and the SDK reads.
 */

type Attributes = Record<string, AttributeValue>;

/** Returns a record whose empty maps have their type. */
export function restoreEmptyMaps(record: DynamoDBRecord): DynamoDBRecord {
  const { NewImage, OldImage } = record.dynamodb ?? {};
  const images = {
    ...(NewImage && { NewImage: restoreAll(NewImage) }),
    ...(OldImage && { OldImage: restoreAll(OldImage) }),
  };
  return { ...record, dynamodb: { ...record.dynamodb, ...images } };
}

const restoreAll = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, restore(value)]));

function restore(value: AttributeValue): AttributeValue {
  if (value.M) return { M: restoreAll(value.M) };
  if (value.L) return { L: value.L.map(restore) };
  return Object.keys(value).length === 0 ? { M: {} } : value;
}
