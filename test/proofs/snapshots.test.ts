import { expect, it } from 'vitest';
import { packSnapshot, unpackSnapshot } from '../../shared/catalog/file/snapshot.ts';
import { randomNumbers } from '../support/faults/transaction-faults.ts';
import { prove, seed, tries } from '../support/proofs/proof.ts';

// The content is large enough for several blocks, and compresses like a catalog.
const PLAIN = Buffer.from(
  Array.from({ length: 8_000 }, (_, index) => `${index};Paracetamol 500 mg;${index * 37}\n`).join(''),
);

it('a snapshot that was altered or cut anywhere never opens with other content', async () => {
  const { compressed, ...seal } = await packSnapshot(PLAIN);
  const random = randomNumbers(seed());
  const below = (end: number) => Math.floor(random() * end);
  const damage = (): Buffer => {
    if (random() < 0.3) return compressed.subarray(0, below(compressed.length));
    const spoilt = Buffer.from(compressed);
    const place = below(spoilt.length);
    spoilt.writeUInt8((spoilt.readUInt8(place) ^ (1 << below(8))) & 0xff, place);
    return spoilt;
  };
  const count = tries(100, 10_000);
  let [opened, refused] = [0, 0];
  for (let each = 0; each < count; each++) {
    const plain = await unpackSnapshot(damage(), seal).catch(() => undefined);
    if (!plain) refused += 1;
    else if (!plain.equals(PLAIN)) opened += 1;
  }
  expect(refused).toBeGreaterThan(0);
  prove({
    check: 'Dependencies: damaged snapshots',
    tries: count,
    faults: count,
    lost: opened,
    figure: `${refused} refused, the rest is the catalog itself`,
  });
});
