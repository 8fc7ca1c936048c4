/** A colour of a part of a bar, as `pictures.css` has it, and a texture, so that neighbours differ without their colours too. */
export type Fill = { readonly colour: string; readonly texture?: 'stripes' | 'dots' };

/** The patterns of the textures. Stands in the view once. */
export const Textures = () => (
  <svg class="for-screen-readers" aria-hidden="true">
    <defs>
      <pattern id="stripes" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect class="picture-texture" width="3" height="6" />
      </pattern>
      <pattern id="dots" width="5" height="5" patternUnits="userSpaceOnUse">
        <circle class="picture-texture" cx="2.5" cy="2.5" r="1.4" />
      </pattern>
    </defs>
  </svg>
);

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

export const FilledBox = ({ fill, ...box }: Box & { readonly fill: Fill }) => (
  <>
    <rect class={`part ${fill.colour}`} {...box} />
    {fill.texture && <rect {...box} fill={`url(#${fill.texture})`} />}
  </>
);

type LegendProps = { readonly entries: readonly { readonly name: string; readonly fill: Fill }[] };

/** The names of the fills, in the order in which they are stacked from the bottom. */
export const Legend = ({ entries }: LegendProps) => (
  <ul class="legend">
    {entries.map(({ name, fill }) => (
      <li key={name}>
        <svg width="14" height="14" aria-hidden="true">
          <FilledBox fill={fill} x={0} y={0} width={14} height={14} />
        </svg>
        {name}
      </li>
    ))}
  </ul>
);
