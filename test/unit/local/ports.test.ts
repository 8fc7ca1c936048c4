import { expect, it } from 'vitest';
import { expectFreePorts } from '../../../infra/local/engines/ports.ts';

it('names the ports that are equal', async () => {
  const ports = [
    { port: 4100, variable: 'PORT' },
    { port: 4101, variable: 'DYNAMODB_PORT' },
    { port: 4100, variable: 'S3_PORT' },
  ];
  await expect(expectFreePorts(ports)).rejects.toThrow(
    'PORT and S3_PORT are the same port 4100: set each to one of its own.',
  );
});

it('accepts different ports that are free', async () => {
  await expect(expectFreePorts([{ port: 0, variable: 'PORT' }])).resolves.toBeUndefined();
});
