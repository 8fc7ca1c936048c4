import { inject } from 'vitest';
import { type FaultProxy, openFaultProxy } from './fault-proxy.ts';
import { type House, openHouse } from './house.ts';

/** A house whose calls to DynamoDB go through a proxy, which is closed with it. */
export async function openFaultyHouse(): Promise<{ readonly house: House; readonly proxy: FaultProxy }> {
  const proxy = await openFaultProxy(inject('houseEnvironment').AWS_ENDPOINT_URL_DYNAMODB ?? '');
  const house = await openHouse({ environment: { AWS_ENDPOINT_URL_DYNAMODB: proxy.url } });
  const close = async () => {
    await house.close();
    await proxy.close();
  };
  return { house: { ...house, close }, proxy };
}
