import { expect, it } from 'vitest';
import { COUNTER_COMMANDS } from '../../../infra/counter/server/counter-commands.ts';

it('each command of the counter is called by its name', () => {
  const names = Object.values(COUNTER_COMMANDS).map(({ name }) => name.replaceAll(' ', '-'));
  expect(Object.keys(COUNTER_COMMANDS)).toEqual(names);
});
