import { describe, expect, it } from 'vitest';
import { type Order, orderFates, storedOrder } from '../../../shared/order/order.ts';
import { applyFates, type Fates } from '../../../shared/people/person.ts';
import { plant } from '../../support/orders/planted-item.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';

type Note = { id: number; title: string; author: string | null; phone?: string; pages: { text: string }[] };
const FATES: Fates<Note> = {
  id: 'impersonal',
  title: 'blank',
  author: 'null',
  phone: 'dropped',
  pages: { text: 'blank' },
};

describe('the fates of a stored thing', () => {
  it('are applied to each of its fields, elements of lists included', () => {
    const note = { id: 7, title: 'Receta', author: 'Ana', phone: '55', pages: [{ text: 'a' }, { text: 'b' }] };
    expect(applyFates<Note>(note, FATES)).toEqual({
      id: 7,
      title: '',
      author: null,
      pages: [{ text: '' }, { text: '' }],
    });
  });

  it.each([
    ['empty', []],
    ['not theirs', [{ text: 'a' }]],
  ] as const)('apply to a whole list: %s', (pages, left) => {
    const note = { id: 7, title: '', author: null, pages: [{ text: 'a' }] };
    expect(applyFates<Note>(note, { ...FATES, pages })).toEqual({ ...note, pages: left });
  });

  it('remove a field without a fate, and add no absent one', () => {
    const note = { id: 7, title: '', author: null, pages: [], nickname: 'Anita' };
    expect(applyFates<Note>(note, FATES)).toEqual({ id: 7, title: '', author: null, pages: [] });
  });

  it('do not compile when a field has none, or one that it cannot have', () => {
    // @ts-expect-error a field without a fate
    const unanswered: Fates<{ name: string }> = {};
    // @ts-expect-error a number cannot be blanked
    const blank: Fates<{ weight: number }> = { weight: 'blank' };
    // @ts-expect-error a required text cannot be left out
    const dropped: Fates<{ name: string }> = { name: 'dropped' };
    // @ts-expect-error an object of personal data needs a fate for each field
    const whole: Fates<{ place: { city: string } }> = { place: 'impersonal' };
    expect([unanswered, blank, dropped, whole]).toHaveLength(4);
  });
});

describe('an order whose patient is erased', () => {
  const planted = (order: Order) => plant(storedOrder, orderFates(order, 'erased'), order);
  const stored = (more: Partial<Order> = {}) => ({ ...syntheticOrder({ id: 7 }), ...more });

  it('has data planted in every field that is removed', () => {
    const text = JSON.stringify(planted(stored()));
    expect(text.match(/Plan|19\.417/g)?.length).toBeGreaterThan(30);
    expect(planted(stored())).toMatchObject({
      patient: { email: 'Plantado', birthdate: 'Plantado' },
      sentPerson: { medicalCondition: 'Plantado' },
      shipping: { street: 'Plantado' },
      invoicing: { rfc: 'Plantado' },
      invoice: { reason: 'Plantado' },
      prescriptions: [{ documentName: 'Plantado' }],
      comments: 'Plantado',
    });
  });

  it('keeps none of the planted data', () => {
    const order = planted(stored());
    const left = applyFates(order, orderFates(order, 'erased'));
    expect(JSON.stringify(left)).not.toMatch(/Plan|19\.417/);
    expect(left).toMatchObject({ sentPerson: {}, shipping: null, invoicing: null, prescriptions: [] });
    expect(storedOrder.parse(left)).toEqual(left);
  });

  it('keeps none of it where the patient placed and changed the order themselves', () => {
    const { patient } = stored();
    const order = planted(stored({ generatedBy: patient, updatedBy: patient }));
    expect(order.generatedBy.firstName).toBe('Plantado');
    expect(JSON.stringify(applyFates(order, orderFates(order, 'erased')))).not.toMatch(/Plan|19\.417/);
  });

  it('keeps the other users who placed and changed it, and the receiver of its invoice while tax law needs it', () => {
    const { updatedBy } = stored();
    const order = planted(stored({ cfdi: '58e93bd8e86eb318b0197456' }));
    const left = applyFates(order, orderFates(order, 'kept'));
    expect(left).toMatchObject({ updatedBy, generatedBy: updatedBy, cfdi: '58e93bd8e86eb318b0197456' });
    const { id, created_at, updated_at, updated_by, ...kept } = left.invoicing ?? {};
    expect(kept).toEqual({
      full_name: 'Plantado',
      rfc: 'Plantado',
      zipcode: 'Plantado',
      cfdi_use: 'Plan',
      fiscal_regime: expect.any(String),
      street: '',
      exterior_number: '',
      neighborhood: '',
      city: '',
      state: '',
      country: '',
      email: '',
      latitude: null,
      longitude: null,
    });
  });
});
