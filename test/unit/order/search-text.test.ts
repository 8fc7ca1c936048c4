import { expect, it } from 'vitest';
import { recognizeSearch } from '../../../shared/order/lists/find-orders.ts';

it.each([
  ['RX-00000042', { by: 'folio', folio: 42 }],
  ['rx-42', { by: 'folio', folio: 42 }],
  [' 42 ', { by: 'folio', folio: 42 }],
  // Nine and eleven digits are no Mexican phone.
  ['551234567', { by: 'folio', folio: 551_234_567 }],
  ['55123456789', { by: 'folio', folio: 55_123_456_789 }],
  ['5512345678', { by: 'phone', phone: '+525512345678' }],
  ['55 1234-5678', { by: 'phone', phone: '+525512345678' }],
  ['52 55 1234 5678', { by: 'phone', phone: '+525512345678' }],
  ['+52 1 55 1234 5678', { by: 'phone', phone: '+525512345678' }],
  ['+1 555 123 4567', { by: 'phone', phone: '+15551234567' }],
  ['Ana.Paz@Example.mx ', { by: 'email', email: 'ana.paz@example.mx' }],
  ['Núñez  José', { by: 'name', words: ['nunez', 'jose'] }],
  ['ana@', { by: 'name', words: ['ana'] }],
  ['0', { by: 'name', words: ['0'] }],
])('%j is taken for %j', (text, recognized) => {
  expect(recognizeSearch(text)).toEqual(recognized);
});
