import { describe, expect, it } from 'vitest';
import { splitIngredients } from '../../../shared/domain/medicines/active-ingredients.ts';

describe('the ingredients of a text', () => {
  it.each<[string, string[]]>([
    ['Paracetamol', ['paracetamol']],
    ['  ÁCIDO   acetilsalicílico ', ['acido acetilsalicilico']],
    ['Amoxicilina y ácido clavulánico', ['acido clavulanico', 'amoxicilina']],
    ['Ácido clavulánico / amoxicilina', ['acido clavulanico', 'amoxicilina']],
    ['Ácido clavulánico/Amoxicilina', ['acido clavulanico', 'amoxicilina']],
    ['Clorfenamina, paracetamol y fenilefrina', ['clorfenamina', 'fenilefrina', 'paracetamol']],
    ['fenilefrina; clorfenamina, y paracetamol', ['clorfenamina', 'fenilefrina', 'paracetamol']],
    ['Paracetamol e ibuprofeno', ['ibuprofeno', 'paracetamol']],
    ['Paracetamol e hidrocodona', ['hidrocodona', 'paracetamol']],
    ['Losartán + hidroclorotiazida', ['hidroclorotiazida', 'losartan']],
    ['Calcio con vitamina D & zinc', ['calcio', 'vitamina d', 'zinc']],
    ['Vitamina E', ['vitamina e']],
    ['Vitamina E y zinc', ['vitamina e', 'zinc']],
    ['Vitamina C, vitamina E', ['vitamina c', 'vitamina e']],
    ['Clorhidrato de metformina', ['clorhidrato de metformina']],
    ['Paracetamol, paracetamol', ['paracetamol']],
    ['Yodo y conazol', ['conazol', 'yodo']],
  ])('%j are %j', (text, ingredients) => {
    expect(splitIngredients(text)).toEqual(ingredients);
  });

  it.each(['', ' ', '-', '--', ', ,', 'N/A', 'na', 'No aplica', 'NINGUNO', 'Sin principio activo'])(
    'are none in %j',
    (text) => {
      expect(splitIngredients(text)).toEqual([]);
    },
  );
});
